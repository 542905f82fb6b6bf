/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that are received, and their answers. */
#include "library_fixture.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLASS_TEST 0x09
#define HEADER	   sizeof(struct ib_user_mad)
#define MARK	   100

enum what { ANSWER, KEEP, IGNORE, CLOSE };

static struct {
	struct fixture *fixture;
	struct madring_agent *agent;
	enum what what;
	unsigned int count, too_long;
	unsigned char seen[4096];
	struct madring_mad *kept[64];
	size_t last_length;
} now;

static void answer(const struct madring_received *received)
{
	const struct madring_send_options send = { .no_reply = true };
	struct madring_mad *mad = madring_mad_alloc(received->agent);

	assert_non_null(mad);
	madring_response_prepare(mad, received->mad);
	assert_int_equal(madring_send(received->agent, mad, &send), 0);
}

static void on_request(const struct madring_received *received)
{
	uint64_t tid;

	assert_ptr_equal(received->user, &now);
	assert_ptr_equal(received->agent, now.agent);
	tid = be64toh(madring_mad_header(received->mad)->tid);
	now.seen[(uint32_t)tid % sizeof(now.seen)]++;
	now.last_length = received->length;
	now.count++;
	now.too_long += received->status == -EMSGSIZE;
	switch (now.what) {
	case ANSWER:
		answer(received);
		break;
	case KEEP:
		assert_int_equal(madring_mad_keep(now.fixture->ring, received->mad), 0);
		now.kept[now.count - 1] = received->mad;
		break;
	case IGNORE:
		break;
	case CLOSE:
		assert_int_equal(madring_agent_close(received->agent), 0);
		break;
	}
}

/* Get, Set and Trap. */
static const struct madring_agent_config replier = {
	.mgmt_class = CLASS_TEST,
	.class_version = 1,
	.method_mask = { 1 << MADRING_GET | 1 << MADRING_SET | 1 << MADRING_TRAP },
	.receive = on_request,
	.receive_user = &now,
};

static void begin(struct fixture *fixture, const struct madring_config *config,
		  const struct madring_agent_config *agent, enum what what)
{
	memset(&now, 0, sizeof(now));
	now.fixture = fixture;
	now.what = what;
	fixture_open(fixture, config, &fixture_patient);
	assert_int_equal(madring_agent_open(fixture->port, agent, &now.agent), 0);
}

static void ask(unsigned int tid, uint8_t method)
{
	struct fake_umad umad;

	assert_true(fake_request(&umad, CLASS_TEST, method, tid));
	fake_send(&umad);
}

static void wait_for(struct fixture *fixture, unsigned int count)
{
	while (now.count < count)
		assert_true(madring_run(fixture->ring, 1000) >= 0);
	assert_int_equal(now.count, count);
}

static void test_request_is_called_back_once_and_answered(void **state)
{
	struct madring_mad_hdr header;
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, ANSWER);
	for (unsigned int i = 0; i < 1000; i++) {
		assert_true(fake_request(&umad, CLASS_TEST, MADRING_GET,
					 UINT64_C(0x1234567800000000) | i));
		fake_send(&umad);
		if (i % 50 == 49)
			wait_for(&fixture, i + 1);
	}
	for (unsigned int i = 0; i < 1000; i++) {
		assert_int_equal(now.seen[i], 1);
		fixture_take(&fixture, &umad);
		memcpy(&header, umad.mad, sizeof(header));
		assert_int_equal(header.method, MADRING_GET_RESP);
		assert_int_equal(be64toh(header.tid) >> 32, 0x12345678);
		assert_int_equal(umad.umad.addr.lid, htobe16(77));
		assert_int_equal(umad.umad.addr.qpn, htobe32(1));
		assert_int_equal(umad.umad.addr.qkey, htobe32(0x80010000));
		assert_int_equal(umad.umad.timeout_ms, 0);
	}
	fixture_drain(&fixture);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.requests, 1000);
	assert_int_equal(stats.unsolicited, 0);
	assert_int_equal(stats.pool_plain_in_use, 256);
	fixture_close(&fixture);
}

