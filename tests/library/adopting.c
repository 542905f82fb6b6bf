/* SPDX-License-Identifier: BSD-2-Clause */
/* An adopted file: each MAD there goes to madring or to the program, and none is lost. */
#include "library_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

#define CLASS_VENDOR 0x0a
#define REQUESTS     200
#define LAST_BYTE    0x5a /* of a long message */

/* A program with a umad file and agents of its own, and the fixture that adopts them. */
struct program {
	int fd;
	uint32_t client;   /* to be adopted */
	uint32_t replier;  /* to be adopted, too; receives Gets of the vendor class */
	uint32_t stranger; /* which madring never hears of */
	struct fixture fixture;
	struct madring_agent *server;
	/* The count of MADs handed over by kind, the last one, and its agent. */
	unsigned int others, requests, gone, cut;
	struct ib_user_mad last;
	uint8_t last_mad[MADRING_MAD_BYTES];
	size_t last_length;
};

static uint32_t agent_of(int fd, uint8_t mgmt_class, uint64_t methods)
{
	const struct device_agent agent = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method_mask = { methods },
	};
	uint32_t id;

	assert_int_equal(device_agent_register(fd, &agent, &id), 0);
	return id;
}

static void on_others(const struct madring_received *received)
{
	struct program *program = received->user;

	assert_null(received->agent);
	if (received->status == -ENODEV) {
		assert_null(received->mad);
		program->gone++;
		return;
	}
	assert_true(received->length >= sizeof(struct madring_mad_hdr));
	program->others++;
	program->cut += received->status == -EMSGSIZE;
	program->last = *madring_mad_umad(received->mad);
	program->last_length = received->length;
	memcpy(program->last_mad, madring_mad_data(received->mad),
	       received->length < MADRING_MAD_BYTES ? received->length : MADRING_MAD_BYTES);
	if (received->length > MADRING_MAD_BYTES)
		assert_int_equal(((uint8_t *)madring_mad_data(received->mad))[received->length - 1],
				 LAST_BYTE);
}

static void on_request(const struct madring_received *received)
{
	struct program *program = received->user;

	if (received->status == -ENODEV) {
		assert_null(received->mad);
		program->gone++;
		return;
	}
	assert_ptr_equal(received->agent, program->server);
	program->requests++;
}

/* Opens a file with agents, and a ring that has adopted none of them yet. */
static void open_program(struct program *program, uint32_t reads, uint64_t message_bytes)
{
	const struct madring_config config = {
		.transactions = 1024,
		.reads = reads,
		.message_bytes = message_bytes,
		.receive = fixture_receive(),
		.seed = 1,
	};

	memset(program, 0, sizeof(*program));
	fake_reset(0, 0);
	program->fd = device_lane_open(NULL);
	assert_true(program->fd >= 0);
	program->stranger = agent_of(program->fd, CLASS_VENDOR + 1, 1 << MADRING_SET);
	program->client = agent_of(program->fd, CLASS_SA, 0);
	program->replier = agent_of(program->fd, CLASS_VENDOR, 1 << MADRING_GET);
	assert_int_equal(madring_open(&program->fixture.ring, &config), 0);
}

static void adopt_file(struct program *program, uint32_t queue)
{
	const struct madring_adopt_config config = {
		.receive = on_others,
		.receive_user = program,
		.receive_queue = queue,
	};

	assert_int_equal(madring_port_adopt(program->fixture.ring, program->fd, &config,
					    &program->fixture.port),
			 0);
}

static void adopt_agents(struct program *program)
{
	const struct madring_agent_config client = {
		.mgmt_class = CLASS_SA,
		.class_version = 1,
		.timeout_ms = MADRING_FOREVER,
	};
	const struct madring_agent_config server = {
		.mgmt_class = CLASS_VENDOR,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET },
		.receive = on_request,
		.receive_user = program,
	};

	assert_int_equal(madring_agent_adopt(program->fixture.port, program->client, &client,
					     &program->fixture.agent),
			 0);
	assert_int_equal(madring_agent_adopt(program->fixture.port, program->replier, &server,
					     &program->server),
			 0);
}

static void adopt_all(struct program *program)
{
	open_program(program, 256, 0);
	adopt_file(program, 0);
	adopt_agents(program);
}

