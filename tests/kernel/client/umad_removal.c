/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * removal PID COUNT: the fabric, whose process is PID and which answers nothing, is killed with
 * COUNT requests pending. The open file then says that the device is gone, and nothing else.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/sim/sim_client.h"

static pid_t fabric;
static unsigned int count;

static void test_the_fabric_is_killed(void **state)
{
	struct message message;
	struct pollfd file = { .fd = client_open(), .events = POLLIN };
	uint32_t agent = client_agent(file.fd);

	for (unsigned int i = 1; i <= count; i++)
		client_send(file.fd, agent, i, PORT_TO_HOST2, PATIENCE_MS);
	assert_int_equal(kill(fabric, SIGKILL), 0);
	do
		assert_int_equal(poll(&file, 1, PATIENCE_MS), 1);
	while (!(file.revents & POLLERR));
	assert_int_equal(read(file.fd, &message, sizeof(message)), -1);
	assert_int_equal(errno, EIO);
	message = client_request(agent, 1, PORT_TO_HOST2, PATIENCE_MS);
	assert_int_equal(write(file.fd, &message, sizeof(message)), -1);
	assert_int_equal(errno, EIO);
	umad_close_port(file.fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_fabric_is_killed),
	};

	if (argc != 3) {
		fprintf(stderr, "usage: removal PID COUNT\n");
		return EXIT_FAILURE;
	}
	fabric = (pid_t)strtol(argv[1], NULL, 10);
	count = (unsigned int)strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