static void *ask_later(void *unused)
{
	usleep(50000);
	ask(1, MADRING_TRAP);
	return NULL;
}

static void test_run_waits_for_requests_alone(void **state)
{
	struct fixture fixture;
	pthread_t thread;

	begin(&fixture, NULL, &replier, IGNORE);
	assert_int_equal(madring_run(fixture.ring, 20), 0);
	assert_int_equal(pthread_create(&thread, NULL, ask_later, NULL), 0);
	assert_int_equal(madring_run(fixture.ring, -1), 1);
	assert_int_equal(now.count, 1);
	pthread_join(thread, NULL);
	/* The run does not wait when no agent receives requests. */
	assert_int_equal(madring_agent_close(now.agent), 0);
	assert_int_equal(madring_run(fixture.ring, -1), 0);
	fixture_close(&fixture);
}

static void test_the_fd_tells_of_requests(void **state)
{
	struct pollfd ready = { .events = POLLIN };
	struct fixture fixture;

	begin(&fixture, NULL, &replier, IGNORE);
	ready.fd = madring_fd(fixture.ring);
	assert_int_equal(madring_step(fixture.ring), 0);
	while (poll(&ready, 1, 20))
		assert_int_equal(madring_step(fixture.ring), 0);
	ask(1, MADRING_GET);
	while (!now.count) {
		assert_int_equal(poll(&ready, 1, 10000), 1);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	fixture_close(&fixture);
}

/* Requests beyond the queue's bound stay in the file, and none is lost. Other lanes go on. */
static void test_full_queue_leaves_requests_in_the_kernel(void **state)
{
	enum { REQUESTS = 1000 };
	const struct madring_config config = { .lanes = 2, .reads = 256 };
	struct madring_agent_config small = replier;
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	small.receive_queue = 8;
	begin(&fixture, &config, &small, IGNORE);
	for (unsigned int i = 0; i < REQUESTS; i++)
		ask(i, MADRING_GET);
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_true(madring_submit(fixture.ring) >= 0);
	madring_get_stats(fixture.ring, &stats);
	assert_in_range(stats.received, 8, 8 + 128);
	assert_int_equal(stats.requests_left, 1);
	assert_int_equal(now.count, 0);

	/* Replies, which come by the other lane. */
	fixture_send(&fixture, 2, &outcomes);
	for (unsigned int i = 0; i < 2; i++) {
		while (!fake_take(&umad))
			assert_true(madring_submit(fixture.ring) >= 0);
		fake_answer(&umad);
	}
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_true(madring_submit(fixture.ring) >= 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.replies, 2);

	/* The requests are called back one by one, and more are read when half of them have. */
	while (now.count < REQUESTS) {
		assert_true(madring_submit(fixture.ring) >= 0);
		assert_true(madring_dispatch(fixture.ring, 1) >= 0);
	}
	for (unsigned int i = 0; i < REQUESTS; i++)
		assert_int_equal(now.seen[i], 1);
	fixture_wait(&fixture, &outcomes, 2);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.requests, REQUESTS);
	assert_int_equal(stats.unsolicited, 0);
	assert_true(stats.requests_left > 1);
	fixture_close(&fixture);
}

static void test_requests_are_kept_and_answered_in_place(void **state)
{
	const struct madring_send_options send = { .no_reply = true };
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, KEEP);
	for (unsigned int i = 0; i < 40; i++)
		ask(i, MADRING_SET);
	wait_for(&fixture, 40);
	for (unsigned int i = 0; i < 40; i++) {
		madring_response_prepare(now.kept[i], now.kept[i]);
		assert_int_equal(madring_send(now.agent, now.kept[i], &send), 0);
	}
	for (unsigned int i = 0; i < 40; i++) {
		fixture_take(&fixture, &umad);
		assert_int_equal(umad.mad[3], MADRING_GET_RESP);
		assert_int_equal(umad.mad[15], i);
	}
	fixture_drain(&fixture);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_plain_in_use, 256);
	fixture_close(&fixture);
}

