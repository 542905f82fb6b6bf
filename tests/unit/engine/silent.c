/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes and requests that are never answered, in virtual time. They cost their timeouts and
 * retries, and delay no other request. A queue that overflows is noticed, even where all nodes are
 * asked for the first time.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "engine_fixture.h"
#include "model/common/agenda.h"

#define US	     1000ull
#define TRANSACTIONS 4096u
#define FIRST_LID    1u

/*
 * A queue that leads to all nodes. It serves a MAD in service_ns, and drops a MAD that finds it
 * full.
 */
struct world {
	struct engine *engine;
	struct engine_agent_config config;
	unsigned int agent;
	uint64_t now;
	struct agenda replies;
	uint64_t service_ns;
	uint32_t room;
	uint64_t idle_at;
	uint32_t silent_from;  /* nodes of this LID and above never answer */
	uint32_t silent_every; /* one request in so many is never answered; 0: none */
	uint32_t requests, written, dropped, answered, timed_out;
	struct buffer *request; /* an array of TRANSACTIONS */
};

static struct world *open_world(void)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->request = calloc(TRANSACTIONS, sizeof(*world->request));
	assert_non_null(world->request);
	world->now = MS;
	world->service_ns = 4 * US;
	world->room = TRANSACTIONS;
	world->silent_from = UINT32_MAX;
	world->config = fixture_agent();
	world->engine = fixture_open(TRANSACTIONS, MS, world->now);
	world->agent = (unsigned int)engine_agent_open(world->engine, &world->config);
	return world;
}

static void close_world(struct world *world)
{
	agenda_free(&world->replies);
	engine_close(world->engine);
	free(world->request);
	free(world);
}

static bool is_answered(const struct world *world, const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;

	if (be16toh(umad->addr.lid) >= world->silent_from)
		return false;
	return !world->silent_every || be32toh(header->attr_mod) % world->silent_every;
}

static void ask(struct world *world, uint32_t lid)
{
	struct buffer *request = &world->request[world->requests % TRANSACTIONS];

	fixture_request(request, (uint16_t)lid, 0x12);
	((struct madring_mad_hdr *)request->mad)->attr_mod = htobe32(world->requests);
	world->requests++;
	fixture_send(world->engine, world->agent, request);
}

static void take_write(struct world *world, const struct engine_write *write)
{
	struct buffer *reply;

	world->written++;
	if (world->idle_at < world->now)
		world->idle_at = world->now;
	if (world->idle_at - world->now > world->room * world->service_ns) {
		world->dropped++;
		return;
	}
	world->idle_at += world->service_ns;
	if (!is_answered(world, write->umad))
		return;
	reply = malloc(sizeof(*reply));
	assert_non_null(reply);
	fixture_reply(reply, write->umad);
	agenda_put(&world->replies, world->idle_at + 100 * US, reply, 0);
}

static void take_writes(struct world *world)
{
	struct engine_write write;

	while (engine_next_write(world->engine, world->now, &write)) {
		take_write(world, &write);
		engine_write_done(world->engine, write.id, 0, world->now);
	}
}

static void take_completions(struct world *world)
{
	struct engine_completion completion;

	while (engine_next_completion(world->engine, &completion)) {
		if (completion.status)
			world->timed_out++;
		else
			world->answered++;
		free(completion.reply);
	}
}

static void wait_for_something(struct world *world)
{
	const struct agenda_item *reply = agenda_first(&world->replies);
	uint64_t next = engine_next_deadline(world->engine);

	if (reply && reply->time < next)
		next = reply->time;
	assert_true(next < ENGINE_NEVER);
	if (next > world->now)
		world->now = next;
}

/* Runs until nothing is outstanding. Returns how long that took. */
static uint64_t run(struct world *world)
{
	uint64_t began = world->now;
	struct agenda_item item;

	while (engine_outstanding(world->engine)) {
		take_writes(world);
		wait_for_something(world);
		while (agenda_take(&world->replies, world->now, &item))
			if (!engine_keeps(fixture_receive(world->engine, item.what, world->now)))
				free(item.what);
		engine_advance(world->engine, world->now);
		take_completions(world);
	}
	return world->now - began;
}

