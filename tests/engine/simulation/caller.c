/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller: sends, cancels, opens and closes agents, loses lanes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "packet.h"
#include "world.h"

#define DR_CLASS 0x81
#define SA_CLASS 0x03

static void draw_destination(struct world *world, uint32_t number)
{
	struct destination *destination = &world->destination[number];
	uint64_t hops = prng_chance(&world->prng, 900000) ? 8 : 61;

	/* No two are alike: the number is written in the first two hops. */
	destination->lid = (uint16_t)(number + 1);
	destination->hops = (uint8_t)prng_range(&world->prng, number ? 2 : 0, hops + 2);
	prng_fill(&world->prng, destination->path + 1, destination->hops);
	if (destination->hops >= 2) {
		destination->path[1] = (uint8_t)(number >> 8);
		destination->path[2] = (uint8_t)number;
	}
}

static unsigned int agents_in_use(const struct world *world)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < world->agents; i++)
		used += !world->agent[i]->closed || world->agent[i]->open_records;
	return used;
}

static void draw_lanes(struct world *world, struct engine_agent_config *config)
{
	unsigned int lanes = world->scenario.engine.lanes;
	unsigned int first = (unsigned int)prng_below(&world->prng, lanes);
	unsigned int most = (unsigned int)prng_range(&world->prng, 1, lanes);

	for (unsigned int i = 0; i < lanes && config->lane_count < most; i++) {
		unsigned int lane = (first + i) % lanes;

		if (world->lane_lost[lane])
			continue;
		config->lane[config->lane_count].lane = lane;
		/* Not used before on this lane. */
		config->lane[config->lane_count++].agent_id = world->agents + 3 * lane;
	}
}

static void check_number(const struct world *world, int number)
{
	if (number < 0)
		fail(world, "no agent could be opened while %u of %u are open: %d",
		     agents_in_use(world), world->scenario.engine.agents, number);
	for (unsigned int i = 0; i < world->agents; i++) {
		const struct agent_account *agent = world->agent[i];

		if (agent->number == number && (!agent->closed || agent->open_records))
			fail(world, "the number %d of an agent in use was given again", number);
	}
}

static void open_agent(struct world *world)
{
	static const uint8_t classes[] = { DR_CLASS, DR_CLASS, 0x01, 0x04, SA_CLASS, 0x32 };
	struct agent_account *agent;
	struct engine_agent_config config;
	int number;

	if (world->agents == MAX_AGENTS)
		return;
	scenario_draw_agent(&world->scenario, &world->prng, &config);
	draw_lanes(world, &config);
	if (!config.lane_count)
		return;
	number = engine_agent_open(world->engine, &config);
	if (agents_in_use(world) == world->scenario.engine.agents) {
		if (number != -EMFILE)
			fail(world, "an agent too many: %d", number);
		return;
	}
	check_number(world, number);
	agent = must_alloc(sizeof(*agent));
	agent->number = number;
	agent->config = config;
	agent->mgmt_class = classes[prng_below(&world->prng, sizeof(classes))];
	agent->flow = must_alloc((world->scenario.own_flows + world->scenario.destinations) *
				 sizeof(*agent->flow));
	world->agent[world->agents++] = agent;
}

void caller_open(struct world *world)
{
	uint64_t agents = prng_range(&world->prng, 1, world->scenario.engine.agents);

	world->destination = must_alloc(world->scenario.destinations * sizeof(*world->destination));
	for (uint32_t i = 0; i < world->scenario.destinations; i++)
		draw_destination(world, i);
	for (unsigned int i = 0; i < world->scenario.engine.lanes; i++)
		engine_lane_open(world->engine, i);
	while (agents--)
		open_agent(world);
}

static uint8_t draw_method(struct world *world, uint8_t mgmt_class)
{
	static const uint8_t sa_methods[] = { MADRING_GET, MADRING_SET, 0x12, 0x15 };

	if (mgmt_class == SA_CLASS)
		return sa_methods[prng_below(&world->prng, sizeof(sa_methods))];
	return prng_chance(&world->prng, 700000) ? MADRING_GET : MADRING_SET;
}

static size_t draw_length(struct world *world, uint8_t mgmt_class)
{
	if (mgmt_class == DR_CLASS || mgmt_class == 0x01 ||
	    !prng_chance(&world->prng, world->scenario.large))
		return MADRING_MAD_BYTES;
	return prng_range(&world->prng, sizeof(struct madring_mad_header), MADRING_LARGE_MAD_BYTES);
}

