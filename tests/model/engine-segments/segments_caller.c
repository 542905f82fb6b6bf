/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's caller: asks, is answered once, and answers. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

#define MS 1000000ull

static struct ib_user_mad *take(void *context, size_t bytes)
{
	struct world *world = context;

	if (prng_chance(&world->prng, world->scenario.memory_refused))
		return NULL;
	return buffer_new(world, bytes);
}

static void open_rmpp(struct world *world)
{
	struct rmpp_config config = world_rmpp_config(world);

	config.sends = 64;
	config.receives = 256;
	config.frames = (uint32_t)prng_log_range(&world->prng, 4, 256);
	config.window = (uint32_t)prng_range(&world->prng, 1, world->scenario.slow ? 2 : 64);
	config.tick_ns = world->scenario.engine.tick_ns;
	config.memory.take = take;
	if (engine_rmpp_open(world->engine, &config))
		fail(world, "the engine has no RMPP");
}

static void open_agent(struct world *world, unsigned int number)
{
	struct engine_agent_config config = {
		.window = 4096,
		.flow_window = (uint32_t)prng_range(&world->prng, 1, 16),
		.user_rmpp = true,
		.first_timeout_ns = 1000 * MS,
		.min_timeout_ns = 200 * MS,
		.max_timeout_ns = 4000 * MS,
		.attempts = 8,
		.lane_count = number == SERVER ? 1 : LANES,
	};
	int result;

	if (world->scenario.hasty) {
		config.pin_timeout = true;
		config.first_timeout_ns = prng_log_range(&world->prng, MS, 50 * MS);
		config.min_timeout_ns = config.first_timeout_ns;
		config.max_timeout_ns = config.first_timeout_ns;
	}
	if (number == SERVER) {
		config.inbox = 64;
		config.inbox_slack = 64;
	}
	for (unsigned int i = 0; i < config.lane_count; i++) {
		config.lane[i].lane = i;
		config.lane[i].agent_id = AGENT_ID + number;
	}
	result = engine_agent_open(world->engine, &config);
	if (result < 0)
		fail(world, "an agent does not open: %d", result);
	world->agent[number] = (unsigned int)result;
}

void caller_open(struct world *world)
{
	if (engine_open(&world->engine, &world->scenario.engine))
		fail(world, "the engine does not open");
	open_rmpp(world);
	for (unsigned int lane = 0; lane < LANES; lane++)
		engine_lane_open(world->engine, lane);
	for (unsigned int agent = 0; agent < AGENTS; agent++)
		open_agent(world, agent);
}

static size_t draw_length(struct world *world, bool is_long)
{
	return is_long ? HEADER_BYTES + prng_below(&world->prng, world->scenario.longest)
		       : MADRING_MAD_BYTES;
}

static void draw(struct world *world, struct exchange *exchange)
{
	const struct scenario *s = &world->scenario;
	bool plain = !exchange->is_call && prng_chance(&world->prng, s->plain_class);
	uint8_t mgmt_class = plain ? PLAIN_CLASS : SA_CLASS;
	uint32_t number = world->exchanges;

	exchange->agent = (unsigned int)prng_below(&world->prng, SERVER);
	exchange->node = (unsigned int)prng_below(&world->prng, NODES);
	exchange->no_reply = !exchange->is_call && prng_chance(&world->prng, s->no_reply);
	exchange->long_request = !plain && prng_chance(&world->prng, s->long_request);
	exchange->long_reply = !plain && prng_chance(&world->prng, s->long_reply);
	exchange->request_length = draw_length(world, exchange->long_request);
	exchange->response_length = draw_length(world, exchange->long_reply);
	exchange->request = message_make(mgmt_class, exchange->no_reply ? SEND_TABLE : GET_TABLE,
					 number, exchange->request_length, exchange->long_request);
	exchange->response = message_make(mgmt_class, GET_TABLE | RESPONSE, number,
					  exchange->response_length, exchange->long_reply);
}