static uint32_t window(const struct world *world)
{
	struct engine_agent_state state;

	engine_agent_state(world->engine, world->agent, &state);
	return state.window;
}

/*
 * Returns how long one request without an answer takes at most. The timeout is doubled at each
 * retry, and jittered.
 */
static uint64_t longest_wait(const struct world *world)
{
	uint64_t timeout = world->config.first_timeout_ns, sum = 0;

	for (unsigned int i = 0; i < world->config.attempts; i++) {
		sum += timeout + timeout / 8 + 2 * MS;
		timeout *= 2;
		if (timeout > world->config.max_timeout_ns)
			timeout = world->config.max_timeout_ns;
	}
	return sum;
}

static void ask_each(struct world *world, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ask(world, first + i);
}

/*
 * After 60 nodes have answered, as the switches of a discovery do, 480 are asked, most of them
 * dead.
 */
static void test_most_nodes_are_silent(void **state)
{
	struct world *world = open_world();

	world->silent_from = FIRST_LID + 60;
	for (uint32_t i = 0; i < 10; i++)
		ask_each(world, FIRST_LID, 60);
	run(world);
	assert_in_range(window(world), 4, 4096);
	ask_each(world, FIRST_LID, 480);
	assert_true(run(world) <= longest_wait(world));
	assert_int_equal(world->timed_out, 420);
	assert_int_equal(world->answered, 660);
	assert_in_range(window(world), 4, 4096);
	close_world(world);
}

/* A node that has answered loses its credit with the first request that it does not answer. */
static void test_most_nodes_die(void **state)
{
	struct world *world = open_world();

	for (uint32_t i = 0; i < 3; i++)
		ask_each(world, FIRST_LID, 480);
	run(world);
	assert_in_range(window(world), 4, 4096);
	world->silent_from = FIRST_LID + 60;
	for (uint32_t i = 0; i < 5; i++) {
		ask_each(world, FIRST_LID, 480);
		assert_true(run(world) <= 2 * longest_wait(world));
		assert_in_range(window(world), 4, 4096);
	}
	/* The nodes are back. */
	world->silent_from = UINT32_MAX;
	ask_each(world, FIRST_LID, 480);
	assert_true(run(world) <= 20 * MS);
	close_world(world);
}

/* Sends 1,000 requests to one node, which never answers every @every-th of them. */
static void never_answered(uint32_t every)
{
	struct world *world = open_world();
	uint32_t silent = 1000 / every;
	uint64_t took;

	world->silent_every = every;
	for (uint32_t i = 0; i < 1000; i++)
		ask(world, FIRST_LID);
	took = run(world);
	assert_int_equal(world->timed_out, silent);
	assert_int_equal(world->answered, 1000 - silent);
	assert_true(took <= (silent / world->config.flow_window + 1) * longest_wait(world));
	close_world(world);
}

static void test_some_requests_are_never_answered(void **state)
{
	never_answered(100);
	never_answered(10);
	never_answered(2);
}

/* All nodes are new, behind a short queue whose overflow is noticed. */
static void test_first_contact_overflows(void **state)
{
	struct world *world = open_world();

	world->service_ns = 20 * US;
	world->room = 32;
	for (uint32_t i = 0; i < 12; i++) {
		uint32_t before = world->dropped;

		ask_each(world, FIRST_LID + i * TRANSACTIONS, TRANSACTIONS);
		assert_true(run(world) <= 600 * MS);
		/* The first windows are too wide, and the later ones are not. */
		assert_true(i < 3 || world->dropped - before <= TRANSACTIONS / 5);
	}
	assert_int_equal(world->timed_out, 0);
	assert_in_range(window(world), 8, 64);
	close_world(world);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_most_nodes_are_silent),
	cmocka_unit_test(test_most_nodes_die),
	cmocka_unit_test(test_some_requests_are_never_answered),
	cmocka_unit_test(test_first_contact_overflows),
};

TEST_MAIN(tests, NULL, NULL)