/* Closes the ring, and checks that the program's file and agents are as they were. */
static void close_program(struct program *program)
{
	assert_int_equal(madring_close(program->fixture.ring), 0);
	assert_int_equal(fake_agents(), 3);
	assert_int_equal(fake_lanes(), 1);
	device_agent_unregister(program->fd, program->stranger);
	device_agent_unregister(program->fd, program->client);
	device_agent_unregister(program->fd, program->replier);
	device_lane_close(program->fd);
	fake_reset(0, 0);
}

/* Writes a request to the file without madring. */
static void write_own(const struct program *program, uint32_t agent_id, uint32_t tid)
{
	const struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = CLASS_SA,
		.class_version = 1,
		.method = MADRING_GET,
		.tid = htobe64(tid),
		.attr_id = htobe16(0x11),
	};
	struct fake_umad umad = { .umad.agent_id = agent_id, .umad.timeout_ms = 1000 };

	umad.umad.addr.lid = htobe16(1);
	memcpy(umad.mad, &header, sizeof(header));
	assert_int_equal(write(program->fd, umad.bytes, FAKE_BYTES), FAKE_BYTES);
}

static void step(struct program *program)
{
	for (unsigned int turn = 0; turn < 4; turn++)
		assert_true(madring_step(program->fixture.ring) >= 0);
}

/* The program's TID and madring's differ in the highest bit alone. */
static void test_adopted_agents_get_their_own_replies(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad ours, own;
	struct madring_stats stats;
	struct program program;
	uint32_t tid;

	adopt_all(&program);
	for (unsigned int i = 1; i <= REQUESTS; i++) {
		fixture_send(&program.fixture, 1, &outcomes);
		step(&program);
		assert_true(fake_take(&ours));
		memcpy(&tid, ours.mad + 12, sizeof(tid));
		tid = be32toh(tid);
		assert_true(tid & 0x80000000);
		assert_int_equal(ours.umad.agent_id, program.client);
		write_own(&program, program.client, tid & 0x7fffffff);
		assert_true(fake_take(&own));
		fake_answer(&own);
		step(&program);
		assert_int_equal(outcomes.count, i - 1);
		assert_int_equal(program.others, i);
		assert_int_equal(program.last.agent_id, program.client);
		assert_memory_equal(program.last_mad + 8, own.mad + 8, 8);
		fake_answer(&ours);
		step(&program);
		assert_int_equal(outcomes.count, i);
		assert_int_equal(outcomes.last_status, 0);
		assert_int_equal(program.others, i);
	}
	madring_get_stats(program.fixture.ring, &stats);
	assert_int_equal(stats.others, REQUESTS);
	assert_int_equal(stats.unmatched, 0);
	close_program(&program);
}

static void test_agents_that_madring_does_not_know(void **state)
{
	struct fake_umad umad;
	struct program program;

	adopt_all(&program);
	/* Whatever the TID is. */
	for (uint32_t tid = 0x7fffffff; tid <= 0x80000001; tid++) {
		write_own(&program, program.stranger, tid);
		assert_true(fake_take(&umad));
		fake_answer(&umad);
	}
	assert_true(fake_request(&umad, CLASS_VENDOR + 1, MADRING_SET, 5));
	fake_send(&umad);
	umad.umad.agent_id = 31;
	fake_send(&umad);
	umad.umad.agent_id = UINT32_MAX;
	fake_send(&umad);
	step(&program);
	assert_int_equal(program.others, 6);
	assert_int_equal(program.last.agent_id, UINT32_MAX);
	close_program(&program);
}

static void test_notices_go_to_the_sender(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad ours, own;
	struct program program;

	adopt_all(&program);
	fixture_send(&program.fixture, 1, &outcomes);
	step(&program);
	assert_true(fake_take(&ours));
	write_own(&program, program.client, 7);
	assert_true(fake_take(&own));
	fake_notice(&own);
	step(&program);
	assert_int_equal(program.others, 1);
	assert_int_equal(program.last.status, ETIMEDOUT);
	assert_int_equal(program.last_length, sizeof(struct madring_mad_hdr));
	assert_int_equal(outcomes.count, 0);
	fake_notice(&ours);
	fixture_wait(&program.fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, -ETIMEDOUT);
	assert_int_equal(program.others, 1);
	/* A response that could not be sent is of who answers requests: here madring. */
	assert_true(fake_request(&own, CLASS_VENDOR, MADRING_GET, 9));
	fake_make_reply(&own);
	fake_notice(&own);
	own.umad.agent_id = program.client;
	fake_notice(&own);
	step(&program);
	assert_int_equal(program.others, 2);
	assert_int_equal(program.last.agent_id, program.client);
	close_program(&program);
}

