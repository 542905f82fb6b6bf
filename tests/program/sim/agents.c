/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents on the simulated umad device, and what becomes of them. Runs under madring-sim. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim_client.h"
#include "raw_agent.h"

#define MASK_LONGS (16 / sizeof(long))
#define TRAPS	   (1L << UMAD_METHOD_TRAP)
#define OUI	   0x001405

#define UMAD_AGENTS 32 /* agents of one file, at most */

static int register_for(int fd, uint8_t mgmt_class, long methods)
{
	long mask[MASK_LONGS] = { methods };

	errno = 0;
	return umad_register(fd, mgmt_class, 1, 0, mask);
}

static void test_numbers(void **state)
{
	int fd = client_open();
	uint32_t i;

	for (i = 0; i < UMAD_CA_MAX_AGENTS; i++)
		assert_int_equal(client_agent(fd), i);
	assert_true(register_for(fd, UMAD_CLASS_PERF_MGMT, 0) < 0);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(umad_unregister(fd, 5), 0);
	assert_int_equal(client_agent(fd), 5);
	umad_close_port(fd);
}

static void test_one_replier(void **state)
{
	int first = client_open(), second = client_open();

	assert_int_equal(register_for(first, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS), 0);
	assert_true(register_for(first, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS) < 0);
	assert_int_equal(errno, EINVAL);
	assert_true(register_for(second, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS | 2) < 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(register_for(second, UMAD_CLASS_SUBN_LID_ROUTED, 2), 0);
	assert_int_equal(register_for(second, UMAD_CLASS_SUBN_LID_ROUTED, 0), 1);
	umad_close_port(first);
	assert_int_equal(register_for(second, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS), 2);
	umad_close_port(second);
}

static void test_unknown_flags(void **state)
{
	struct umad_reg_attr attr = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.mgmt_class_version = 2,
		.flags = 0x80,
	};
	int fd = client_open();
	uint32_t agent;

	assert_int_equal(umad_register2(fd, &attr, &agent), EINVAL);
	attr.flags = UMAD_USER_RMPP;
	attr.rmpp_version = UMAD_RMPP_VERSION;
	assert_int_equal(umad_register2(fd, &attr, &agent), 0);
	umad_close_port(fd);
}

static void test_supported_flags_are_told(void **state)
{
	struct raw_agent asked = { .qpn = 1, .mgmt_class = UMAD_CLASS_PERF_MGMT, .flags = 0xf0 };
	int fd = client_open();

	assert_int_equal(raw_register2(fd, &asked), EINVAL);
	assert_int_equal(asked.flags, UMAD_USER_RMPP);
	umad_close_port(fd);
}

static void test_bad_registrations(void **state)
{
	struct raw_agent bad[] = {
		{ .qpn = 2, .mgmt_class = UMAD_CLASS_PERF_MGMT },
		{ .qpn = 0, .mgmt_class = UMAD_CLASS_PERF_MGMT },
		{ .qpn = 1, .mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED },
		{ .qpn = 1, .mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE },
		{ .qpn = 1, .mgmt_class = 0x50 },
		{ .qpn = 1, .mgmt_class = UMAD_CLASS_VENDOR_RANGE2_START },
		{ .qpn = 1, .mgmt_class = UMAD_CLASS_PERF_MGMT, .rmpp_version = 1 },
		{ .qpn = 1, .mgmt_class = UMAD_CLASS_SUBN_ADM, .rmpp_version = 2 },
	};
	struct raw_agent vendor = {
		.qpn = 1,
		.mgmt_class = UMAD_CLASS_VENDOR_RANGE2_START,
		.oui = OUI,
		.rmpp_version = 1,
	};
	int fd = client_open();
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(raw_register2(fd, &bad[i]), EINVAL);
	assert_int_equal(raw_register2(fd, &vendor), 0);
	umad_close_port(fd);
}

static void test_unregister(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd), other = client_agent(fd);

	client_send(fd, agent, 1, PORT_TO_DEAD, SHORT_MS / 2);
	client_send(fd, other, 1, HERE, PATIENCE_MS);
	assert_int_equal(umad_unregister(fd, (int)agent), 0);
	assert_int_equal(umad_unregister(fd, (int)agent), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(umad_unregister(fd, 99), -1);
	assert_int_equal(errno, EINVAL);
	client_expect_reply(fd, 1);
	client_expect_silence(fd);
	umad_close_port(fd);
}

/* A file without the P_Key ioctl speaks the shorter header. */
static void test_old_header(void **state)
{
	int fd = open("/dev/infiniband/umad0", O_RDWR);
	struct message message = client_request(0, 1, HERE, PATIENCE_MS);
	const struct raw_agent smi = { .mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE };
	const size_t header = sizeof(message.header) - 8;
	uint8_t old[sizeof(message) - 8];

	assert_true(fd >= 0);
	assert_int_equal(raw_register(fd, &smi), 0);
	assert_int_equal(raw_enable_pkey(fd), EINVAL);
	memcpy(old, &message, header);
	memcpy(old + header, &message.smp, sizeof(message.smp));
	assert_int_equal(write(fd, old, sizeof(old)), sizeof(old));
	memset(old, 0, sizeof(old));
	assert_int_equal(read(fd, old, sizeof(old)), sizeof(old));
	memcpy(&message.smp, old + header, sizeof(message.smp));
	assert_int_equal(client_low_tid(&message), 1);
	assert_int_equal(message.smp.method, UMAD_METHOD_GET_RESP);
	close(fd);
}

