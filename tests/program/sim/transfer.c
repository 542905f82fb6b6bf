/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending and receiving on the simulated umad device. Runs under madring-sim. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim_client.h"

#define UNREAD	   20000
#define TIMEOUT_MS 50

static void test_reply(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	struct message request = client_request(agent, 0x12345678, HERE, PATIENCE_MS), reply;

	request.smp.tid |= htobe64(UINT64_C(0xdeadbeef) << 32);
	client_write(fd, &request);
	assert_int_equal(client_read(fd, &reply), sizeof(reply));
	assert_int_equal(reply.header.agent_id, agent);
	assert_int_equal(reply.header.status, 0);
	assert_int_equal(reply.header.length, sizeof(reply));
	assert_int_equal(reply.header.addr.lid, 0xffff);
	assert_int_equal(reply.header.addr.qpn, 0);
	assert_int_equal(reply.header.addr.grh_present, 0);
	assert_int_equal(reply.smp.hop_ptr, 0);
	assert_int_equal(reply.smp.status, htobe16(0x8000));
	assert_int_equal(client_low_tid(&reply), 0x12345678);
	assert_int_not_equal(client_high_tid(&reply), 0xdeadbeef);
	assert_int_not_equal(client_high_tid(&reply), 0);
	umad_close_port(fd);
}

static void test_agents_have_their_own_tids(void **state)
{
	int fd = client_open();
	uint32_t first = client_agent(fd), second = client_agent(fd);
	struct message one, other;

	client_send(fd, first, 1, HERE, PATIENCE_MS);
	client_send(fd, second, 1, HERE, PATIENCE_MS);
	assert_int_equal(client_read(fd, &one), sizeof(one));
	assert_int_equal(client_read(fd, &other), sizeof(other));
	assert_int_equal(client_low_tid(&one), 1);
	assert_int_equal(client_low_tid(&other), 1);
	assert_int_not_equal(client_high_tid(&one), client_high_tid(&other));
	assert_int_not_equal(one.header.agent_id, other.header.agent_id);
	umad_close_port(fd);
}

static void test_timeout_notice(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	struct message request = client_request(agent, 7, PORT_TO_DEAD, TIMEOUT_MS), notice;

	request.header.retries = 2;
	client_write(fd, &request);
	memset(&notice, 0xee, sizeof(notice));
	assert_int_equal(client_read(fd, &notice), NOTICE_BYTES);
	assert_int_equal(notice.header.agent_id, agent);
	assert_int_equal(notice.header.status, ETIMEDOUT);
	assert_int_equal(notice.header.length, 0);
	assert_int_equal(notice.header.timeout_ms, TIMEOUT_MS);
	assert_int_equal(notice.header.retries, 2);
	assert_int_equal(notice.smp.method, UMAD_METHOD_GET);
	assert_int_equal(notice.smp.attr_id, htobe16(NODE_INFO));
	assert_int_equal(client_low_tid(&notice), 7);
	assert_int_equal(((uint8_t *)&notice)[NOTICE_BYTES], 0xee);
	client_expect_silence(fd);

	/* The TID may be used again. */
	client_send(fd, agent, 7, HERE, PATIENCE_MS);
	client_expect_reply(fd, 7);
	umad_close_port(fd);
}

static void test_negative_timeout_waits(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	client_send(fd, agent, 1, PORT_TO_DEAD, (uint32_t)-1);
	client_expect_silence(fd);
	client_send(fd, agent, 2, PORT_TO_HOST2, (uint32_t)-1);
	client_expect_reply(fd, 2);
	umad_close_port(fd);
}

static void test_no_reply_expected(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	client_send(fd, agent, 1, HERE, 0);
	client_send(fd, agent, 1, HERE, 0);
	client_send(fd, agent, 2, HERE, PATIENCE_MS);
	client_expect_reply(fd, 2);
	client_expect_silence(fd);
	umad_close_port(fd);
}

static void test_duplicate_is_dropped(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	client_send(fd, agent, 1, PORT_TO_DEAD, TIMEOUT_MS);
	client_send(fd, agent, 1, HERE, PATIENCE_MS);
	client_expect_notice(fd, 1);
	client_expect_silence(fd);
	umad_close_port(fd);
}

static void test_response_without_request_is_dropped(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	struct message response = client_request(agent, 1, HERE, 0);

	response.smp.method = UMAD_METHOD_GET_RESP;
	response.smp.status = htobe16(0x8000);
	response.smp.hop_ptr = 1;
	client_write(fd, &response);
	client_send(fd, agent, 2, HERE, PATIENCE_MS);
	client_expect_reply(fd, 2);
	client_expect_silence(fd);
	umad_close_port(fd);
}