static void address(struct record *record)
{
	const struct destination *destination = record->destination;
	struct ib_user_mad *umad = record->umad;
	uint8_t *mad = (uint8_t *)umad->data;

	umad->addr.lid = htobe16(destination->lid);
	umad->addr.qpn = htobe32(record->agent->mgmt_class == 0x01 ? 0 : 1);
	if (record->agent->mgmt_class != DR_CLASS)
		return;
	umad->addr.lid = 0xffff;
	umad->addr.qpn = 0;
	mad[6] = 0;
	mad[7] = destination->hops;
	memset(mad + 32, 0xff, 4);
	memcpy(mad + 128, destination->path, sizeof(destination->path));
}

/* Few attributes and modifiers, so that many requests differ in their TID alone. */
static void write_request(struct world *world, struct record *record)
{
	struct madring_mad_header *header;
	size_t bytes = sizeof(*record->umad) + record->length;

	record->umad = must_alloc(bytes);
	header = (struct madring_mad_header *)record->umad->data;
	prng_fill(&world->prng, record->umad->data, record->length);
	header->base_version = 1;
	header->mgmt_class = record->agent->mgmt_class;
	header->class_version = header->mgmt_class == SA_CLASS ? 2 : 1;
	header->method = draw_method(world, header->mgmt_class);
	header->status = 0;
	header->attr_id = htobe16((uint16_t)prng_range(&world->prng, 0x10, 0x12));
	header->attr_mod = htobe32((uint32_t)prng_below(&world->prng, 2));
	address(record);
	record->payload = ++world->payloads;
	if (record->length >= 72)
		memcpy(record->umad->data + 64, &record->payload, sizeof(record->payload));
	record->original = must_alloc(bytes);
	memcpy(record->original, record->umad, bytes);
}

static void draw_patience(struct world *world, struct record *record,
			  struct engine_request *request)
{
	const struct engine_agent_config *config = &record->agent->config;
	const struct scenario *s = &world->scenario;

	record->timeout_least = config->min_timeout_ns;
	record->timeout_most = config->max_timeout_ns;
	if (config->pin_timeout)
		record->timeout_least = record->timeout_most = config->first_timeout_ns;
	if (prng_chance(&world->prng, s->own_timeout))
		request->timeout_ns =
			prng_log_range(&world->prng, s->patience_ns / 4, 4 * s->patience_ns);
	record->attempts_allowed = config->attempts;
	if (prng_chance(&world->prng, s->own_attempts))
		request->attempts = (unsigned int)prng_log_range(&world->prng, 1, 16);
	if (prng_chance(&world->prng, s->forever)) {
		request->timeout_ns = ENGINE_NEVER;
		request->attempts = 1;
	}
	if (request->timeout_ns)
		record->timeout_least = record->timeout_most = request->timeout_ns;
	if (request->attempts)
		record->attempts_allowed = request->attempts;
}

/* Caller's own flows: small numbers, which are LIDs too, and large ones. */
static uint64_t own_flow(uint64_t number)
{
	return number % 2 ? number + 1 : number + (1ull << 63);
}

static void draw_flow(struct world *world, struct record *record, struct engine_request *request)
{
	const struct scenario *s = &world->scenario;
	uint64_t number = prng_below(&world->prng, s->destinations);

	record->destination = &world->destination[number];
	record->flow = &record->agent->flow[s->own_flows + number];
	if (!prng_chance(&world->prng, s->own_flow))
		return;
	number = prng_below(&world->prng, s->own_flows);
	request->flow = own_flow(number);
	record->flow = &record->agent->flow[number];
}

static bool refusal_is_right(const struct world *world, const struct agent_account *agent,
			     int error)
{
	bool full = world->ledger.opens == world->scenario.engine.transactions;

	return (error == -EAGAIN && full) || (error == -ENODEV && agent->no_lanes) ||
	       (error == -ESHUTDOWN && (world->shut_down || agent->closed));
}

static bool must_refuse(const struct world *world, const struct agent_account *agent)
{
	return world->ledger.opens == world->scenario.engine.transactions || agent->no_lanes ||
	       world->shut_down || agent->closed;
}

static bool send_by(struct world *world, struct agent_account *agent)
{
	struct record draft = { .agent = agent };
	struct engine_request request = { 0 };
	int error;

	draft.length = draw_length(world, agent->mgmt_class);
	draft.no_reply = prng_chance(&world->prng, world->scenario.no_reply);
	draw_flow(world, &draft, &request);
	draw_patience(world, &draft, &request);
	write_request(world, &draft);
	request.umad = draft.umad;
	request.length = draft.length;
	request.no_reply = draft.no_reply;
	request.callback = draft.umad->data;
	request.user = draft.umad;
	error = engine_send(world->engine, (unsigned int)agent->number, &request, world->now,
			    &draft.id);
	if (error) {
		if (!refusal_is_right(world, agent, error))
			fail(world, "agent %d refused a request: %d", agent->number, error);
		free(draft.umad);
		free(draft.original);
		return false;
	}
	if (must_refuse(world, agent))
		fail(world, "agent %d took a request that it has to refuse", agent->number);
	ledger_accept(&world->ledger, &draft);
	world->tally.accepted++;
	return true;
}