static void test_requests_reach_their_adopted_agent(void **state)
{
	struct program program;
	struct fake_umad umad;

	adopt_all(&program);
	assert_true(fake_request(&umad, CLASS_VENDOR, MADRING_GET, 1));
	fake_send(&umad);
	/* The agent `client` has no callback for requests. */
	umad.umad.agent_id = program.client;
	fake_send(&umad);
	step(&program);
	assert_int_equal(program.requests, 1);
	assert_int_equal(program.others, 1);
	/* The agent `replier` is madring's no more. */
	assert_int_equal(madring_agent_close(program.server), 0);
	umad.umad.agent_id = program.replier;
	fake_send(&umad);
	step(&program);
	assert_int_equal(program.requests, 1);
	assert_int_equal(program.others, 2);
	close_program(&program);
}

/* MADs stay in the kernel if they came before the adoption, and exceed the room for them. */
static void test_mads_without_room_wait_in_the_kernel(void **state)
{
	struct program program;
	struct fake_umad umad;
	struct madring_stats stats;

	open_program(&program, 512, 0);
	assert_true(fake_request(&umad, CLASS_VENDOR + 1, MADRING_SET, 1));
	for (unsigned int i = 0; i < 1000; i++)
		fake_send(&umad);
	adopt_file(&program, 4);
	adopt_agents(&program);
	while (program.others < 1000)
		assert_true(madring_run(program.fixture.ring, -1) >= 0);
	madring_get_stats(program.fixture.ring, &stats);
	assert_true(stats.requests_left > 1);
	assert_int_equal(stats.unsolicited, 0);
	close_program(&program);
}

static void send_long(const struct program *program, size_t length)
{
	struct fake_umad umad = { .umad.agent_id = program->stranger };
	size_t bytes = sizeof(umad.umad) + length;
	uint8_t *message = calloc(1, bytes);

	assert_non_null(message);
	assert_true(fake_request(&umad, CLASS_VENDOR + 1, MADRING_SET, 5));
	umad.umad.length = (uint32_t)bytes;
	memcpy(message, umad.bytes, FAKE_BYTES);
	message[bytes - 1] = LAST_BYTE;
	fake_send_message(0, message, bytes);
	free(message);
}

/*
 * A long message is whole where there is room; else the program learns that there is more. Messages
 * behind it come, too.
 */
static void test_messages_longer_than_a_mad(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct program program;
		struct fake_umad umad;

		open_program(&program, 256, i ? 1 << 20 : 0);
		adopt_file(&program, 0);
		adopt_agents(&program);
		send_long(&program, 100000);
		while (program.others < 1)
			assert_true(madring_run(program.fixture.ring, -1) >= 0);
		assert_int_equal(program.cut, i ? 0 : 1);
		assert_int_equal(program.last_length, i ? 100000 : MADRING_MAD_BYTES);
		assert_int_equal(program.last.length, sizeof(program.last) + 100000);
		assert_true(fake_request(&umad, CLASS_VENDOR + 1, MADRING_SET, 6));
		fake_send(&umad);
		while (program.others < 2)
			assert_true(madring_run(program.fixture.ring, -1) >= 0);
		assert_int_equal(program.last_length, MADRING_MAD_BYTES);
		close_program(&program);
	}
}

/* Acknowledges a segment of the response. */
static void acknowledge(const struct fake_umad *segment)
{
	struct fake_umad ack = *segment;
	uint32_t last = htobe32(100);

	ack.mad[3] ^= MADRING_RESPONSE_BIT;
	ack.mad[25] = 2;
	memcpy(ack.mad + 32, &last, sizeof(last));
	fake_send(&ack);
}

/* The program takes the requests, and answers by madring in segments; it learns of their ACKs. */
static void test_an_answer_in_segments(void **state)
{
	const size_t length = MADRING_SA_DATA + 2000;
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 1,
		.rmpp = MADRING_RMPP_USER,
	};
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.length = length,
		.no_reply = true,
	};
	struct program program;
	struct fake_umad umad;
	struct madring_agent *agent;
	struct madring_mad *mad;

	open_program(&program, 256, 1 << 20);
	adopt_file(&program, 0);
	assert_int_equal(madring_agent_adopt(program.fixture.port, program.client, &config, &agent),
			 0);
	mad = madring_mad_alloc_message(agent, length);
	assert_non_null(mad);
	madring_gmp_prepare(mad, 7, MADRING_GET_TABLE_RESP, 0x35, 0);
	madring_mad_header(mad)->tid = htobe64(9);
	madring_rmpp_prepare(mad);
	assert_int_equal(madring_send(agent, mad, &send), 0);
	while (!outcomes.count) {
		assert_true(madring_step(program.fixture.ring) >= 0);
		while (fake_take(&umad))
			acknowledge(&umad);
	}
	assert_int_equal(outcomes.last_status, 0);
	assert_int_equal(program.others, 0);
	close_program(&program);
}

