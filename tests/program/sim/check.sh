# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# The functions that the shell tests of madring-sim share. Each has the arguments: madring-sim, a
# netlist, flood.
set -u

sim=$(realpath "$1")
netlist=$(realpath "$2")
flood=$3
export flood

TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failed=0

fail()
{
	printf 'FAILED: %s\n' "$*" >&2
	failed=1
}

# expect_status STATUS COMMAND...: what the command says is left in $output.
expect_status()
{
	local expected=$1 status
	shift

	output=$(timeout 60 "$@" 2>&1)
	status=$?
	[ "$status" -eq "$expected" ] && return
	fail "status $status, not $expected: $*"
	printf '%s\n' "$output" >&2
}

# expect_text TEXT: it stands in the last output.
expect_text()
{
	case $output in
	*"$1"*) ;;
	*) fail "no '$1' in: $output" ;;
	esac
}

# Nothing may be left behind in the temporary folder.
finish()
{
	local left

	left=$(find "$TMPDIR" -maxdepth 1 -name 'madring-sim.*')
	[ -z "$left" ] || fail "left behind: $left"
	exit "$failed"
}
