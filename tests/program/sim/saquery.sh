#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Real saquery asks real opensm, both on the simulated device: on one node, and on two.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

export OSM_TMP_DIR=$TMPDIR OSM_CACHE_DIR=$TMPDIR

# Runs in the command's shell: with a subnet manager on the first host, on whichever host it is
# for, each query leaves its output in a file of the host's and its own name.
cat >"$TMPDIR/query" <<'EOF'
log=$TMPDIR/opensm.log
rm -f "$log"
opensm --log_file "$log" -d2 >/dev/null 2>&1 &
until grep -qs 'SUBNET UP' "$log"; do
	kill -0 $! || exit 1
	sleep 0.05
done
for host in "$@"; do
	for query in -N -p -g "-L $host" "-P 1 NR"; do
		# shellcheck disable=SC2086 # a query may be two words
		SIM_HOST=$host saquery $query >"$TMPDIR/$host${query// /}" || exit 1
	done
done
kill $!
wait $!
! grep ERR "$log"
EOF

# expect_lines COUNT FILE TEXT: so many lines of the file hold the text.
expect_lines()
{
	local count

	count=$(grep -c "$3" "$TMPDIR/$2")
	[ "$count" -eq "$1" ] || fail "$2: $count lines with '$3', not $1"
}

# 128 hosts of one port each, and 80 switches.
expect_status 0 "$sim" --generate fat-tree:radix=8,levels=3 --stats "$TMPDIR/stats.json" -- \
	bash "$TMPDIR/query" host-00-00 host-31-03
for host in host-00-00 host-31-03; do
	expect_lines 208 "$host-N" 'NodeRecord dump'
	expect_lines 208 "$host-P1NR" 'NodeRecord dump'
	expect_lines 43264 "$host-p" 'PathRecord dump'
	expect_lines 1 "$host-L$host" '^[0-9]'
	expect_lines 1 "$host-g" 'MCMemberRecord group dump'
done
cmp "$TMPDIR/host-00-00-N" "$TMPDIR/host-31-03-N" || fail "two answers"
finish