static bool refusal_is_right(const struct world *world, unsigned int agent, int error)
{
	unsigned int lanes = agent == SERVER ? 1 : LANES;
	bool lost = true;

	for (unsigned int lane = 0; lane < lanes; lane++)
		lost &= world->lane_lost[lane];
	return (error == -ESHUTDOWN && (world->shut || world->agent_closed[agent])) ||
	       (error == -ENODEV && lost) ||
	       (error == -EAGAIN &&
		engine_outstanding(world->engine) == world->scenario.engine.transactions);
}

static void ask(struct world *world, struct exchange *exchange)
{
	struct ib_user_mad *copy = must_alloc(sizeof(*copy) + exchange->request_length);
	struct engine_request request = {
		.umad = copy,
		.length = exchange->request_length,
		.no_reply = exchange->no_reply,
		.segmented = exchange->long_request,
		.user = exchange,
	};
	int error;

	memcpy(copy, exchange->request, sizeof(*copy) + exchange->request_length);
	copy->addr.lid = htobe16((uint16_t)(exchange->node + 1));
	if (exchange->no_reply)
		copy->data[15] = (uint8_t)message_number(exchange->request->data);
	error = engine_send(world->engine, world->agent[exchange->agent], &request, &exchange->id);
	if (error && !refusal_is_right(world, exchange->agent, error))
		fail(world, "a request was refused: %d", error);
	exchange->open = !error;
	if (error)
		free(copy);
}

void caller_start(struct world *world)
{
	struct exchange *exchange = &world->exchange[world->exchanges];
	uint32_t all = world->scenario.requests + world->scenario.calls;

	exchange->is_call = prng_below(&world->prng, all) < world->scenario.calls;
	draw(world, exchange);
	world->exchanges++;
	if (exchange->is_call)
		nodes_call(world, exchange);
	else
		ask(world, exchange);
}

/* Has the engine answer a call. */
static void answer(struct world *world, struct exchange *exchange, const struct ib_user_mad *asked)
{
	struct ib_user_mad *copy = must_alloc(sizeof(*copy) + exchange->response_length);
	struct engine_request request = {
		.umad = copy,
		.length = exchange->response_length,
		.no_reply = true,
		.segmented = exchange->long_reply,
		.callback = copy,
	};
	uint64_t id;
	int error;

	memcpy(copy, exchange->response, sizeof(*copy) + exchange->response_length);
	memcpy(copy->data + 8, asked->data + 8, 8);
	copy->addr = asked->addr;
	error = engine_send(world->engine, world->agent[SERVER], &request, &id);
	if (error && !refusal_is_right(world, SERVER, error))
		fail(world, "a response was refused: %d", error);
	if (!error)
		return;
	/* The call stays without an answer. */
	exchange->open = false;
	free(copy);
}

static void called(struct world *world, const struct engine_received *received)
{
	struct exchange *exchange;

	if (!received->umad)
		return; /* the device is gone */
	if (received->agent != world->agent[SERVER] || received->status)
		fail(world, "a request for agent %u, %d", received->agent, received->status);
	exchange = &world->exchange[message_number(received->umad->data)];
	if (!exchange->is_call)
		fail(world, "a request that nobody has made");
	message_check(world, received->umad, received->length, exchange->request,
		      exchange->request_length);
	exchange->arrivals++;
	if (exchange->long_request && exchange->arrivals > 1)
		fail(world, "a long request has come twice");
	answer(world, exchange, received->umad);
	buffer_free(world, received->umad);
}

static void check_success(struct world *world, const struct exchange *exchange,
			  const struct engine_completion *completion)
{
	if (exchange->no_reply && completion->reply)
		fail(world, "a reply to what has none");
	if (exchange->no_reply && exchange->long_request && !exchange->arrivals)
		fail(world, "a message is said to be there, and is not");
	if (exchange->no_reply)
		return;
	message_check(world, completion->reply, completion->length, exchange->response,
		      exchange->response_length);
	world->answered++;
}

