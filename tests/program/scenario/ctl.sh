#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# madring-sim ctl: from within the command and from outside, on good and on bad terms.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/../sim/check.sh"

export sim
on_sim=("$sim" --topology "$netlist")
here=$(realpath "$(dirname "$0")")

# expect_no_text TEXT: it does not stand in the last output.
expect_no_text()
{
	case $output in
	*"$1"*) fail "'$1' in: $output" ;;
	*) ;;
	esac
}

# A port goes down and comes up under a program that looks on.
# shellcheck disable=SC2016 # expanded by the command's shell
from_within()
{
	expect_status 0 "${on_sim[@]}" -- bash -ec '
		"$sim" ctl link switch1:3 down
		smpquery portinfo -D 0,1 3 | grep -x "LinkState:\.*Down"
		"$sim" ctl "link host2:1 up"
		smpquery portinfo -D 0,1 3 | grep -x "LinkState:\.*Initialize"
		"$sim" ctl node "host[23]" hung
		if smpquery -t 20 nodeinfo -D 0,1,3; then exit 9; fi
		"$sim" ctl node "host*" well
		smpquery nodeinfo -D 0,1,3'
	expect_status 0 "${on_sim[@]}" -- bash -c '"$sim" ctl set hop 3us && "$sim" ctl show model'
	expect_text 'set hop 3us'
	expect_status 1 "${on_sim[@]}" -- "$sim" ctl frobnicate
	expect_text 'madring-sim: ctl: frobnicate: no such command'
	expect_status 1 "${on_sim[@]}" -- "$sim" ctl link switch1:7 down
	expect_text 'no such port has a cable'
	expect_status 0 "${on_sim[@]}" -- "$sim" ctl --json show node switch1
	python3 -c 'import json, sys; assert json.loads(sys.argv[1])[0]["type"] == "switch"' \
		"$output" || fail "not JSON: $output"
	expect_status 0 "${on_sim[@]}" --seed 18446744073709551615 --profile real -- \
		"$sim" ctl show stats
	python3 -c 'import json, sys
s = json.loads(sys.argv[1])
assert s["seed"] == 2**64 - 1 and s["profile"] == "modelled" and "mads" in s' "$output" ||
		fail "not the statistics: $output"
	# The time of things is the simulation's.
	expect_status 0 "${on_sim[@]}" -- bash -ec '
		"$sim" ctl at +50ms node host2 dead
		"$sim" ctl at +60min node host3 dead
		until "$sim" ctl show node host2 | grep dead; do sleep 0.02; done
		"$sim" ctl show node host3 | grep well
		! "$sim" ctl at 1ms node host2 well'
	expect_text 'that time is past'
}

# shellcheck disable=SC2016 # expanded by the command's shell
walks()
{
	expect_status 1 "${on_sim[@]}" -- "$sim" ctl walk
	expect_text 'no LID'
	expect_no_text 'madring-sim: ctl'
	expect_status 0 "${on_sim[@]}" --routed -- "$sim" ctl walk
	expect_text 'host to host: 12 of 12 ways'
	expect_status 0 "${on_sim[@]}" --routed -- smpquery nodeinfo 5
	expect_status 1 "${on_sim[@]}" --routed -- bash -c '
		"$sim" ctl link host3:1 down; "$sim" ctl link host3:1 up; "$sim" ctl walk'
	expect_text 'not active'
}

# start_outside [OPTION]...: sets $pid once the simulator can be talked to.
start_outside()
{
	rm -f "$TMPDIR/ready"
	# shellcheck disable=SC2016 # expanded by the command's shell
	"${on_sim[@]}" "$@" -- bash -c 'echo $$ >"$TMPDIR/ready"; exec sleep 60' &
	pid=$!
	while [ ! -s "$TMPDIR/ready" ] && kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
}

stop_outside()
{
	kill "$pid"
	wait "$pid"
}

from_outside()
{
	unset MADRING_SIM
	start_outside
	expect_status 0 "$sim" ctl --pid "$pid" show links
	expect_text 'host2:1 switch1:3 Initialize LinkUp'
	expect_status 0 env MADRING_SIM="$(echo "$TMPDIR"/madring-sim.*)" "$sim" ctl set queue 5
	expect_status 0 "$sim" ctl --pid "$pid" show model
	expect_text 'set queue 5'
	expect_status 2 env TMPDIR=/ "$sim" ctl --pid "$pid" show model
	expect_text "$pid: no simulator"
	stop_outside
	expect_status 2 "$sim" ctl --pid "$pid" show model
	expect_status 2 "$sim" ctl --pid 99999999999999999999 show model
	expect_status 2 "$sim" ctl --pid x show model
	expect_status 2 "$sim" ctl show model
	expect_text '--socket'
	expect_status 2 env MADRING_SIM=/nonexistent "$sim" ctl show model
	expect_text 'no simulator to talk to'
	expect_status 2 "$sim" ctl --socket "$TMPDIR/none" show model
	expect_text "$TMPDIR/none"
	expect_status 2 "$sim" ctl --socket "$(printf '/%0200d' 0)" show model
	expect_status 2 "$sim" ctl
	expect_status 2 "$sim" ctl --frobnicate
	expect_status 0 "$sim" ctl --help
	expect_text --socket
}

