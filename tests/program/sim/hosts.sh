#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Programs on several nodes of one fabric, at once.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

on_sim=("$sim" --topology "$netlist")
me=(smpquery nodedesc -D 0)

# expect_node NODE COMMAND...: the command runs on this node.
expect_node()
{
	local node=$1
	shift

	expect_status 0 "$@"
	expect_text "$node"
}

expect_node host2 "${on_sim[@]}" -- env SIM_HOST=host2 "${me[@]}"
expect_node switch1 "${on_sim[@]}" -- env SIM_HOST=switch1 "${me[@]}"
expect_node host1 "${on_sim[@]}" -- env SIM_HOST= "${me[@]}"
expect_node host1 "${on_sim[@]}" -- env MADRING_SIM_HOST=host1 SIM_HOST=host2 "${me[@]}"

# The one that madring-sim itself was told is the command's, and no more.
expect_node host1 env SIM_HOST=host2 "${on_sim[@]}" --attach host1 -- "${me[@]}"
expect_node host2 env SIM_HOST=host1 MADRING_SIM_HOST=host2 "${on_sim[@]}" -- "${me[@]}"
# shellcheck disable=SC2016 # expanded by the command's shell
expect_status 0 env SIM_HOST=host2 "${on_sim[@]}" -- sh -c 'echo "<$SIM_HOST>"'
expect_text "<>"

# A node is the same whichever way it was come to, with the ports it has there.
expect_status 0 "${on_sim[@]}" --attach host1:2 -- env SIM_HOST=host1 ibstat
expect_text "Port 2:"
case $output in
*"Port 1:"*) fail "a port that was not attached: $output" ;;
esac
expect_status 0 "${on_sim[@]}" --attach host2 -- env SIM_HOST=host1 ibstat
expect_text "Port 1:"

expect_status 255 "${on_sim[@]}" -- env SIM_HOST=nobody "${me[@]}"
expect_text "no node nobody to run on"
long=$(printf '%0300d' 0)
expect_status 255 "${on_sim[@]}" -- env SIM_HOST="$long" "${me[@]}"
expect_text "File name too long"

# shellcheck disable=SC2016 # expanded by the command's shell
expect_status 0 "${on_sim[@]}" -- bash -c '
for host in host1 host2 switch1; do
	SIM_HOST=$host "$flood" 5000 128 0 & pids+=($!)
	SIM_HOST=$host ibnetdiscover >/dev/null & pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || exit 1
done'
finish
