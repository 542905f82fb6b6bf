#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Real, unmodified programs of infiniband-diags on the simulated device.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

on_sim=("$sim" --topology "$netlist")

expect_status 0 "${on_sim[@]}" -- ibstat
expect_text "Number of ports: 2"
expect_text "Physical state: LinkUp"
expect_status 0 "${on_sim[@]}" --attach host1:2 -- ibstat
expect_text "Port 2:"
case $output in
*"Port 1:"*) fail "a port that was not attached: $output" ;;
esac
expect_status 0 "${on_sim[@]}" -- ibstat -p
expect_text 0x
expect_status 0 "${on_sim[@]}" --attach host2 -- smpquery nodedesc -D 0
expect_text host2
expect_status 0 env SIM_HOST=host3 "${on_sim[@]}" -- smpquery nodedesc -D 0
expect_text host3
expect_status 0 "${on_sim[@]}" --attach switch1 -- smpquery nodedesc -D 0
expect_text switch1
expect_status 0 "${on_sim[@]}" -- smpquery nodeinfo -D 0
expect_text "Channel Adapter"
expect_status 0 "${on_sim[@]}" -- smpquery nodeinfo -D 0,1
expect_text Switch
expect_status 0 "${on_sim[@]}" -- smpquery -P 2 nodeinfo -D 0,2
expect_text Switch
expect_status 0 "${on_sim[@]}" -- ibnetdiscover
for node in host1 host2 host3 switch1; do
	expect_text "\"$node\""
done
expect_status 0 "$sim" --generate fat-tree:radix=4,levels=2 -- ibnetdiscover

# The kernel refuses a route that does not begin at the port; a program may wait for ever for a reply.
expect_status 255 timeout 60 "${on_sim[@]}" -- smpdump -D 0,9 0x11
expect_status 0 timeout 60 "${on_sim[@]}" -- smpdump -D 0,1 0x11
# A script that changes to a folder of the device, and reads files there.
expect_status 0 "${on_sim[@]}" -- ibstatus
expect_text "Infiniband device 'simib0' port 2 status:"
expect_text "phys state:	 5: LinkUp"

# Several programs run at once, with several files each.
# shellcheck disable=SC2016 # expanded by the command's shell
expect_status 0 "${on_sim[@]}" -- bash -c '
for i in 1 2 3 4; do
	"$flood" 5000 128 & pids+=($!)
	ibnetdiscover >/dev/null & pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || exit 1
done'
finish