static void test_malformed_writes_are_dropped(void **state)
{
	uint8_t long_message[2048] = { 0 };
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	struct message message = client_request(agent, 1, HERE, PATIENCE_MS);

	assert_int_equal(send(fd, &message, 0, 0), 0);
	assert_int_equal(send(fd, &message, 1, 0), 1);
	assert_int_equal(send(fd, &message, NOTICE_BYTES, 0), NOTICE_BYTES);
	memcpy(long_message, &message, sizeof(message));
	assert_int_equal(write(fd, long_message, sizeof(long_message)), sizeof(long_message));
	message.header.agent_id = agent + 1;
	assert_int_equal(send(fd, &message, sizeof(message), 0), sizeof(message));
	message.header.agent_id = UINT32_MAX;
	assert_int_equal(send(fd, &message, sizeof(message), 0), sizeof(message));

	client_send(fd, agent, 2, HERE, PATIENCE_MS);
	client_expect_reply(fd, 2);
	client_expect_silence(fd);
	umad_close_port(fd);
}

static void test_short_smp_is_padded(void **state)
{
	int fd = client_open();
	struct message message = client_request(client_agent(fd), 1, HERE, PATIENCE_MS);

	assert_int_equal(write(fd, &message, 64 + 64), 64 + 64);
	client_expect_reply(fd, 1);
	umad_close_port(fd);
}

/*
 * The kernel refuses to write such an SMP. Here a way to write that bypasses the library succeeds,
 * and the SMP is dropped all the same.
 */
static void expect_refused_route(int fd, const struct message *message)
{
	errno = 0;
	assert_int_equal(write(fd, message, sizeof(*message)), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(send(fd, message, sizeof(*message), 0), sizeof(*message));
}

static void test_bad_routes_are_refused(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);
	struct message message = client_request(agent, 1, PORT_TO_HOST2, PATIENCE_MS);

	message.smp.initial_path[1] = 2; /* not the port that the file is for */
	expect_refused_route(fd, &message);
	message.smp.initial_path[1] = 1;
	message.smp.hop_ptr = 1;
	expect_refused_route(fd, &message);
	message.smp.hop_ptr = 0;
	message.smp.hop_cnt = 255;
	expect_refused_route(fd, &message);
	client_send(fd, agent, 2, PORT_TO_HOST2, PATIENCE_MS);
	client_expect_reply(fd, 2);
	client_expect_silence(fd);
	umad_close_port(fd);
}

static void test_nonblocking_read(void **state)
{
	int fd = client_open();
	struct message message;

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(fd, &message, sizeof(message)), -1);
	assert_int_equal(errno, EAGAIN);
	umad_close_port(fd);
}

static void test_blocking_read(void **state)
{
	int fd = client_open();
	struct message message;

	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	client_send(fd, client_agent(fd), 1, PORT_TO_HOST2, PATIENCE_MS);
	assert_int_equal(read(fd, &message, sizeof(message)), sizeof(message));
	assert_int_equal(client_low_tid(&message), 1);
	umad_close_port(fd);
}

/* A program that never reads holds up no other, and gets all its replies when it does. */
static void test_unread_replies(void **state)
{
	int lazy = client_open(), busy = client_open(), i;
	uint32_t lazy_agent = client_agent(lazy), busy_agent = client_agent(busy);

	assert_int_equal(fcntl(lazy, F_SETFL, 0), 0);
	for (i = 0; i < UNREAD; i++)
		client_send(lazy, lazy_agent, (uint32_t)i, HERE, PATIENCE_MS);
	client_send(busy, busy_agent, 1, HERE, PATIENCE_MS);
	client_expect_reply(busy, 1);
	for (i = 0; i < UNREAD; i++)
		client_expect_reply(lazy, (uint32_t)i);
	umad_close_port(lazy);
	umad_close_port(busy);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_reply),
	cmocka_unit_test(test_agents_have_their_own_tids),
	cmocka_unit_test(test_timeout_notice),
	cmocka_unit_test(test_negative_timeout_waits),
	cmocka_unit_test(test_no_reply_expected),
	cmocka_unit_test(test_duplicate_is_dropped),
	cmocka_unit_test(test_response_without_request_is_dropped),
	cmocka_unit_test(test_malformed_writes_are_dropped),
	cmocka_unit_test(test_short_smp_is_padded),
	cmocka_unit_test(test_bad_routes_are_refused),
	cmocka_unit_test(test_nonblocking_read),
	cmocka_unit_test(test_blocking_read),
	cmocka_unit_test(test_unread_replies),
};

TEST_MAIN(tests, NULL, NULL)