static void completed(struct world *world, const struct engine_completion *completion)
{
	struct exchange *exchange = completion->user;

	if (!exchange) { /* a response */
		/*
		 * A request in one MAD may come twice, and then its response is under way already.
		 */
		if (completion->status && completion->status != -EEXIST &&
		    scenario_is_quiet(&world->scenario))
			fail(world, "a response was not taken: %d", completion->status);
		free(completion->request);
		return;
	}
	if (!exchange->open || completion->id != exchange->id)
		fail(world, "a completion of what is not outstanding");
	exchange->open = false;
	exchange->completions++;
	world->completed++;
	if (!completion->status)
		check_success(world, exchange, completion);
	else if (scenario_is_quiet(&world->scenario))
		fail(world, "message %u failed for no reason: %d",
		     message_number(completion->request->data), completion->status);
	if (completion->status && completion->reply)
		fail(world, "a reply, and status %d", completion->status);
	if (completion->reply)
		buffer_free(world, completion->reply);
	free(completion->request);
}

void caller_take(struct world *world)
{
	struct engine_completion completion;
	struct engine_received received;

	while (engine_next_completion(world->engine, &completion))
		completed(world, &completion);
	while (engine_next_request(world->engine, &received))
		called(world, &received);
}

static void cancel(struct world *world)
{
	struct exchange *exchange = &world->exchange[prng_below(&world->prng, world->exchanges)];
	int error;

	if (exchange->is_call)
		return;
	error = engine_cancel(world->engine, exchange->id);
	if (error && error != -ENOENT)
		fail(world, "canceling: %d", error);
	if (!error && !exchange->open)
		fail(world, "what has ended was canceled");
}

static void lose_lane(struct world *world)
{
	unsigned int lane = (unsigned int)prng_below(&world->prng, LANES);

	world->lane_lost[lane] = true;
	engine_lane_lost(world->engine, lane);
}

static void close_agent(struct world *world)
{
	unsigned int agent = (unsigned int)prng_below(&world->prng, AGENTS);
	struct engine_received received;

	if (world->agent_closed[agent])
		return;
	while (engine_drop_request(world->engine, world->agent[agent], &received))
		if (received.umad)
			buffer_free(world, received.umad);
	engine_agent_close(world->engine, world->agent[agent]);
	world->agent_closed[agent] = true;
}

void caller_disturb(struct world *world)
{
	const struct scenario *s = &world->scenario;

	if (world->exchanges && prng_chance(&world->prng, s->cancel))
		cancel(world);
	if (prng_chance(&world->prng, s->lane_lost))
		lose_lane(world);
	if (prng_chance(&world->prng, s->agent_closed))
		close_agent(world);
	if (s->shut_down && !world->shut && prng_chance(&world->prng, 1000)) {
		engine_shutdown(world->engine);
		world->shut = true;
	}
}

static void check_exchange(const struct world *world, const struct exchange *exchange)
{
	bool quiet = scenario_is_quiet(&world->scenario);

	if (exchange->is_call && exchange->open && quiet)
		fail(world, "a node has no answer");
	if (!exchange->is_call && exchange->open)
		fail(world, "a transaction never completes");
	if (exchange->completions > 1)
		fail(world, "a transaction completed %u times", exchange->completions);
}

void caller_check_end(struct world *world)
{
	for (uint32_t i = 0; i < world->exchanges; i++)
		check_exchange(world, &world->exchange[i]);
	if (engine_outstanding(world->engine) || engine_in_flight(world->engine))
		fail(world, "%u outstanding, %u in flight", engine_outstanding(world->engine),
		     engine_in_flight(world->engine));
	if (world->buffers)
		fail(world, "%" PRIu64 " buffers were not given back", world->buffers);
}
