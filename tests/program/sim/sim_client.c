/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "sim_client.h"

int client_open(void)
{
	int fd = umad_open_port(NULL, 0);

	assert_true(fd >= 0);
	return fd;
}

uint32_t client_agent(int fd)
{
	int agent = umad_register(fd, UMAD_CLASS_SUBN_DIRECTED_ROUTE, 1, 0, NULL);

	assert_true(agent >= 0);
	return (uint32_t)agent;
}

struct message client_request(uint32_t agent, uint32_t tid, unsigned int switch_port,
			      uint32_t timeout_ms)
{
	struct message message = { 0 };

	message.header.agent_id = agent;
	message.header.timeout_ms = timeout_ms;
	message.header.addr.lid = 0xffff;
	message.smp.base_version = UMAD_BASE_VERSION;
	message.smp.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	message.smp.class_version = 1;
	message.smp.method = UMAD_METHOD_GET;
	message.smp.tid = htobe64(tid);
	message.smp.attr_id = htobe16(NODE_INFO);
	message.smp.dr_slid = 0xffff;
	message.smp.dr_dlid = 0xffff;
	if (switch_port) {
		message.smp.hop_cnt = 2;
		message.smp.initial_path[1] = 1;
		message.smp.initial_path[2] = (uint8_t)switch_port;
	}
	return message;
}

void client_write(int fd, const struct message *message)
{
	assert_int_equal(write(fd, message, sizeof(*message)), sizeof(*message));
}

void client_send(int fd, uint32_t agent, uint32_t tid, unsigned int switch_port,
		 uint32_t timeout_ms)
{
	struct message message = client_request(agent, tid, switch_port, timeout_ms);

	client_write(fd, &message);
}

ssize_t client_read(int fd, struct message *message)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&readable, 1, PATIENCE_MS), 1);
	return read(fd, message, sizeof(*message));
}

void client_expect_reply(int fd, uint32_t tid)
{
	struct message message;

	assert_int_equal(client_read(fd, &message), sizeof(message));
	assert_int_equal(message.header.status, 0);
	assert_int_equal(message.header.length, sizeof(message));
	assert_int_equal(message.smp.method, UMAD_METHOD_GET_RESP);
	assert_int_equal(client_low_tid(&message), tid);
}

void client_expect_notice(int fd, uint32_t tid)
{
	struct message message;

	assert_int_equal(client_read(fd, &message), NOTICE_BYTES);
	assert_int_equal(message.header.status, ETIMEDOUT);
	assert_int_equal(message.header.length, 0);
	assert_int_equal(message.smp.method, UMAD_METHOD_GET);
	assert_int_equal(client_low_tid(&message), tid);
}

void client_expect_silence(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&readable, 1, SHORT_MS), 0);
}

uint32_t client_low_tid(const struct message *message)
{
	return (uint32_t)be64toh(message->smp.tid);
}

uint32_t client_high_tid(const struct message *message)
{
	return (uint32_t)(be64toh(message->smp.tid) >> 32);
}
