/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine by hand: timeouts, TIDs, order and limits, where the simulation is too random. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_fixture.h"
#include "rmpp/format.h"

static int open_with(uint32_t transactions, uint32_t agents, uint32_t lanes, uint32_t flows,
		     uint64_t tick_ns)
{
	const struct engine_config config = { .transactions = transactions,
					      .agents = agents,
					      .lanes = lanes,
					      .flows = flows,
					      .tick_ns = tick_ns };
	struct engine *engine = NULL;
	int error = engine_open(&engine, &config);

	engine_close(engine);
	return error;
}

static void test_limits(void **state)
{
	assert_int_equal(open_with(1, 1, 1, 1, 1), 0);
	assert_int_equal(open_with(MADRING_MAX_TRANSACTIONS, MADRING_MAX_AGENTS, MADRING_MAX_LANES,
				   MADRING_MAX_TRANSACTIONS, 1),
			 0);
	assert_int_equal(open_with(0, 1, 1, 1, 1), -EINVAL);
	assert_int_equal(
		open_with(MADRING_MAX_TRANSACTIONS + 1, 1, 1, MADRING_MAX_TRANSACTIONS + 1, 1),
		-EINVAL);
	assert_int_equal(open_with(1, 0, 1, 1, 1), -EINVAL);
	assert_int_equal(open_with(1, MADRING_MAX_AGENTS + 1, 1, 1, 1), -EINVAL);
	assert_int_equal(open_with(1, 1, 0, 1, 1), -EINVAL);
	assert_int_equal(open_with(1, 1, MADRING_MAX_LANES + 1, 1, 1), -EINVAL);
	assert_int_equal(open_with(8, 1, 1, 7, 1), -EINVAL);
	assert_int_equal(open_with(1, 1, 1, 1, 0), -EINVAL);
}

/* Returns the time of the next write; steps a tick at a time from @now on. */
static uint64_t next_write_at(struct engine *engine, uint64_t now)
{
	struct engine_write write;

	for (;; now += MS) {
		engine_advance(engine, now);
		if (engine_next_write(engine, now, &write)) {
			engine_write_done(engine, write.id, 0, now);
			return now;
		}
		assert_true(now < 100000 * MS);
	}
}

/*
 * The first timeout is as configured. Each next one doubles, an eighth shorter or longer, up to the
 * maximum.
 */
static void test_backoff(void **state)
{
	struct engine *engine = fixture_open(4, MS, MS);
	struct engine_agent_config config = fixture_agent();
	struct engine_completion completion;
	struct buffer request;
	uint64_t sent, expected = 250 * MS, total = 0;
	int agent = engine_agent_open(engine, &config);

	fixture_request(&request, 7, 0x12);
	fixture_send(engine, (unsigned int)agent, &request);
	sent = next_write_at(engine, MS);
	assert_int_equal(sent, MS);
	for (unsigned int attempt = 2; attempt <= 8; attempt++) {
		uint64_t retry = next_write_at(engine, sent);
		uint64_t most = expected + (attempt > 2 ? expected / 8 : 0);

		if (most > 1000 * MS)
			most = 1000 * MS;
		assert_in_range(retry - sent, expected - (attempt > 2 ? expected / 8 : 0),
				most + MS);
		expected = 2 * expected > 1000 * MS ? 1000 * MS : 2 * expected;
		total += retry - sent;
		sent = retry;
	}
	assert_true(total > 5000 * MS);
	assert_false(engine_next_completion(engine, &completion));
	engine_advance(engine, sent + 1001 * MS);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, -ETIMEDOUT);
	assert_int_equal(completion.attempts, 8);
	engine_close(engine);
}

