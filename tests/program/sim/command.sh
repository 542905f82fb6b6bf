#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# madring-sim starts its command, passes signals and its exit status on, and complains.
# shellcheck disable=SC1091,SC2154 # check.sh is read here, and sets the variables
. "$(dirname "$0")/check.sh"

on_sim=("$sim" --topology "$netlist")

# Bash starts what runs in the background with SIGINT and SIGQUIT ignored, and nohup ignores SIGHUP.
# run_in_background COMMAND...: sets $pid once the command has made the file $TMPDIR/ready.
run_in_background()
{
	rm -f "$TMPDIR/ready"
	env --default-signal=INT,QUIT,HUP "${on_sim[@]}" -- "$@" &
	pid=$!
	while [ ! -e "$TMPDIR/ready" ] && kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
}

expect_end()
{
	local expected=$1 status

	wait "$pid"
	status=$?
	[ "$status" -eq "$expected" ] || fail "ended with $status, not $expected"
}

# shellcheck disable=SC2016 # expanded by the command's shell
signals_reach_the_command()
{
	local name

	for name in INT TERM HUP QUIT; do
		run_in_background bash -c \
			'trap "exit 33" '"$name"'; touch "$TMPDIR/ready"; while :; do sleep 0.05; done'
		kill -s "$name" "$pid"
		expect_end 33
	done
	run_in_background bash -c 'touch "$TMPDIR/ready"; exec sleep 60'
	kill -s TERM "$pid"
	expect_end $((128 + 15))
}

# shellcheck disable=SC2016 # expanded by the inner shell
options_that_are_wrong()
{
	expect_status 2 "$sim"
	expect_text --topology
	expect_status 2 "$sim" --topology "$netlist"
	expect_text command
	expect_status 2 "$sim" --topology "$netlist" --generate fat-tree:radix=4 -- true
	expect_status 2 "$sim" --topology "$TMPDIR/none" -- true
	expect_text "$TMPDIR/none"
	expect_status 2 "$sim" --generate nonsense -- true
	expect_text nonsense
	expect_status 2 "${on_sim[@]}" --loss 1.5 -- true
	expect_text 1.5
	expect_status 2 "${on_sim[@]}" --loss some -- true
	expect_status 2 "${on_sim[@]}" --seed -1 -- true
	expect_status 2 "${on_sim[@]}" --dead nobody -- true
	expect_text nobody
	expect_status 2 "${on_sim[@]}" --attach nobody -- true
	expect_text nobody
	expect_status 2 "${on_sim[@]}" --attach host1:3 -- true
	expect_status 2 "${on_sim[@]}" --attach switch1:1 -- true
	expect_text switch1:1
	expect_status 2 "${on_sim[@]}" --stats /nonexistent/file -- true
	expect_text /nonexistent/file
	expect_status 2 "${on_sim[@]}" --unknown -- true
	expect_status 2 "${on_sim[@]}" -- /nonexistent/command
	expect_text /nonexistent/command
	expect_status 2 env MADRING_SIM_SHIM=/nonexistent/library "${on_sim[@]}" -- true
	expect_text /nonexistent/library
	expect_status 2 env TMPDIR=/nonexistent "${on_sim[@]}" -- true
	expect_text TMPDIR
	expect_status 0 "$sim" --help
	expect_text --attach
	expect_status 0 "$sim" --version
	expect_status 2 sh -c '"$1" --version >/dev/full' sh "$sim"
	expect_text "standard output"
}

# Programs see the kernel that is imitated, and no other.
kernels()
{
	local files='/proc/sys/kernel/osrelease /sys/module/ib_core/parameters/recv_queue_size'

	expect_status 0 "${on_sim[@]}" -- uname -r
	expect_text 6.12.0-madring-sim
	# shellcheck disable=SC2086 # two words
	expect_status 0 "${on_sim[@]}" -- cat $files
	expect_text $'6.12.0-madring-sim\n512'
	# shellcheck disable=SC2086 # two words
	expect_status 0 "${on_sim[@]}" --kernel 7.3 --recv-queue-size 128 -- cat $files
	expect_text $'7.3.0-madring-sim\n128'
	expect_status 0 "${on_sim[@]}" --kernel 6.1 -- env SIM_HOST=nobody uname -r
	[ "$output" = 6.1.0-madring-sim ] || fail "uname says: $output"
	expect_status 2 "${on_sim[@]}" --kernel 6.2 -- true
	expect_text '6.1, 6.12 and 7.3'
	expect_status 2 "${on_sim[@]}" --recv-queue-size 63 -- true
	expect_status 2 "${on_sim[@]}" --recv-queue-size 8193 -- true
	expect_status 2 "${on_sim[@]}" --device /dev/null --kernel 7.3 -- true
	expect_text --kernel
	expect_status 2 "${on_sim[@]}" --device /dev/null --recv-queue-size 512 -- true
	expect_text --recv-queue-size
}

# The command gets what the caller has set up: closed streams, an ignored SIGCHLD, relative paths.
# shellcheck disable=SC2016 # expanded by the inner shells
surroundings()
{
	expect_status 0 sh -c '"$@" <&- >&- 2>&-' sh "${on_sim[@]}" -- ibstat -l
	expect_status 2 sh -c '"$@" <&- >&-' sh "${on_sim[@]}" -- /nonexistent/command
	expect_text /nonexistent/command
	expect_status 7 timeout -s KILL 30 env --ignore-signal=CHLD "${on_sim[@]}" -- sh -c 'exit 7'
	cd "$TMPDIR" || fail "no $TMPDIR"
	expect_status 0 env TMPDIR=. "${on_sim[@]}" -- sh -c 'cd / && ibstat -l'
	expect_text simib0
	ln -s "$(dirname "$sim")/shim/libmadring-sim-shim.so" shim.so
	expect_status 0 env MADRING_SIM_SHIM=./shim.so "${on_sim[@]}" -- sh -c 'cd / && ibstat -l'
	expect_text simib0
	cd "$OLDPWD" || fail "no $OLDPWD"
}

expect_status 0 "${on_sim[@]}" -- true
expect_status 7 "${on_sim[@]}" -- sh -c 'exit 7'
expect_status 137 "${on_sim[@]}" -- sh -c 'kill -KILL $$'
signals_reach_the_command
options_that_are_wrong
kernels
surroundings
finish
