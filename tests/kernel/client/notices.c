/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's notice that nobody has answered, and the engine that takes it. Played by plain write
 * and read, with each attempt's timeout shortened on its way to the kernel: the engine's own timers
 * are far away, and it is the notice alone that ends an attempt.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counterpart.h"
#include "engine/engine.h"

#define CLASS	    0x03 /* nobody serves it at the second port */
#define LID	    2
#define QKEY	    0x80010000u
#define REQUESTS    64
#define ATTEMPTS    5
#define FIRST_MS    100000u
#define SHORT_MS    50
#define PATIENCE_MS 60000
#define NS_PER_MS   1000000u

struct message {
	union {
		struct ib_user_mad umad;
		uint8_t header[sizeof(struct ib_user_mad)];
	};
	uint8_t mad[MADRING_MAD_BYTES];
};

static struct engine *engine;
static unsigned int agent;
static int fd;
static struct message request[REQUESTS];
static uint64_t tids[REQUESTS * ATTEMPTS];
static unsigned int written;

static void open_engine(void)
{
	const struct engine_config config = {
		.transactions = REQUESTS,
		.agents = 1,
		.lanes = 1,
		.flows = REQUESTS,
		.tick_ns = NS_PER_MS,
		.seed = 1,
	};

	assert_int_equal(engine_open(&engine, &config), 0);
	engine_lane_open(engine, 0);
}

static void open_agent(void)
{
	const struct counterpart_agent wanted = { .mgmt_class = CLASS, .class_version = 1 };
	struct engine_agent_config config = {
		.window = REQUESTS,
		.flow_window = REQUESTS,
		.pin_window = true,
		.pin_flow_window = true,
		.first_timeout_ns = (uint64_t)FIRST_MS * NS_PER_MS,
		.min_timeout_ns = NS_PER_MS,
		.max_timeout_ns = (uint64_t)FIRST_MS * NS_PER_MS,
		.attempts = ATTEMPTS,
		.lane_count = 1,
	};
	int kernels;

	fd = counterpart_open(NULL, 1);
	assert_true(fd >= 0);
	kernels = counterpart_register(fd, &wanted);
	assert_true(kernels >= 0);
	config.lane[0].agent_id = (uint32_t)kernels;
	agent = (unsigned int)engine_agent_open(engine, &config);
}

static void send_request(struct message *message)
{
	const struct engine_request how = { .umad = &message->umad, .length = MADRING_MAD_BYTES };
	const struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = MADRING_GET,
		.attr_id = htobe16(0x11),
	};
	uint64_t id;

	message->umad.addr.lid = htobe16(LID);
	message->umad.addr.qpn = htobe32(1);
	message->umad.addr.qkey = htobe32(QKEY);
	memcpy(message->mad, &header, sizeof(header));
	assert_int_equal(engine_send(engine, agent, &how, &id), 0);
}

static void write_attempts(void)
{
	struct engine_write write_now;
	struct madring_mad_hdr header;
	unsigned int count = 0;

	while (engine_next_write(engine, 0, &write_now)) {
		struct message message;

		memcpy(&message, write_now.umad, write_now.bytes);
		assert_true(message.umad.timeout_ms >= FIRST_MS);
		message.umad.timeout_ms = SHORT_MS;
		assert_int_equal(write(fd, &message, write_now.bytes), write_now.bytes);
		engine_write_done(engine, write_now.id, 0, 0);
		memcpy(&header, message.mad, sizeof(header));
		tids[written++] = header.tid;
		count++;
	}
	assert_int_equal(count, REQUESTS);
}

static void read_notices(void)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };

	for (unsigned int count = 0; count < REQUESTS; count++) {
		struct message message;
		ssize_t bytes;

		assert_int_equal(poll(&readable, 1, PATIENCE_MS), 1);
		bytes = read(fd, &message, sizeof(message));
		assert_true(bytes > 0);
		assert_int_equal(engine_receive(engine, 0, &message.umad, (size_t)bytes, 0),
				 ENGINE_NOTICE);
	}
}

static int compare(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(tids[0]));
}

static void test_notices_alone_lead_to_retries_and_to_the_end(void **state)
{
	struct engine_completion completion;

	open_engine();
	open_agent();
	for (unsigned int i = 0; i < REQUESTS; i++)
		send_request(&request[i]);
	for (unsigned int attempt = 1; attempt <= ATTEMPTS; attempt++) {
		assert_false(engine_next_completion(engine, &completion));
		write_attempts();
		read_notices();
	}
	for (unsigned int i = 0; i < REQUESTS; i++) {
		assert_true(engine_next_completion(engine, &completion));
		assert_int_equal(completion.status, -ETIMEDOUT);
		assert_int_equal(completion.attempts, ATTEMPTS);
	}
	assert_int_equal(engine_outstanding(engine), 0);
	assert_int_equal(engine_stats(engine)->notices, REQUESTS * ATTEMPTS);
	assert_int_equal(engine_stats(engine)->retried, REQUESTS * (ATTEMPTS - 1));
	qsort(tids, written, sizeof(tids[0]), compare);
	for (unsigned int i = 1; i < written; i++)
		assert_true(tids[i] != tids[i - 1]);
	counterpart_close(fd);
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_notices_alone_lead_to_retries_and_to_the_end),
};

TEST_MAIN(tests, NULL, NULL)