a_place_of_ones_own()
{
	local place=$TMPDIR/control

	start_outside --control "$place"
	[ "$(stat -c %a "$place")" = 700 ] || fail "others may use the control socket"
	expect_status 0 "$sim" ctl --socket "$place" set queue 7
	expect_status 0 "$sim" ctl --pid "$pid" show model
	expect_text 'set queue 7'
	expect_status 2 "${on_sim[@]}" --control "$place" -- true
	expect_text "$place: Address already in use"
	kill -KILL "$pid"
	wait "$pid"
	kill "$(cat "$TMPDIR/ready")"
	rm -rf "$TMPDIR"/madring-sim.*
	# A socket that nobody listens at is in nobody's way.
	expect_status 0 "${on_sim[@]}" --control "$place" -- "$sim" ctl show model
	[ ! -e "$place" ] || fail "left behind: $place"
	: >"$place"
	expect_status 2 "${on_sim[@]}" --control "$place" -- true
	expect_text 'already in use'
	[ -f "$place" ] || fail "removed what was not its own: $place"
	expect_status 2 "${on_sim[@]}" --control /nonexistent/socket -- true
	expect_text /nonexistent/socket
	expect_status 2 "${on_sim[@]}" --control "$(printf '/%0200d' 0)" -- true
	expect_text 'name too long'
	# A relative path is found from any folder.
	cd "$TMPDIR" || fail "no $TMPDIR"
	# shellcheck disable=SC2016 # expanded by the command's shell
	expect_status 0 "${on_sim[@]}" --control here -- sh -c 'cd / && "$sim" ctl show model'
	cd "$OLDPWD" || fail "no $OLDPWD"
}

hostile_clients()
{
	start_outside --control "$TMPDIR/hostile"
	expect_status 0 "$here/hostile-clients" "$TMPDIR/hostile"
	expect_text 'still there'
	expect_status 0 "$sim" ctl --pid "$pid" show model
	expect_status 2 "$sim" ctl --pid "$pid" set hop "$(printf '%020000d' 0)"
	expect_text 'too long'
	stop_outside
}

# The names of nodes in a netlist are shown on terminals.
names_that_command_a_terminal()
{
	local form

	{
		printf 'Switch 4 "\033[31mswitch"\t# "\033[2Jswitch"\n[1] "host"[1]\n\n'
		printf 'Ca 1 "host"\n[1] "\033[31mswitch"[1]\n'
	} >"$TMPDIR/evil.net"
	for form in 'show node *' 'show links' '--json show node *'; do
		# shellcheck disable=SC2086 # words
		set -f && set -- $form && set +f
		expect_status 0 "$sim" --topology "$TMPDIR/evil.net" -- "$sim" ctl "$@"
		expect_text '?['
		expect_no_text $'\033'
	done
}

# found_by_process NUMBER STATUS: lets ctl look for the folder of process NUMBER, and expects
# STATUS.
found_by_process()
{
	expect_status "$2" "$sim" ctl --pid "$1" show model
}

# Checks folders that somebody else has made, or could put something into.
folders_of_strangers()
{
	local real false=$TMPDIR/madring-sim.4000001.false

	start_outside
	real=$(echo "$TMPDIR/madring-sim.$pid".*)
	ln -s "$real" "$TMPDIR/madring-sim.4000000.link"
	found_by_process 4000000 2
	expect_text "4000000: the folder in TMPDIR"
	mkdir -m 770 "$false"
	ln -s "$real/control" "$false/control"
	found_by_process 4000001 2
	expect_text 'open to others'
	chmod 700 "$false"
	found_by_process 4000001 0
	if [ "$(id -u)" = 0 ]; then
		chown 65534 "$false"
		found_by_process 4000001 2
		expect_text "another user's"
		# A good folder beside it is found.
		mkdir -m 700 "$TMPDIR/madring-sim.4000001.good"
		ln -s "$real/control" "$TMPDIR/madring-sim.4000001.good/control"
		found_by_process 4000001 0
	fi
	rm -rf "$TMPDIR"/madring-sim.400000*
	stop_outside
}

# The test needs root, who alone can become somebody else.
peers_that_are_strangers()
{
	local server

	[ "$(id -u)" = 0 ] || return
	chmod 711 "$TMPDIR"
	start_outside --control "$TMPDIR/open"
	chmod 777 "$TMPDIR/open"
	expect_status 0 "$here/strangers" client "$TMPDIR/open"
	expect_text 'not answered'
	expect_status 0 "$sim" ctl --pid "$pid" show model
	expect_no_text 'set queue 9'
	stop_outside

	exec 3< <(exec "$here/strangers" server "$TMPDIR/false")
	server=$!
	read -r -u 3
	expect_status 2 "$sim" ctl --socket "$TMPDIR/false" show model
	expect_text "$TMPDIR/false: another user listens here"
	expect_no_text 'a lie'
	kill "$server"
	exec 3<&-
}

from_within
walks
from_outside
a_place_of_ones_own
names_that_command_a_terminal
hostile_clients
folders_of_strangers
peers_that_are_strangers
finish