static struct agent_account *any_agent(struct world *world)
{
	return world->agent[prng_below(&world->prng, world->agents)];
}

bool caller_send(struct world *world)
{
	struct agent_account *agent = any_agent(world);

	/* The number of one that was closed and has nothing left may be another's. */
	if (agent->closed && !agent->open_records)
		return false;
	return send_by(world, agent);
}

static void cancel_one(struct world *world)
{
	struct ledger *ledger = &world->ledger;
	struct record *record;
	int error;

	if (!ledger->opens)
		return;
	record = ledger->open[prng_below(&world->prng, ledger->opens)];
	error = engine_cancel(world->engine, record->id, world->now);
	if (!error && record->progress == ENDED)
		fail(world, "transaction %#lx was canceled after it had ended", record->id);
	if (error && error != -ENOENT)
		fail(world, "transaction %#lx was not canceled: %d", record->id, error);
	if (error && record->progress != ENDED && !(record->progress == IN_DOUBT && record->may))
		fail(world, "transaction %#lx was not found to be canceled", record->id);
	if (!error)
		record->may = 0;
	ledger_end(ledger, record, error ? 0 : MAY_BE_CANCELED);
}

static void cancel_ended(struct world *world)
{
	unsigned int known = world->ended_ids < ENDED_IDS ? world->ended_ids : ENDED_IDS;
	uint64_t id;
	int error;

	if (!known)
		return;
	id = world->ended_id[prng_below(&world->prng, known)];
	if (prng_chance(&world->prng, 100000))
		id = prng_next(&world->prng);
	error = engine_cancel(world->engine, id, world->now);
	if (error != -ENOENT)
		fail(world, "transaction %#lx, which is no more, was canceled: %d", id, error);
}

static void cancel_all_of(struct world *world, const struct agent_account *agent)
{
	uint32_t least, most, count;

	count = engine_agent_cancel(world->engine, (unsigned int)agent->number, world->now);
	ledger_cancel(&world->ledger, agent, &least, &most);
	if (count < least || count > most)
		fail(world, "agent %d canceled %u transactions, not %u to %u", agent->number, count,
		     least, most);
}

static void close_agent(struct world *world, struct agent_account *agent)
{
	uint32_t least, most;

	engine_agent_close(world->engine, (unsigned int)agent->number, world->now);
	ledger_cancel(&world->ledger, agent, &least, &most);
	agent->closed = true;
}

static void note_lost(const struct world *world, struct agent_account *agent)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		left += !world->lane_lost[agent->config.lane[i].lane];
	agent->no_lanes = !left;
}

void caller_lose_lane(struct world *world, unsigned int lane)
{
	if (world->lane_lost[lane])
		return;
	world->lane_lost[lane] = true;
	for (unsigned int i = 0; i < world->agents; i++)
		note_lost(world, world->agent[i]);
	engine_lane_lost(world->engine, lane, world->now);
	ledger_lane_lost(&world->ledger, lane);
}

void caller_cancel_all(struct world *world)
{
	for (unsigned int i = 0; i < world->agents; i++) {
		if (!world->agent[i]->closed)
			cancel_all_of(world, world->agent[i]);
	}
}

void caller_shut_down(struct world *world)
{
	uint32_t least, most;

	engine_shutdown(world->engine, world->now);
	ledger_cancel(&world->ledger, NULL, &least, &most);
	world->shut_down = true;
}

void caller_disturb(struct world *world)
{
	const struct scenario *s = &world->scenario;
	struct agent_account *agent = any_agent(world);

	if (prng_chance(&world->prng, s->cancel))
		cancel_one(world);
	if (prng_chance(&world->prng, s->cancel_ended))
		cancel_ended(world);
	if (prng_chance(&world->prng, s->agent_cancel) && !agent->closed)
		cancel_all_of(world, agent);
	if (prng_chance(&world->prng, s->agent_close) && !agent->closed)
		close_agent(world, agent);
	if (prng_chance(&world->prng, s->agent_open))
		open_agent(world);
	if (prng_chance(&world->prng, s->lane_lost))
		caller_lose_lane(world, (unsigned int)prng_below(&world->prng, s->engine.lanes));
}

void caller_act(struct world *world)
{
	uint64_t burst = prng_range(&world->prng, 1, world->scenario.burst);

	caller_disturb(world);
	if (world->ending || prng_chance(&world->prng, 300000))
		return;
	while (burst-- && world->tally.accepted < world->scenario.requests && caller_send(world))
		;
}

void caller_close(struct world *world)
{
	for (unsigned int i = 0; i < world->agents; i++) {
		free(world->agent[i]->flow);
		free(world->agent[i]);
	}
	free(world->destination);
}
