/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <madring.h>

#include "fabrics.h"

#define PROGRAM	    "vhca-fabric"
#define PORT_ACTIVE 4
#define GUID_TEXT   32
#define PATIENCE    10000 /* times a millisecond */

/* Becomes a fabric: executes the program PROGRAM, which stands beside this one. */
static void execute(uint64_t guid, bool mute)
{
	char path[PATH_MAX], program[PATH_MAX + sizeof(PROGRAM)], text[GUID_TEXT];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		_exit(EXIT_FAILURE);
	path[length] = '\0';
	snprintf(program, sizeof(program), "%s/" PROGRAM, dirname(path));
	snprintf(text, sizeof(text), "%#llx", (unsigned long long)guid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl(program, PROGRAM, "--guid", text, mute ? "--mute" : NULL, NULL);
	_exit(EXIT_FAILURE);
}

static void read_name(int fd, char name[UMAD_CA_NAME_LEN])
{
	size_t length = 0;

	while (!memchr(name, '\n', length)) {
		ssize_t got = read(fd, name + length, UMAD_CA_NAME_LEN - length);

		assert_true(got > 0);
		length += (size_t)got;
	}
	*(char *)memchr(name, '\n', length) = '\0';
}

static bool is_active(const char *ca_name)
{
	struct madring_ca_port *port;
	bool active;

	if (madring_ca_port_get(ca_name, 1, &port))
		return false;
	active = port->state == PORT_ACTIVE;
	madring_ca_port_release(port);
	return active;
}

void fabric_start(struct fabric *fabric, uint64_t guid, bool mute)
{
	unsigned int tries = 0;
	int said[2];

	assert_int_equal(pipe(said), 0);
	fabric->pid = fork();
	assert_true(fabric->pid >= 0);
	if (!fabric->pid) {
		dup2(said[1], STDOUT_FILENO);
		close(said[0]);
		close(said[1]);
		execute(guid, mute);
	}
	close(said[1]);
	read_name(said[0], fabric->ca_name);
	close(said[0]);
	while (!is_active(fabric->ca_name)) {
		assert_true(++tries < PATIENCE);
		usleep(1000);
	}
}

void fabric_kill(const struct fabric *fabric)
{
	assert_int_equal(kill(fabric->pid, SIGKILL), 0);
}

void fabric_reap(const struct fabric *fabric)
{
	assert_int_equal(waitpid(fabric->pid, NULL, 0), fabric->pid);
}
