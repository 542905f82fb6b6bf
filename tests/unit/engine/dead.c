/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that are never answered among many that are, in virtual time, over a kernel that puts
 * only some requests of a registration on the wire at once. The kernel holds a dead one until its
 * timeout has passed. The others must not wait for that.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_fixture.h"
#include "model/common/agenda.h"

#define MOST_LANES 24u
#define MOST	   8192u
#define HEADERS	   (sizeof(struct ib_user_mad) + sizeof(struct madring_mad_hdr))

struct setting {
	unsigned int lanes;
	uint32_t limit;	       /* of each registration */
	uint32_t destinations; /* one request to each, or many to one */
	uint32_t requests;
	uint32_t dead_every; /* one request in so many is never answered; 0: none */
	uint64_t rtt_ns;
	bool pinned; /* the windows are as large as the number of requests */
};

struct world {
	const struct setting *setting;
	struct engine *engine;
	unsigned int agent;
	uint64_t now, last_answer;
	struct agenda events; /* struct event */
	uint32_t held[MOST_LANES];
	uint32_t answered, timed_out;
	struct buffer *request; /* an array of MOST */
};

/* The end of a request in the kernel: its reply, or a notice. */
struct event {
	struct buffer mad;
	unsigned int lane;
	bool is_notice;
};

static void open_engine(struct world *world)
{
	const struct setting *setting = world->setting;
	struct engine_config config = {
		.transactions = MOST,
		.agents = 1,
		.lanes = setting->lanes,
		.flows = MOST,
		.tick_ns = MS,
		.seed = 1,
		.now = world->now,
	};
	struct engine_agent_config agent = fixture_agent();

	assert_int_equal(engine_open(&world->engine, &config), 0);
	agent.kernel_limit = setting->limit;
	agent.lane_count = setting->lanes;
	for (unsigned int lane = 0; lane < setting->lanes; lane++) {
		engine_lane_open(world->engine, lane);
		agent.lane[lane] = (struct engine_agent_lane){ .lane = lane, .agent_id = lane };
	}
	if (setting->pinned) {
		agent.pin_window = agent.pin_flow_window = true;
		agent.window = agent.flow_window = setting->requests;
	}
	world->agent = (unsigned int)engine_agent_open(world->engine, &agent);
}

static void ask_all(struct world *world)
{
	const struct setting *setting = world->setting;

	for (uint32_t i = 0; i < setting->requests; i++) {
		struct buffer *request = &world->request[i];

		fixture_request(request, (uint16_t)(1 + i % setting->destinations), 0x12);
		((struct madring_mad_hdr *)request->mad)->attr_mod = htobe32(i);
		fixture_send(world->engine, world->agent, request);
	}
}

static bool is_dead(const struct setting *setting, const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;

	return setting->dead_every && be32toh(header->attr_mod) % setting->dead_every == 0;
}

static void take_write(struct world *world, const struct engine_write *write)
{
	struct event *event = calloc(1, sizeof(*event));
	uint64_t timeout = write->umad->timeout_ms * MS;

	assert_non_null(event);
	assert_true(++world->held[write->lane] <= world->setting->limit);
	event->lane = write->lane;
	event->is_notice = is_dead(world->setting, write->umad) || timeout < world->setting->rtt_ns;
	if (event->is_notice) {
		memcpy(&event->mad, write->umad, sizeof(event->mad));
		event->mad.umad.status = ETIMEDOUT;
		agenda_put(&world->events, world->now + timeout, event, 0);
	} else {
		fixture_reply(&event->mad, write->umad);
		agenda_put(&world->events, world->now + world->setting->rtt_ns, event, 0);
	}
}

static void take_writes(struct world *world)
{
	struct engine_write write;

	while (engine_next_write(world->engine, world->now, &write)) {
		take_write(world, &write);
		engine_write_done(world->engine, write.id, 0, world->now);
	}
}