/* Reads the file as the program does when it is its own again. */
static unsigned int read_rest(const struct program *program)
{
	struct fake_umad umad;
	unsigned int count = 0;

	while (read(program->fd, umad.bytes, sizeof(umad.bytes)) == FAKE_BYTES)
		count++;
	assert_int_equal(errno, EAGAIN);
	return count;
}

static void test_closing_hands_over_read_mads(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad ours, umad, own;
	struct madring_stats stats;
	struct program program;
	unsigned int rest;

	adopt_all(&program);
	fixture_send(&program.fixture, 1, &outcomes);
	step(&program);
	assert_true(fake_take(&ours));
	write_own(&program, program.client, 7);
	assert_true(fake_take(&own));
	fake_make_reply(&own);
	fake_make_reply(&ours);
	assert_true(fake_request(&umad, CLASS_VENDOR, MADRING_GET, 1));
	/*
	 * Read by reads that are under way, but for what they have no room for, and not looked at.
	 */
	for (unsigned int i = 0; i < 100; i++) {
		fake_send(&own);
		fake_send(&umad);
		fake_send(&ours);
	}
	assert_int_equal(madring_port_close(program.fixture.port), 0);
	assert_int_equal(outcomes.count, 0);
	assert_int_equal(madring_step(program.fixture.ring), 1);
	assert_int_equal(outcomes.last_status, -ECANCELED);
	/* The program alone still reads the file. */
	fake_send(&own);
	step(&program);
	rest = read_rest(&program);
	madring_get_stats(program.fixture.ring, &stats);
	assert_true(rest >= 1);
	assert_int_equal(stats.received + rest, 301);
	assert_int_equal(program.others + program.requests + stats.unmatched, stats.received);
	assert_int_equal(program.gone, 0);
	close_program(&program);
}

static void on_reply_close(const struct madring_completion *completion)
{
	struct program *program = completion->user;
	struct madring_mad *mad = completion->mad;

	assert_int_equal(completion->status, 0);
	assert_int_equal(madring_port_close(program->fixture.port), 0);
	/* The MAD of this callback is still there, and may be kept. */
	assert_int_equal(fixture_mark(madring_mad_data(mad)), 77);
	assert_int_equal(madring_mad_keep(program->fixture.ring, mad), 0);
	madring_mad_free(program->fixture.ring, mad);
	program->gone = 1000;
}

static void test_a_callback_may_close_the_port(void **state)
{
	struct fake_umad umad, request;
	struct program program;
	struct madring_send_options send = { .callback = on_reply_close, .user = &program };

	adopt_all(&program);
	assert_int_equal(madring_send(program.fixture.agent,
				      fixture_request(&program.fixture, 1, 77), &send),
			 0);
	step(&program);
	assert_true(fake_take(&umad));
	fake_answer(&umad);
	assert_true(fake_request(&request, CLASS_VENDOR, MADRING_GET, 1));
	for (unsigned int i = 0; i < 20; i++)
		fake_send(&request);
	while (program.gone < 1000)
		assert_true(madring_run(program.fixture.ring, -1) > 0);
	assert_int_equal(program.requests + read_rest(&program), 20);
	close_program(&program);
}

static void test_the_file_is_blocking_again(void **state)
{
	struct program program;

	for (unsigned int i = 0; i < 2; i++) {
		int flags;

		open_program(&program, 64, 0);
		flags = fcntl(program.fd, F_GETFL) & ~O_NONBLOCK;
		flags |= i ? O_NONBLOCK : 0;
		assert_int_equal(fcntl(program.fd, F_SETFL, flags), 0);
		adopt_file(&program, 0);
		assert_true(fcntl(program.fd, F_GETFL) & O_NONBLOCK);
		assert_int_equal(madring_port_close(program.fixture.port), 0);
		assert_int_equal(fcntl(program.fd, F_GETFL), flags);
		close_program(&program);
	}
}