/* Sends a request in segments, of @length bytes of MAD. */
static void ask_long(unsigned int tid, size_t length)
{
	uint8_t *message = calloc(1, HEADER + length);
	struct fake_umad umad;

	assert_non_null(message);
	assert_true(fake_request(&umad, CLASS_TEST, MADRING_GET, tid));
	umad.umad.length = (uint32_t)(HEADER + length);
	memcpy(message, umad.bytes, FAKE_BYTES);
	message[HEADER + MARK] = 123;
	fake_send_message(umad.lane, message, HEADER + length);
	free(message);
}

static void test_long_requests_are_received(void **state)
{
	const struct madring_config config = { .message_bytes = 1 << 20, .lanes = 1 };
	struct madring_agent_config rmpp = replier;
	struct madring_stats stats;
	struct fixture fixture;

	rmpp.rmpp = MADRING_RMPP_KERNEL;
	begin(&fixture, &config, &rmpp, KEEP);
	ask_long(0, 100000);
	ask(1, MADRING_GET);
	wait_for(&fixture, 2);
	assert_int_equal(((uint8_t *)madring_mad_data(now.kept[0]))[MARK], 123);
	assert_true(madring_mad_room(fixture.ring, now.kept[0]) >= 100000);
	ask_long(2, 2 << 20);
	wait_for(&fixture, 3);
	assert_int_equal(now.too_long, 1);
	assert_int_equal(now.last_length, MADRING_MAD_BYTES);
	assert_int_equal(madring_mad_umad(now.kept[2])->length, HEADER + (2 << 20));
	assert_int_equal(((uint8_t *)madring_mad_data(now.kept[2]))[MARK], 123);
	now.what = IGNORE;
	ask_long(3, 2 << 20);
	ask_long(4, 1000);
	wait_for(&fixture, 5);
	assert_int_equal(now.last_length, 1000);
	for (unsigned int i = 0; i < 3; i++)
		madring_mad_free(fixture.ring, now.kept[i]);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_plain_in_use, 256);
	assert_int_equal(stats.pool_message_in_use, 0);
	assert_int_equal(stats.requests, 5);
	fixture_close(&fixture);
}

static void test_an_agent_closes_with_some_waiting(void **state)
{
	struct madring_stats stats;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, IGNORE);
	for (unsigned int i = 0; i < 20; i++)
		ask(i, MADRING_GET);
	do {
		assert_true(madring_submit(fixture.ring) >= 0);
		madring_get_stats(fixture.ring, &stats);
	} while (stats.received < 20);
	assert_int_equal(madring_agent_close(now.agent), 0);
	assert_int_equal(madring_run(fixture.ring, -1), 0);
	assert_int_equal(now.count, 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.unsolicited, 20);
	assert_int_equal(stats.pool_plain_in_use, 256);

	/* The agent is closed from its own callback. */
	now.what = CLOSE;
	assert_int_equal(madring_agent_open(fixture.port, &replier, &now.agent), 0);
	for (unsigned int i = 0; i < 20; i++)
		ask(i, MADRING_GET);
	do {
		assert_true(madring_submit(fixture.ring) >= 0);
		madring_get_stats(fixture.ring, &stats);
	} while (stats.received < 40);
	assert_int_equal(madring_dispatch(fixture.ring, 0), 1);
	assert_int_equal(now.count, 1);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.unsolicited, 39);
	assert_int_equal(stats.pool_plain_in_use, 256);
	fixture_close(&fixture);
}