/* Replies of 40 ms make for a timeout near that, one of 1 us for no less than the minimum. */
static void test_timeout_follows_round_trip(void **state)
{
	static const uint64_t rtts[] = { 40 * MS, MS / 1000 };
	for (unsigned int i = 0; i < 2; i++) {
		struct engine *engine = fixture_open(4, MS, MS);
		struct engine_agent_config config = fixture_agent();
		unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
		struct engine_agent_state before, after;
		struct engine_completion completion;
		struct buffer request, reply;
		uint64_t now = MS;

		engine_agent_state(engine, agent, &before);
		assert_int_equal(before.timeout_ns, 250 * MS);
		for (int turn = 0; turn < 100; turn++) {
			fixture_request(&request, 7, 0x12);
			fixture_send(engine, agent, &request);
			fixture_reply(&reply, fixture_write(engine, now).umad);
			now += rtts[i];
			assert_int_equal(fixture_receive(engine, &reply, now), ENGINE_REPLY);
			assert_true(engine_next_completion(engine, &completion));
			assert_int_equal(completion.rtt_ns, rtts[i]);
		}
		engine_agent_state(engine, agent, &after);
		/* A destination that has not answered yet has twice the time of the others. */
		assert_in_range(after.timeout_ns, i ? 25 * MS : 80 * MS, i ? 25 * MS : 100 * MS);
		assert_int_equal(engine_stats(engine)->rtt.count, 100);
		engine_close(engine);
	}
}

/* The generation of one slot goes round, because all others are taken for ever. */
static void test_tid_wraps(void **state)
{
	const uint32_t slots = 4096, turns = 3 * (1u << 19);
	struct engine *engine = fixture_open(slots, MS, MS);
	struct engine_agent_config config = fixture_agent();
	struct buffer *waiting = calloc(slots, sizeof(*waiting));
	struct engine_completion completion;
	struct buffer request, reply, old;
	uint32_t first = 0, tid = 0, wraps = 0;
	unsigned int agent;

	assert_non_null(waiting);
	config.pin_window = config.pin_flow_window = config.pin_timeout = true;
	config.flow_window = slots;
	config.first_timeout_ns = ENGINE_NEVER;
	config.attempts = 1;
	agent = (unsigned int)engine_agent_open(engine, &config);
	for (uint32_t i = 0; i < slots - 1; i++) {
		fixture_request(&waiting[i], 7, 0x12);
		fixture_send(engine, agent, &waiting[i]);
		fixture_write(engine, MS);
	}
	for (uint32_t turn = 0; turn < turns; turn++) {
		uint32_t last = tid;

		fixture_request(&request, 7, 0x12);
		fixture_send(engine, agent, &request);
		fixture_reply(&reply, fixture_write(engine, MS).umad);
		tid = fixture_tid(&reply.umad);
		assert_true(tid & 0x80000000);
		if (!turn) {
			first = tid;
		} else {
			assert_int_not_equal(tid, last);
			assert_int_equal(fixture_receive(engine, &old, MS), ENGINE_UNMATCHED);
		}
		wraps += turn && tid == first;
		old = reply;
		assert_int_equal(fixture_receive(engine, &reply, MS), ENGINE_REPLY);
		assert_true(engine_next_completion(engine, &completion));
		assert_ptr_equal(completion.user, &request);
	}
	assert_int_equal(wraps, 2);
	assert_int_equal(engine_in_flight(engine), slots - 1);
	engine_close(engine);
	free(waiting);
}

