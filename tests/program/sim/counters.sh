#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# perfquery and ibqueryerrors, unmodified, on counters that a scenario has moved.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

on_sim=("$sim" --topology "$netlist" --routed)

# The LIDs that --routed gives.
lid_of()
{
	local port=$2

	expect_status 0 "${on_sim[@]}" -- smpquery portinfo -D "$1" "$port"
	lid=$(sed -n 's/^Lid:\.*//p' <<<"$output")
}

lid_of 0,1 0
switch=$lid
lid_of 0 1
host=$lid

# counter NAME VALUE: stands so in the last output.
counter()
{
	grep -Eq "^$1:\.*$2\$" <<<"$output" || fail "no $1 of $2 in: $output"
}

on_sim+=(
	--do "count host1:1 PortRcvErrors 70000"
	--do "count switch1:* SymbolErrorCounter 3"
	--do "count switch1:2 PortXmitDiscards 9"
	--do "count switch1:2 PortInactiveDiscards 8"
	--do "count switch1:3 PortXmitData 100000000000"
	--do "count switch1:3 PortVLXmitWait5 44")

# The small counters stick; the large ones go on.
expect_status 0 "${on_sim[@]}" -- perfquery
expect_text "CapMask: 0x1200"
counter PortRcvErrors 65535
expect_status 0 "${on_sim[@]}" -- perfquery -x
expect_text "CapMask2: 0x0000002"
counter PortRcvErrors 70000
expect_status 0 "${on_sim[@]}" -- perfquery -x "$switch" 3
counter PortXmitData 100000000000
counter SymbolErrorCounter 3
expect_status 0 "${on_sim[@]}" -- perfquery "$switch" 3
counter PortXmitData 4294967295

# All ports: of a switch at once, of a host one by one.
expect_status 0 "${on_sim[@]}" -- perfquery -a "$switch"
counter PortSelect 255
counter SymbolErrorCounter 27
expect_status 0 "${on_sim[@]}" -- perfquery -a -x "$switch"
counter SymbolErrorCounter 27
expect_status 0 "${on_sim[@]}" -- perfquery -a "$host"
expect_text "iterating through all ports"
counter PortRcvErrors 65535
expect_status 0 "${on_sim[@]}" -- perfquery -l "$switch" 1-8
[ "$(grep -c '^SymbolErrorCounter:\.*3$' <<<"$output")" = 8 ] || fail "not 8 ports: $output"

# A reset clears, after the read, what is selected, in the attribute that is asked for alone.
# shellcheck disable=SC2016 # expanded by the command's shell
expect_status 0 "${on_sim[@]}" -- bash -c '
	perfquery -r "$1" 2 && perfquery "$1" 2 && perfquery -x "$1" 2' - "$switch"
[ "$(grep -c '^PortXmitDiscards:\.*9$' <<<"$output")" = 2 ] || fail "not 9, 0, 9: $output"
[ "$(grep -c '^PortXmitDiscards:\.*0$' <<<"$output")" = 1 ] || fail "not 9, 0, 9: $output"
# shellcheck disable=SC2016
expect_status 0 "${on_sim[@]}" -- bash -c '
	perfquery -R "$1" 2 0x1 && perfquery -x -R -a "$1" && perfquery "$1" 2 &&
	perfquery -x "$1" 3' - "$switch"
counter PortXmitDiscards 9
counter PortXmitData 0
[ "$(grep -c '^SymbolErrorCounter:\.*0$' <<<"$output")" = 2 ] || fail "not cleared: $output"

# Every attribute that OptionMask says is there, and none else.
for option in -X -S -D -E -T -c --oprcvcounters --flowctlcounters --vloppackets --vlopdata \
	--vlxmitflowctlerrors --vlxmitcounters --swportvlcong; do
	expect_status 0 "${on_sim[@]}" -- perfquery "$option" "$switch" 2
	counter PortSelect 2
	case $option in
	-c) ;;
	*) expect_status 0 "${on_sim[@]}" -- perfquery -r "$option" "$switch" 2 ;;
	esac
done
expect_status 0 "${on_sim[@]}" -- perfquery -D "$switch" 2
counter PortInactiveDiscards 8
expect_status 0 "${on_sim[@]}" -- perfquery --vlxmitcounters "$switch" 3
counter PortVLXmitWait5 44
expect_status 0 "${on_sim[@]}" -- perfquery -c "$switch" 2
counter OptionMask 0x018100001fffffc0
for option in --rcvcc --slrcvfecn --slrcvbecn --xmitcc --vlxmittimecc; do
	expect_status 255 "${on_sim[@]}" -- perfquery "$option" "$switch" 2
	expect_text "cannot query"
done
expect_status 255 "${on_sim[@]}" -- perfquery --swportvlcong "$host" 1
expect_status 255 "${on_sim[@]}" -- perfquery "$switch" 9

# The exit status 1 tells that there are errors.
expect_status 1 "${on_sim[@]}" -- ibqueryerrors --skip-sl --data --details
expect_text "port 2: [SymbolErrorCounter == 3 (3.000)] [PortXmitDiscards == 9 (9.000)]"
expect_text "[PortXmitData == 100000000000"
expect_text "[PortRcvErrors == 70000 "
expect_text "9 ports have errors beyond threshold"
# shellcheck disable=SC2016
expect_status 0 "${on_sim[@]}" -- bash -c '
	ibqueryerrors --skip-sl -k >/dev/null
	ibqueryerrors --skip-sl && perfquery -x "$1" 3' - "$switch"
expect_text "0 ports have errors beyond threshold"
counter PortXmitData 100000000000
# shellcheck disable=SC2016
expect_status 0 "${on_sim[@]}" -- bash -c '
	ibqueryerrors --skip-sl -K --counters >/dev/null; perfquery -x "$1" 3' - "$switch"
counter PortXmitData 0
counter SymbolErrorCounter 3

# A flow counts in time: 4 MB/s are 1,000,000 words, and each port that a packet crosses counts it.
# shellcheck disable=SC2016
expect_status 0 "$sim" --topology "$netlist" --routed --do "flow host1:1 host2:1 4M" -- bash -c '
	while ! perfquery "$1" 3 | grep -Eq "^PortXmitPkts:\.*[1-9]"; do :; done
	perfquery "$1" 1; perfquery -x "$1" 3' - "$switch"
expect_text PortRcvPkts
grep -Eq '^PortRcvData:\.*[1-9]' <<<"$output" || fail "no PortRcvData: $output"
grep -Eq '^PortUnicastXmitPkts:\.*[1-9]' <<<"$output" || fail "no packets: $output"

# The fabric itself counts a cable that was taken out and put in again.
expect_status 1 "${on_sim[@]}" --do "link switch1:3 down" -- ibqueryerrors --skip-sl --switch
expect_text "[LinkDownedCounter == 1 (1.000)]"
finish
