#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# The statistics file, and what it says of retries, loss, and dead nodes.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

stats=$TMPDIR/stats.json

# expect_count EXPRESSION: a Python expression over the statistics, s.
expect_count()
{
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$stats" "$1" || fail "not so: $1"
}

expect_status 0 "$sim" --topology "$netlist" --stats "$stats" -- "$flood" 5000
expect_count 's["mads"]["written"] == s["mads"]["received"] == 5000'
expect_count 's["fabric"]["sent"] == s["fabric"]["delivered"] == 5000'
expect_count 's["kinds"][0]["name"] == "NodeInfo" and s["kinds"][0]["class"] == 0x81'
expect_count 'not any(s["rejected"].values())'
expect_count 's["fabric"]["kinds"][0]["answered"] == 5000'
expect_count 'sum(node["served"] for node in s["fabric"]["nodes"]) == 5000'
expect_count 's["lower_bound"]["ns"] == 0 and s["time_ns"] > 0'

# 1,000 requests are written before the first answer comes. Linux 7.3 has 128 of them on the wire.
for kernel in 6.12 7.3; do
	expect_status 0 "$sim" --topology "$netlist" --kernel "$kernel" --do 'set hop 50ms' \
		--stats "$stats" -- "$flood" 1500 1000 1
	expect_count 's["mads"]["written"] == s["mads"]["received"] == s["fabric"]["sent"] == 1500'
	expect_count "(s['mads']['held'] > 0) == ('$kernel' == '7.3')"
	expect_count '0 <= s["mads"]["held_peak"] <= 1000 - 128'
done

# ibnetdiscover leaves retries to the driver: 20 ms, and three times more.
expect_status 0 "$sim" --topology "$netlist" --dead host3 --stats "$stats" -- \
	ibnetdiscover -t 20
expect_count 's["mads"]["timed_out"] == 1 and s["mads"]["retried"] >= 1'
expect_count 's["fabric"]["dropped"]["dead_node"] == s["mads"]["retried"] + 1'

# The host has room for one SMP at a time, or not even for that: then no reply gets through, and the
# port counts each of them. The reply of the port's own agent comes over no link.
# shellcheck disable=SC2016 # expanded by the command's shell
for bytes in 290 289; do
	expect_status 0 "$sim" --topology "$netlist" --routed --do 'set local-service 1us' \
		--do "set local-vl15 $bytes" --stats "$stats" -- bash -c '
		smpquery -t 20 nodeinfo -D 0,1
		echo "smpquery: $?"
		perfquery -x'
	if [ "$bytes" = 290 ]; then
		expect_text 'smpquery: 0'
		expect_text 'VL15Dropped:.....................0'
		expect_count 'not any(s["fabric"]["dropped"].values())'
		expect_count 'sum(node["taken"] for node in s["fabric"]["nodes"]) == 1'
	else
		expect_text 'smpquery: 255'
		expect_count 's["fabric"]["dropped"]["local_vl15"]'
		dropped=$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["fabric"]["dropped"]["local_vl15"])' "$stats")
		expect_text "VL15Dropped:.....................$dropped"
	fi
done

# The kernel posts as many receive buffers as its parameter says.
expect_status 0 "$sim" --topology "$netlist" --recv-queue-size 64 --profile real -- \
	"$sim" ctl show model
expect_text 'set local-receive-buffers 64'

# A seed loses the same MADs each time, and they are sent again.
lost_with()
{
	expect_status 0 "$sim" --topology "$netlist" --loss 0.1 --seed "$1" --stats "$stats" -- \
		ibnetdiscover -t 20 -o 1
	expect_count 's["fabric"]["dropped"]["lost"] > 0'
	expect_count 's["fabric"]["dropped"]["lost"] == s["mads"]["retried"] + s["mads"]["timed_out"]'
	lost=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["fabric"]["dropped"]["lost"])' \
		"$stats")
}
lost_with 5
first=$lost
lost_with 5
[ "$first" = "$lost" ] || fail "lost $first, then $lost"

expect_status 255 "$sim" --topology "$netlist" --loss 1 --stats "$stats" -- \
	smpquery -t 20 nodeinfo -D 0,1
expect_count 's["fabric"]["dropped"]["lost"] >= 1 and s["mads"]["received"] == 0'
# An answer that came in time is not given up because the simulator itself was late.
# shellcheck disable=SC2016 # expanded by the command's shell
expect_status 0 "$sim" --topology "$netlist" --do "set hop 40ms" --stats "$stats" -- bash -c '
	smpquery -t 200 nodeinfo -D 0,1 & sleep 0.05
	kill -STOP "$PPID"; sleep 0.5; kill -CONT "$PPID"; wait'
expect_count 's["mads"]["retried"] == s["mads"]["timed_out"] == 0'
finish