static void test_adopted_file_takes_agents_of_madring(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = 4, .class_version = 1 };
	struct madring_agent *agent;
	struct program program;

	adopt_all(&program);
	assert_int_equal(madring_agent_open(program.fixture.port, &config, &agent), 0);
	assert_int_equal(fake_agents(), 4);
	assert_int_equal(madring_port_close(program.fixture.port), 0);
	assert_int_equal(fake_agents(), 3);
	close_program(&program);
}

static void test_the_device_goes(void **state)
{
	struct outcomes outcomes = { 0 };
	struct program program;

	adopt_all(&program);
	fixture_send(&program.fixture, 10, &outcomes);
	step(&program);
	fake_remove();
	fixture_wait(&program.fixture, &outcomes, 10);
	assert_int_equal(outcomes.last_status, -ENODEV);
	step(&program);
	/* Each agent that receives has learnt of it, so there is nothing left to wait for. */
	assert_int_equal(program.gone, 2);
	assert_int_equal(madring_run(program.fixture.ring, -1), 0);
	close_program(&program);
}

static void test_unfit_files_are_not_adopted(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = 4, .class_version = 1 };
	static const struct madring_adopt_config bad[] = {
		{ .receive = NULL },
		{ .receive = on_others, .receive_queue = MADRING_MAX_RECEIVED + 1 },
	};
	struct madring_port *port = NULL, *ordinary;
	struct madring_agent *agent = NULL;
	struct program program;
	struct madring *ring;

	adopt_all(&program);
	ring = program.fixture.ring;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(madring_port_adopt(ring, 0, &bad[i], &port), -EINVAL);
	assert_int_equal(madring_port_adopt(ring, 0, NULL, &port), -EINVAL);
	assert_null(port);
	assert_int_equal(madring_agent_adopt(program.fixture.port, program.stranger, NULL, &agent),
			 -EINVAL);
	assert_int_equal(madring_port_open(ring, NULL, 0,
					   &(struct madring_port_config){ .lanes = 1 }, &ordinary),
			 0);
	assert_int_equal(madring_agent_adopt(ordinary, 0, &config, &agent), -EINVAL);
	assert_null(agent);
	assert_int_equal(madring_port_close(ordinary), 0);
	close_program(&program);
}

/* The file takes a place among the ring's agents, and gives it back. */
static void test_adopted_file_takes_the_place_of_an_agent(void **state)
{
	const struct madring_config config = {
		.transactions = 64,
		.reads = 64,
		.agents = 1,
		.receive = fixture_receive(),
	};
	const struct madring_agent_config own = { .mgmt_class = 4, .class_version = 1 };
	const struct madring_adopt_config file = { .receive = on_others };
	struct madring_agent *agent;
	struct program program;

	open_program(&program, 64, 0);
	assert_int_equal(madring_close(program.fixture.ring), 0);
	assert_int_equal(madring_open(&program.fixture.ring, &config), 0);
	for (unsigned int i = 0; i < 3; i++) {
		struct madring_port *port, *adopted;

		assert_int_equal(madring_port_open(program.fixture.ring, NULL, 0,
						   &(struct madring_port_config){ .lanes = 1 },
						   &port),
				 0);
		assert_int_equal(madring_agent_open(port, &own, &agent), 0);
		assert_int_equal(
			madring_port_adopt(program.fixture.ring, program.fd, &file, &adopted),
			-ENOSPC);
		assert_int_equal(madring_port_close(port), 0);
		assert_int_equal(
			madring_port_adopt(program.fixture.ring, program.fd, &file, &adopted), 0);
		assert_int_equal(madring_port_close(adopted), 0);
	}
	close_program(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_adopted_agents_get_their_own_replies),
	cmocka_unit_test(test_agents_that_madring_does_not_know),
	cmocka_unit_test(test_notices_go_to_the_sender),
	cmocka_unit_test(test_requests_reach_their_adopted_agent),
	cmocka_unit_test(test_mads_without_room_wait_in_the_kernel),
	cmocka_unit_test(test_messages_longer_than_a_mad),
	cmocka_unit_test(test_an_answer_in_segments),
	cmocka_unit_test(test_closing_hands_over_read_mads),
	cmocka_unit_test(test_a_callback_may_close_the_port),
	cmocka_unit_test(test_the_file_is_blocking_again),
	cmocka_unit_test(test_adopted_file_takes_agents_of_madring),
	cmocka_unit_test(test_the_device_goes),
	cmocka_unit_test(test_unfit_files_are_not_adopted),
	cmocka_unit_test(test_adopted_file_takes_the_place_of_an_agent),
};

TEST_MAIN(tests, NULL, NULL)