/* Slots are used in turn, so that a late reply finds its TID used by nobody for long. */
static void test_slots_in_turn(void **state)
{
	struct engine *engine = fixture_open(100, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
	struct engine_completion completion;
	uint32_t slot[300];
	struct buffer request, reply;

	for (unsigned int turn = 0; turn < 300; turn++) {
		struct engine_write write;

		fixture_request(&request, 7, 0x12);
		fixture_send(engine, agent, &request);
		write = fixture_write(engine, MS);
		slot[turn] = write.id.number;
		for (unsigned int back = 1; back < 100 && back <= turn; back++)
			assert_int_not_equal(slot[turn], slot[turn - back]);
		fixture_reply(&reply, write.umad);
		assert_int_equal(fixture_receive(engine, &reply, MS), ENGINE_REPLY);
		assert_true(engine_next_completion(engine, &completion));
	}
	engine_close(engine);
}

/* Every agent with requests to send gets its turn, and so does every destination. */
static void test_fair(void **state)
{
	struct engine *engine = fixture_open(400, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent[2], written[2][2] = { 0 };
	static struct buffer request[400];

	for (unsigned int i = 0; i < 2; i++) {
		config.lane[0].agent_id = i;
		config.flow_window = 4096;
		config.pin_window = config.pin_flow_window = true;
		agent[i] = (unsigned int)engine_agent_open(engine, &config);
	}
	/* The first agent and the first destination ask first, for all they want. */
	for (unsigned int i = 0; i < 400; i++) {
		fixture_request(&request[i], (uint16_t)(1 + i / 100 % 2), 0x12);
		fixture_send(engine, agent[i / 200], &request[i]);
	}
	for (unsigned int i = 0; i < 100; i++) {
		struct engine_write write = fixture_write(engine, MS);

		written[write.umad->agent_id][be16toh(write.umad->addr.lid) - 1]++;
	}
	for (unsigned int i = 0; i < 4; i++)
		assert_in_range(written[i / 2][i % 2], 22, 28);
	engine_close(engine);
}

/*
 * The lane with the least in flight is taken for a run of writes, so they stay level. What is
 * written in a row stays together, unless few requests are in flight.
 */
static void test_lanes_level(void **state)
{
	struct engine *engine = fixture_open(1000, MS, MS);
	struct engine_agent_config config = fixture_agent();
	static struct buffer request[1000];
	unsigned int agent, in_flight[2] = { 0 }, changes = 0, early_changes = 0, before = 0;

	engine_lane_open(engine, 1);
	config.lane_count = 2;
	config.lane[1].lane = 1;
	config.lane[1].agent_id = 9;
	config.flow_window = 1000;
	config.pin_flow_window = true;
	config.window = 1000;
	config.pin_window = true;
	agent = (unsigned int)engine_agent_open(engine, &config);
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int lane;

		fixture_request(&request[i], 7, 0x12);
		fixture_send(engine, agent, &request[i]);
		lane = fixture_write(engine, MS).lane;
		in_flight[lane]++;
		changes += lane != before;
		before = lane;
		if (i < 32)
			early_changes = changes;
		assert_true(abs((int)in_flight[0] - (int)in_flight[1]) <= 64);
	}
	assert_int_equal(early_changes, 31);
	assert_in_range(changes - early_changes, 1000 / 64, 1000 / 16);
	engine_close(engine);
}

/* A new agent has the number of a closed one, but does not take replies to its requests. */
static void test_agent_number_again(void **state)
{
	struct engine *engine = fixture_open(4, MS, MS);
	struct engine_agent_config config = fixture_agent();
	struct engine_completion completion;
	struct buffer request, reply;
	int agent = engine_agent_open(engine, &config);
	struct engine_request again = { .umad = &request.umad, .length = sizeof(request.mad) };
	uint64_t id;

	fixture_request(&request, 7, 0x12);
	fixture_send(engine, (unsigned int)agent, &request);
	fixture_reply(&reply, fixture_write(engine, MS).umad);
	engine_agent_close(engine, (unsigned int)agent);
	assert_int_equal(engine_send(engine, (unsigned int)agent, &again, &id), -ESHUTDOWN);
	assert_int_equal(fixture_receive(engine, &reply, MS), ENGINE_UNMATCHED);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, -ECANCELED);
	assert_int_equal(engine_agent_open(engine, &config), agent);
	fixture_send(engine, (unsigned int)agent, &request);
	fixture_write(engine, MS);
	assert_int_equal(fixture_receive(engine, &reply, MS), ENGINE_UNMATCHED);
	engine_close(engine);
}

