#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Scenarios on the command line: what is wrong is said before the command starts.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/../sim/check.sh"

manual=$(realpath "$4")
export sim
on_sim=("$sim" --topology "$netlist")
scenario=$TMPDIR/scenario

# Nothing may have run when an option is refused.
refused()
{
	expect_status 2 "${on_sim[@]}" "$@" -- touch "$TMPDIR/ran"
	[ ! -e "$TMPDIR/ran" ] || fail "the command ran: $*"
}

refusals()
{
	refused --scenario "$TMPDIR/none"
	expect_text "$TMPDIR/none: No such file"
	printf 'set loss 0.01\n\n5ms node nobody dead\n' >"$scenario"
	refused --scenario "$scenario"
	expect_text "madring-sim: $scenario:3: nobody: no such node"
	refused --scenario "$TMPDIR"
	refused --scenario /dev/zero
	refused --scenario "$sim"
	refused --do 'set hop fast'
	expect_text 'set hop fast: fast: not a duration'
	refused --do 'show model'
	refused --do ''
	refused --loss 2
	expect_text '--loss: 2: not a probability'
	refused --dead 'x*'
	expect_text '--dead: x*: no node has such a name'
	refused --profile slow
	expect_text 'slow: no such profile'
	refused --routed=yes
}

# The settings for the start are made before the command runs, in the order that they are given.
# shellcheck disable=SC2016 # expanded by the command's shells
obeyed()
{
	printf 'set queue 9\n20ms link switch1:4 down\n' >"$scenario"
	expect_status 0 "${on_sim[@]}" --profile modelled --do 'set queue 8' --scenario "$scenario" \
		--loss 0.125 --dead host2 --do 'link host1:2 down' -- bash -ec '
			"$sim" ctl show model
			"$sim" ctl show node host2 | grep dead
			grep DOWN /sys/class/infiniband/simib0/ports/2/state
			until "$sim" ctl show links switch1:4 | grep Down; do sleep 0.02; done'
	expect_text 'set queue 9'
	expect_text 'set loss 0.125'
	expect_text 'set service.switch 18us'
	expect_status 0 "${on_sim[@]}" --do 'node "host[23]" dead' --dead 'host?' -- \
		"$sim" ctl show node 'host*'
	expect_text '"host1"'
	expect_status 0 "$sim" --topology "$netlist" --do 'every 1ms flow host1:1 host2:1 1k' -- \
		sleep 0.05
	expect_text 'a command failed'
}

# Each scenario in the manual works, on the fabric that it is for.
examples()
{
	local file count=0

	awk -v to="$TMPDIR/example" '
		/^\.Sh/ { inside = $2 == "EXAMPLES" }
		inside && /^\.Bd/ { file = to (++n); next }
		/^\.Ed/ { file = "" }
		file { gsub(/\\e/, "\\"); print >file }' "$manual"
	for file in "$TMPDIR"/example*; do
		expect_status 0 "$sim" --generate fat-tree:leafs=4,spines=2,hosts=6 --routed \
			--scenario "$file" -- true
		count=$((count + 1))
	done
	[ "$count" -ge 3 ] || fail "only $count examples in $manual"
}

refusals
obeyed
examples
finish
