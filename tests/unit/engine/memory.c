/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: engine_open() fails cleanly at each of its allocations, and an open engine allocates and
 * frees nothing.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>

#include "engine_fixture.h"
#include "model/common/prng.h"
#include "unit/failing.h"

#define REQUESTS 512

static void test_out_of_memory(void **state)
{
	const struct engine_config config = {
		.transactions = 100, .agents = 4, .lanes = 2, .flows = 100, .tick_ns = MS
	};
	struct engine *engine = NULL;
	long before = living_allocations;
	unsigned int fail = 1;
	int error;

	for (;; fail++) {
		fail_at = fail;
		error = engine_open(&engine, &config);
		if (!error)
			break;
		assert_int_equal(error, -ENOMEM);
		assert_null(engine);
		assert_int_equal(living_allocations, before);
	}
	/* Each allocation in turn has failed, and there are several. */
	assert_int_equal(fail_at, 1);
	fail_at = 0;
	assert_true(fail > 3);
	engine_close(engine);
	assert_int_equal(living_allocations, before);
}

static struct {
	struct buffer request[REQUESTS], reply[REQUESTS];
	struct buffer *unused[REQUESTS]; /* requests */
	unsigned int unused_count;
	unsigned int replies; /* made so far: the next one's place, modulo REQUESTS */
} buffers;

static void send_one(struct engine *engine, unsigned int agent, struct prng *prng, uint64_t *id)
{
	struct buffer *request = buffers.unused[--buffers.unused_count];

	fixture_request(request, (uint16_t)prng_range(prng, 1, 3000), 0x12);
	*id = fixture_send(engine, agent, request);
}

static void write_all(struct engine *engine, struct prng *prng, uint64_t now)
{
	struct engine_write write;

	while (engine_next_write(engine, now, &write)) {
		bool refused = prng_chance(prng, 50000);

		engine_write_done(engine, write.id, refused ? -EAGAIN : 0, now);
		if (!refused && prng_chance(prng, 800000))
			fixture_reply(&buffers.reply[buffers.replies++ % REQUESTS], write.umad);
	}
}

/* Answers one of the last few requests: a new, late or duplicate reply. */
static void receive_one(struct engine *engine, struct prng *prng, uint64_t now)
{
	uint64_t back = prng_log_range(prng, 1, 64);

	if (back <= buffers.replies)
		fixture_receive(engine, &buffers.reply[(buffers.replies - back) % REQUESTS], now);
}

static void complete_all(struct engine *engine)
{
	struct engine_completion completion;

	while (engine_next_completion(engine, &completion))
		buffers.unused[buffers.unused_count++] = completion.user;
}

/* Sends, loses, answers late and twice, cancels and times out, for a while. */
static void work(struct engine *engine, unsigned int agent, struct prng *prng)
{
	uint64_t now = MS, id = 0;

	for (unsigned int i = 0; i < REQUESTS; i++)
		buffers.unused[buffers.unused_count++] = &buffers.request[i];
	for (unsigned int i = 0; i < 150000; i++) {
		now += prng_below(prng, 3 * MS);
		if (buffers.unused_count && prng_chance(prng, 500000))
			send_one(engine, agent, prng, &id);
		write_all(engine, prng, now);
		receive_one(engine, prng, now);
		if (prng_chance(prng, 20000))
			engine_cancel(engine, id);
		engine_advance(engine, now);
		complete_all(engine);
	}
}

static void test_engine_allocates_no_memory(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	struct engine_agent_config config = fixture_agent();
	const struct engine_stats *stats = engine_stats(engine);
	unsigned long calls;
	unsigned int agent;
	struct prng prng;

	prng_seed(&prng, 1);
	config.attempts = 3;
	config.first_timeout_ns = 50 * MS;
	agent = (unsigned int)engine_agent_open(engine, &config);
	calls = heap_calls;
	work(engine, agent, &prng);
	engine_agent_cancel(engine, agent);
	engine_lane_lost(engine, 0);
	engine_shutdown(engine);
	assert_int_equal(heap_calls, calls);
	engine_agent_close(engine, agent);
	/* The workload has reached every outcome. */
	assert_true(stats->replies > 10000);
	assert_true(stats->retried > 1000);
	assert_true(stats->timed_out > 100);
	assert_true(stats->canceled > 100);
	assert_true(stats->unmatched > 1000);
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_out_of_memory),
	cmocka_unit_test(test_engine_allocates_no_memory),
};

TEST_MAIN(tests, NULL, NULL)