/* An agent without RMPP does not take the first of two segments for the whole answer. */
static void test_part_of_a_message_is_no_reply(void **state)
{
	static const struct {
		struct rmpp_header header;
		uint8_t mgmt_class;
		bool is_whole;
	} replies[] = {
		{ { .type = RMPP_DATA, .flags = RMPP_FIRST, .segment = 1 }, 0x03, false },
		{ { .type = RMPP_DATA, .flags = RMPP_LAST, .segment = 2 }, 0x03, false },
		{ { .type = RMPP_ABORT, .status = RMPP_UNSPECIFIED }, 0x03, false },
		{ { .type = RMPP_DATA, .flags = RMPP_FIRST, .segment = 1 }, 0x32, false },
		{ { .type = RMPP_DATA, .flags = RMPP_FIRST | RMPP_LAST, .segment = 1 },
		  0x03,
		  true },
		/* This class has data where others have the RMPP header. */
		{ { .type = RMPP_DATA, .flags = RMPP_FIRST, .segment = 1 }, 0x04, true },
	};

	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		struct engine *engine = fixture_open(4, MS, MS);
		struct engine_agent_config config = fixture_agent();
		unsigned int agent = (unsigned int)engine_agent_open(engine, &config);
		struct buffer request __attribute__((aligned(8)));
		struct buffer reply __attribute__((aligned(8)));
		struct engine_completion completion;

		fixture_request(&request, 7, 0x12);
		((struct madring_mad_hdr *)request.mad)->mgmt_class = replies[i].mgmt_class;
		fixture_send(engine, agent, &request);
		fixture_reply(&reply, fixture_write(engine, MS).umad);
		rmpp_header_write(reply.mad, &replies[i].header);
		assert_int_equal(fixture_receive(engine, &reply, 2 * MS),
				 replies[i].is_whole ? ENGINE_REPLY : ENGINE_TOO_LONG);
		assert_true(engine_next_completion(engine, &completion));
		assert_int_equal(completion.status, replies[i].is_whole ? 0 : -EPROTOTYPE);
		assert_int_equal(completion.reply != NULL, replies[i].is_whole);
		assert_int_equal(engine_stats(engine)->too_long, !replies[i].is_whole);
		engine_close(engine);
	}
}

/* A Send of baseboard management and its response have the same method. */
static void test_a_modifier_makes_a_response(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		uint32_t modifier;
		enum engine_receive result;
	} cases[] = { { 0x05, 0, ENGINE_UNSOLICITED },
		      { 0x05, 1, ENGINE_REPLY },
		      { 0x05, 3, ENGINE_UNMATCHED },
		      { 0x0a, 1, ENGINE_UNSOLICITED } };
	const struct engine_config config = { .transactions = 8,
					      .agents = 1,
					      .lanes = 1,
					      .flows = 8,
					      .tick_ns = MS,
					      .seed = 1,
					      .now = MS };
	const struct engine_agent_config agent = fixture_agent();

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer request, reply;
		struct madring_mad_hdr *header = (void *)request.mad;
		struct engine_completion completion;
		struct engine_write write;
		struct engine *engine;
		unsigned int number;

		assert_int_equal(engine_open(&engine, &config), 0);
		engine_lane_open(engine, 0);
		number = (unsigned int)engine_agent_open(engine, &agent);
		fixture_request(&request, 1, 0x10);
		header->mgmt_class = cases[i].mgmt_class;
		header->method = MADRING_SEND;
		fixture_send(engine, number, &request);
		assert_true(engine_next_write(engine, MS, &write));
		engine_write_done(engine, write.id, 0, MS);
		reply = request;
		header = (void *)reply.mad;
		header->attr_mod = htobe32(cases[i].modifier);
		assert_int_equal(engine_receive(engine, 0, &reply.umad, sizeof(reply), 2 * MS),
				 cases[i].result);
		assert_int_equal(engine_next_completion(engine, &completion),
				 cases[i].result == ENGINE_REPLY);
		engine_close(engine);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_limits),
	cmocka_unit_test(test_backoff),
	cmocka_unit_test(test_timeout_follows_round_trip),
	cmocka_unit_test(test_tid_wraps),
	cmocka_unit_test(test_slots_in_turn),
	cmocka_unit_test(test_fair),
	cmocka_unit_test(test_lanes_level),
	cmocka_unit_test(test_agent_number_again),
	cmocka_unit_test(test_a_modifier_makes_a_response),
	cmocka_unit_test(test_part_of_a_message_is_no_reply),
};

TEST_MAIN(tests, NULL, NULL)