static void test_file_by_any_number(void **state)
{
	int fd = client_open(), copy = dup(fd), other;
	uint32_t agent = client_agent(copy);

	umad_close_port(fd);
	other = open("/dev/null", O_RDWR);
	assert_int_equal(other, fd);
	assert_int_equal(raw_enable_pkey(other), ENOTTY);
	assert_int_equal(client_agent(copy), agent + 1);
	client_send(copy, agent, 1, HERE, PATIENCE_MS);
	client_expect_reply(copy, 1);
	close(other);
	close(copy);
}

static void expect_written(int fd, uint32_t agent, size_t length, int error)
{
	struct message message = client_request(agent, 1, HERE, 0);
	ssize_t written = error ? -1 : (ssize_t)length;

	errno = 0;
	assert_int_equal(write(fd, &message, length), written);
	assert_int_equal(errno, error);
}

/* Checks that writes are refused as by ib_umad. @fd may be any number of the file. */
static void check_refused_writes(int fd, uint32_t agent)
{
	const size_t whole = sizeof(struct message), least = sizeof(struct ib_user_mad) + 36;

	expect_written(fd, agent, whole, 0);
	expect_written(fd, agent + 1, whole, EIO);
	expect_written(fd, UMAD_AGENTS - 1, whole, EIO);
	expect_written(fd, UMAD_AGENTS, whole, EINVAL);
	expect_written(fd, UINT32_MAX, whole, EINVAL);
	expect_written(fd, agent, least, 0);
	expect_written(fd, agent + 1, least, EIO);
	expect_written(fd, agent, 56 + 35, EINVAL);
	expect_written(fd, agent + 1, 56 + 35, EINVAL);
	expect_written(fd, agent, 0, EINVAL);
}

static void test_refused_writes(void **state)
{
	int fd = client_open(), copy = dup(fd);
	uint32_t agent = client_agent(fd);

	check_refused_writes(fd, agent);
	check_refused_writes(copy, agent);
	expect_written(fd, agent, sizeof(struct ib_user_mad) + 35, EINVAL);

	/* An agent belongs to the file, whichever of its numbers has registered it. */
	assert_int_equal(client_agent(copy), agent + 1);
	expect_written(fd, agent + 1, sizeof(struct message), 0);
	assert_int_equal(umad_unregister(fd, (int)agent), 0);
	expect_written(fd, agent, sizeof(struct message), EIO);
	expect_written(copy, agent, sizeof(struct message), EIO);
	close(copy);
	umad_close_port(fd);

	fd = client_open();
	expect_written(fd, agent, sizeof(struct message), EIO);
	umad_close_port(fd);
}

static void test_missing_device_is_refused(void **state)
{
	assert_int_equal(open("/dev/infiniband/umad77", O_RDWR), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(open("/dev/infiniband/other", O_RDWR), -1);
	assert_int_equal(errno, ENOENT);
}

/* A port has one subnet manager at a time, and says so. */
static void test_issm(void **state)
{
	int fd = open("/dev/infiniband/issm0", O_RDWR | O_NONBLOCK);
	umad_port_t port;
	int other;

	assert_true(fd >= 0);
	assert_int_equal(open("/dev/infiniband/issm0", O_RDWR | O_NONBLOCK), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
	do {
		fd = open("/dev/infiniband/issm0", O_RDWR | O_NONBLOCK);
	} while (fd < 0 && errno == EAGAIN);
	assert_true(fd >= 0);
	other = client_open(); /* by now the server has written its files */
	assert_int_equal(umad_get_port(NULL, 1, &port), 0);
	assert_true(be32toh(port.capmask) & 2);
	umad_release_port(&port);
	umad_close_port(other);
	close(fd);
}

static void die_holding_an_agent(int ready)
{
	int fd = umad_open_port(NULL, 0);
	int agent = register_for(fd, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS);
	struct message message = client_request((uint32_t)agent, 1, PORT_TO_DEAD, PATIENCE_MS);

	if (agent != 0 || write(fd, &message, sizeof(message)) != sizeof(message) ||
	    write(ready, "", 1) != 1)
		_exit(EXIT_FAILURE);
	for (;;)
		pause();
}

static void test_killed_program(void **state)
{
	int fd = client_open(), ready[2], agent;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		die_holding_an_agent(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_true(register_for(fd, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS) < 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	do {
		agent = register_for(fd, UMAD_CLASS_SUBN_LID_ROUTED, TRAPS);
	} while (agent < 0 && errno == EINVAL);
	assert_int_equal(agent, 0);
	umad_close_port(fd);
}

static void test_inherited_file(void **state)
{
	int fd = client_open(), status;
	uint32_t agent = client_agent(fd);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(umad_unregister(fd, (int)agent) ? EXIT_FAILURE : EXIT_SUCCESS);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(client_agent(fd), agent);
	umad_close_port(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_one_replier),
	cmocka_unit_test(test_unknown_flags),
	cmocka_unit_test(test_supported_flags_are_told),
	cmocka_unit_test(test_bad_registrations),
	cmocka_unit_test(test_unregister),
	cmocka_unit_test(test_old_header),
	cmocka_unit_test(test_file_by_any_number),
	cmocka_unit_test(test_refused_writes),
	cmocka_unit_test(test_missing_device_is_refused),
	cmocka_unit_test(test_issm),
	cmocka_unit_test(test_killed_program),
	cmocka_unit_test(test_inherited_file),
};

TEST_MAIN(tests, NULL, NULL)