/* Several agents share the lanes evenly, and their queues are served in turn. */
static void test_several_agents(void **state)
{
	enum { AGENTS = 4 };
	const struct madring_config lanes = { .lanes = 4 };
	struct madring_agent_config config = replier;
	struct madring_agent *agent[AGENTS];
	bool used[AGENTS] = { false };
	struct madring_agent *refused;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, &lanes, &replier, IGNORE);
	assert_int_equal(fake_agents(), 4 + 1);
	assert_int_equal(madring_agent_close(now.agent), 0);
	assert_int_equal(fake_agents(), 4);
	for (unsigned int i = 0; i < AGENTS; i++) {
		config.mgmt_class = (uint8_t)(CLASS_TEST + i);
		assert_int_equal(madring_agent_open(fixture.port, &config, &agent[i]), 0);
		assert_int_equal(fake_agents(), 4 + i + 1);
		assert_true(fake_request(&umad, config.mgmt_class, MADRING_GET, 1));
		assert_false(used[umad.lane]);
		used[umad.lane] = true;
	}
	assert_int_equal(madring_agent_open(fixture.port, &config, &refused), -EADDRINUSE);
	config.method_mask[0] = 1 << MADRING_REPORT;
	assert_int_equal(madring_agent_open(fixture.port, &config, &refused), 0);
	assert_int_equal(fake_agents(), 4 + AGENTS + 1);
	fixture_close(&fixture);
}

static void test_wrong_registrations_are_refused(void **state)
{
	const struct madring_agent_config bad[] = {
		{ .mgmt_class = 4, .class_version = 1, .method_mask = { 2 } },
		{ .mgmt_class = 4, .class_version = 1, .receive = on_request },
		{ .mgmt_class = 3,
		  .class_version = 2,
		  .rmpp = MADRING_RMPP_KERNEL,
		  .flags = UMAD_USER_RMPP },
		{ .mgmt_class = 4,
		  .class_version = 1,
		  .method_mask = { 0, 2 },
		  .receive = on_request,
		  .receive_queue = MADRING_MAX_RECEIVED + 1 },
	};
	const struct madring_config lanes = { .lanes = 4 };
	struct madring_agent_config config = replier;
	uint32_t flags_supported = 99;
	struct madring_agent *agent;
	struct fixture fixture;

	begin(&fixture, &lanes, &replier, IGNORE);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(madring_agent_open(fixture.port, &bad[i], &agent), -EINVAL);
	config.flags_supported = &flags_supported;
	assert_int_equal(madring_agent_open(fixture.port, &config, &agent), -EADDRINUSE);
	assert_int_equal(flags_supported, 0);
	config.flags = 6 | UMAD_USER_RMPP;
	assert_int_equal(madring_agent_open(fixture.port, &config, &agent), -ENOPROTOOPT);
	assert_int_equal(flags_supported, UMAD_USER_RMPP);
	config.flags_supported = NULL;
	assert_int_equal(madring_agent_open(fixture.port, &config, &agent), -ENOPROTOOPT);
	assert_int_equal(fake_agents(), 4 + 1);
	fixture_close(&fixture);
}

/* The requests go to an agent that is open, but receives none. */
static void test_unwanted_requests_are_dropped(void **state)
{
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, IGNORE);
	assert_true(fake_request(&umad, CLASS_TEST, MADRING_GET, 1));
	for (uint32_t id = 0; id < 64; id++) {
		if (id == 1)
			continue;
		umad.umad.agent_id = id;
		fake_send(&umad);
	}
	umad.umad.agent_id = UINT32_MAX;
	fake_send(&umad);
	do {
		assert_int_equal(madring_run(fixture.ring, 0), 0);
		madring_get_stats(fixture.ring, &stats);
	} while (stats.received < 64);
	assert_int_equal(stats.unsolicited, 64);
	assert_int_equal(now.count, 0);
	fixture_close(&fixture);
}

static void test_completions_and_requests_share_a_budget(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, IGNORE);
	fixture_send(&fixture, 8, &outcomes);
	assert_int_equal(madring_submit(fixture.ring), 8);
	for (unsigned int i = 0; i < 8; i++) {
		assert_true(fake_take(&umad));
		fake_answer(&umad);
		ask(i, MADRING_GET);
	}
	do {
		assert_true(madring_submit(fixture.ring) >= 0);
		madring_get_stats(fixture.ring, &stats);
	} while (stats.received < 16);
	assert_int_equal(madring_dispatch(fixture.ring, 10), 10);
	assert_int_equal(outcomes.count, 5);
	assert_int_equal(now.count, 5);
	assert_int_equal(madring_dispatch(fixture.ring, 0), 6);
	assert_int_equal(madring_dispatch(fixture.ring, 0), 0);
	fixture_close(&fixture);
}

