/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: drawn, written, and sent or rightly refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "engine_world.h"

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
	return prng_range(&world->prng, sizeof(struct madring_mad_hdr), MADRING_LARGE_MAD_BYTES);
}

static void address(struct record *record)
{
	const struct destination *destination = record->destination;
	struct ib_user_mad *umad = record->umad;
	uint8_t *mad = (uint8_t *)umad->data;

	umad->addr.lid = htobe16(destination->lid);
	umad->addr.qpn = htobe32(record->agent->mgmt_class == 0x01 ? 0 : 1);
	umad->addr.grh_present = destination->grh;
	if (record->agent->mgmt_class != DR_CLASS)
		return;
	umad->addr.grh_present = 0;
	umad->addr.lid = 0xffff;
	umad->addr.qpn = 0;
	mad[6] = 0;
	mad[7] = destination->hops;
	memset(mad + 32, 0xff, 4);
	memcpy(mad + 128, destination->path, sizeof(destination->path));
}

/* Draws from few attributes and modifiers, so that many requests differ in their TID alone. */
static void write_request(struct world *world, struct record *record)
{
	struct madring_mad_hdr *header;
	size_t bytes = sizeof(*record->umad) + record->length;

	record->umad = must_alloc(bytes);
	header = (struct madring_mad_hdr *)record->umad->data;
	prng_fill(&world->prng, record->umad->data, record->length);
	header->base_version = 1;
	header->mgmt_class = record->agent->mgmt_class;
	header->class_version = header->mgmt_class == SA_CLASS ? 2 : 1;
	header->method = draw_method(world, header->mgmt_class);
	header->status = 0;
	header->attr_id = htobe16((uint16_t)prng_range(&world->prng, 0x10, 0x12));
	header->attr_mod = htobe32((uint32_t)prng_below(&world->prng, 2));
	if (prng_chance(&world->prng, 500000))
		header->tid = 0;
	record->has_own_tid = !record->no_reply || !header->tid;
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
	record->by_kernel = !record->no_reply && prng_chance(&world->prng, s->by_kernel);
	if (record->by_kernel) {
		request->timeout_ns = ENGINE_NEVER;
		request->attempts = 1;
	}
	if (request->timeout_ns)
		record->timeout_least = record->timeout_most = request->timeout_ns;
	if (request->attempts)
		record->attempts_allowed = request->attempts;
}

/* Returns the caller's own flow of a number: small ones, which are LIDs too, and large ones. */
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
	record->own_flow = true;
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
	if (draft.by_kernel) {
		draft.umad->timeout_ms = 1 + (uint32_t)prng_below(&world->prng, 10000);
		draft.umad->retries = (uint32_t)prng_below(&world->prng, 1000);
		*draft.original = *draft.umad;
	}
	request.by_kernel = draft.by_kernel;
	request.umad = draft.umad;
	request.length = draft.length;
	request.no_reply = draft.no_reply;
	request.callback = draft.umad->data;
	request.user = draft.umad;
	error = engine_send(world->engine, (unsigned int)agent->number, &request, &draft.id);
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

struct agent_account *caller_agent(struct world *world)
{
	return world->agent[prng_below(&world->prng, world->agents)];
}

bool caller_send(struct world *world)
{
	struct agent_account *agent = caller_agent(world);

	/* The number of a closed agent with nothing left may be another's. */
	if (agent->closed && !agent->open_records)
		return false;
	return send_by(world, agent);
}