static void deliver(struct world *world, struct event *event)
{
	size_t bytes = event->is_notice ? HEADERS : sizeof(event->mad);

	world->held[event->lane]--;
	engine_receive(world->engine, event->lane, &event->mad.umad, bytes, world->now);
	free(event);
}

static void take_completions(struct world *world)
{
	struct engine_completion completion;

	while (engine_next_completion(world->engine, &completion)) {
		if (completion.status) {
			world->timed_out++;
			continue;
		}
		world->answered++;
		world->last_answer = world->now;
	}
}

static void wait_for_something(struct world *world)
{
	const struct agenda_item *event = agenda_first(&world->events);
	uint64_t next = engine_next_deadline(world->engine);

	if (event && event->time < next)
		next = event->time;
	assert_true(next < ENGINE_NEVER);
	if (next > world->now)
		world->now = next;
}

/* Plays all requests to their ends. Returns when the last answer came, in ms. */
static unsigned int play(const struct setting *setting)
{
	struct world world = { .setting = setting, .now = MS };
	uint32_t dead = setting->dead_every ? setting->requests / setting->dead_every : 0;
	struct agenda_item item;

	world.request = calloc(MOST, sizeof(*world.request));
	assert_non_null(world.request);
	open_engine(&world);
	ask_all(&world);
	while (engine_outstanding(world.engine)) {
		take_writes(&world);
		wait_for_something(&world);
		while (agenda_take(&world.events, world.now, &item))
			deliver(&world, item.what);
		engine_advance(world.engine, world.now);
		take_completions(&world);
	}
	assert_int_equal(world.timed_out, dead);
	assert_int_equal(world.answered, setting->requests - dead);
	assert_true(dead || !engine_stats(world.engine)->retried);
	while (agenda_take(&world.events, UINT64_MAX, &item))
		free(item.what);
	agenda_free(&world.events);
	engine_close(world.engine);
	free(world.request);
	return (unsigned int)((world.last_answer - MS) / MS);
}

/* A tenth of the queries to one node, such as the SA, are never answered. */
static void test_node_ignores_a_tenth_of_its_requests(void **state)
{
	struct setting setting = {
		.limit = 16,
		.destinations = 1,
		.requests = 1000,
		.dead_every = 10,
		.rtt_ns = 10 * MS,
	};

	/* The flow's window of 16 takes 563 ms for the answers alone. */
	setting.lanes = 24;
	assert_in_range(play(&setting), 563, 1700);
	/* The kernel's limit is as small, and the dead requests take their part of it. */
	setting.lanes = 1;
	assert_in_range(play(&setting), 563, 3000);
	setting.pinned = true;
	assert_in_range(play(&setting), 563, 3000);
	setting.lanes = 24;
	assert_in_range(play(&setting), 20, 60);
}

/* A tenth of the nodes are dead. */
static void test_dead_nodes(void **state)
{
	struct setting setting = {
		.lanes = 24,
		.limit = 128,
		.destinations = 5000,
		.requests = 5000,
		.rtt_ns = MS,
	};
	unsigned int alone;

	alone = play(&setting);
	setting.dead_every = 10;
	assert_in_range(play(&setting), alone, alone + 10);
	setting.pinned = true;
	assert_in_range(play(&setting), 1, alone + 10);
	/* One lane holds 128. The 500 dead ones take them about four times. */
	setting.lanes = 1;
	assert_in_range(play(&setting), 1, 2000);
}

/* Without dead nodes, requests that wait for room neither time out nor are sent twice. */
static void test_no_false_timeouts(void **state)
{
	const struct setting setting = {
		.lanes = 1,
		.limit = 16,
		.destinations = 1,
		.requests = 1000,
		.rtt_ns = 100 * MS,
		.pinned = true,
	};

	assert_int_equal(play(&setting), 6300);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_node_ignores_a_tenth_of_its_requests),
	cmocka_unit_test(test_dead_nodes),
	cmocka_unit_test(test_no_false_timeouts),
};

TEST_MAIN(tests, NULL, NULL)