static const struct {
	uint8_t mgmt_class, method, response;
	uint16_t status;
} responses[] = {
	{ 0x04, MADRING_GET, MADRING_GET_RESP, 0 },
	{ 0x04, MADRING_SET, MADRING_GET_RESP, 0 },
	{ 0x81, MADRING_SET, MADRING_GET_RESP, 0x8000 },
	{ 0x01, MADRING_TRAP, MADRING_TRAP_REPRESS, 0 },
	{ 0x03, MADRING_REPORT, MADRING_REPORT_RESP, 0 },
	{ 0x03, MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 0 },
	{ 0x03, MADRING_GET_MULTI, MADRING_GET_MULTI_RESP, 0 },
	{ 0x03, MADRING_DELETE, MADRING_DELETE_RESP, 0 },
};

static void test_responses(void **state)
{
	struct madring_mad *mad, *request;
	struct madring_mad_hdr *header;
	struct ib_user_mad *umad;
	struct fixture fixture;

	begin(&fixture, NULL, &replier, IGNORE);
	mad = madring_mad_alloc(now.agent);
	request = madring_mad_alloc(now.agent);
	for (unsigned int i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		bool smp = responses[i].mgmt_class & 1 && responses[i].mgmt_class != 3;

		memset(request, 0x5a, HEADER + MADRING_MAD_BYTES);
		madring_mad_header(request)->mgmt_class = responses[i].mgmt_class;
		madring_mad_header(request)->method = responses[i].method;
		madring_mad_umad(request)->addr.qpn = smp ? 0 : htobe32(1);
		madring_response_prepare(mad, request);
		umad = madring_mad_umad(mad);
		assert_int_equal(umad->status, 0);
		assert_int_equal(umad->timeout_ms, 0);
		assert_int_equal(umad->addr.lid, 0x5a5a);
		assert_int_equal(umad->addr.sl, 0x5a);
		assert_int_equal(umad->addr.path_bits, 0x5a);
		assert_int_equal(umad->addr.pkey_index, 0x5a5a);
		assert_int_equal(umad->addr.grh_present, 0x5a);
		assert_int_equal(umad->addr.gid_index, 0x5a);
		assert_int_equal(umad->addr.gid[15], 0x5a);
		assert_int_equal(umad->addr.qkey, smp ? 0 : htobe32(0x80010000));
		header = madring_mad_header(mad);
		assert_int_equal(header->method, responses[i].response);
		assert_int_equal(header->status, htobe16(responses[i].status));
		assert_int_equal(header->tid, UINT64_C(0x5a5a5a5a5a5a5a5a));
		assert_int_equal(header->attr_id, 0x5a5a);
		assert_int_equal(madring_rmpp_header(mad)->flags,
				 responses[i].mgmt_class == 3 ? 0 : 0x5a);
		assert_memory_equal((uint8_t *)madring_mad_data(mad) + 36,
				    (uint8_t *)madring_mad_data(request) + 36,
				    MADRING_MAD_BYTES - 36);
	}
	madring_mad_free(fixture.ring, mad);
	madring_mad_free(fixture.ring, request);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_request_is_called_back_once_and_answered),
	cmocka_unit_test(test_run_waits_for_requests_alone),
	cmocka_unit_test(test_the_fd_tells_of_requests),
	cmocka_unit_test(test_full_queue_leaves_requests_in_the_kernel),
	cmocka_unit_test(test_requests_are_kept_and_answered_in_place),
	cmocka_unit_test(test_long_requests_are_received),
	cmocka_unit_test(test_an_agent_closes_with_some_waiting),
	cmocka_unit_test(test_several_agents),
	cmocka_unit_test(test_wrong_registrations_are_refused),
	cmocka_unit_test(test_unwanted_requests_are_dropped),
	cmocka_unit_test(test_completions_and_requests_share_a_budget),
	cmocka_unit_test(test_responses),
};

TEST_MAIN(tests, NULL, NULL)
