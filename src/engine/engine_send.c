/* SPDX-License-Identifier: BSD-2-Clause */
/* Accepts a request: gives it a slot and a flow, and records what its reply must repeat. */
#include <errno.h>
#include <string.h>

#include "base/address.h"
#include "engine/destination.h"
#include "engine/engine_state.h"
#include "engine/queue.h"
#include "engine/route.h"

#define SLOTS_AHEAD 8u

/* Returns the key of a request's flow: the caller's, or the destination's. */
static uint64_t request_flow_key(const struct engine_request *request, bool directed,
				 uint64_t incarnation)
{
	if (request->flow)
		return destination_named_flow_key(request->flow, incarnation);
	return destination_flow_key(request->umad, directed, incarnation);
}

/* Prefetches a slot that will be taken soon, because it was used long ago. */
static void prefetch_later_slot(const struct engine *engine)
{
	uint32_t ahead = engine->free_head + SLOTS_AHEAD;
	const struct transaction *transaction;

	if (engine->free_count <= SLOTS_AHEAD || ahead >= engine->config.transactions)
		return;
	transaction = &engine->transaction[engine->free_slot[ahead]];
	__builtin_prefetch(transaction, 1);
	__builtin_prefetch((const char *)transaction + 64, 1);
}

static uint32_t take_slot(struct engine *engine)
{
	uint32_t slot = engine->free_slot[engine->free_head];

	prefetch_later_slot(engine);
	engine->free_head++;
	if (engine->free_head == engine->config.transactions)
		engine->free_head = 0;
	engine->free_count--;
	return slot;
}

/*
 * `needs_own_tid` tells whether the engine gives a request its TIDs. It does for each request with
 * a reply; without one, only where the caller set none. Linux refuses a request while it still
 * sends another with the same TID.
 */
static bool needs_own_tid(const struct engine_request *request)
{
	const struct madring_mad_hdr *header = (const void *)request->umad->data;

	if (!request->no_reply)
		return true;
	return !request->segmented && !tid_read(request->umad->data) &&
	       !(header->method & MADRING_RESPONSE_BIT) && header->method != MADRING_TRAP_REPRESS;
}

static int why_refused(const struct engine *engine, const struct agent *agent)
{
	if (engine->is_shut || agent->state != AGENT_OPEN)
		return -ESHUTDOWN;
	if (agent->lost)
		return -ENODEV;
	return engine->free_count ? 0 : -EAGAIN;
}

int engine_send(struct engine *engine, unsigned int number, const struct engine_request *request,
		uint64_t *id)
{
	struct agent *agent = &engine->agent[number];
	const struct ib_user_mad *umad = request->umad;
	/*
	 * Read field by field, as they were written: a load of the whole header would wait for the
	 * stores of its parts.
	 */
	const struct madring_mad_hdr *header = (const void *)umad->data;
	bool directed = route_is_directed(umad->data, request->length);
	struct transaction *transaction;
	uint32_t slot;
	int error;

	assert(number < engine->config.agents && request->length >= sizeof(*header));
	error = why_refused(engine, agent);
	if (error)
		return error;
	slot = take_slot(engine);
	wheel_prefetch(&engine->wheel, slot);
	transaction = &engine->transaction[slot];
	assert(transaction->state == TRANSACTION_FREE);
	*transaction = (struct transaction){
		.request = request->umad,
		.deadline = WHEEL_NEVER,
		.timeout_ns = request->timeout_ns,
		.tid = transaction->tid,
		.flow = flow_table_take(&engine->flows, (uint16_t)number,
					request_flow_key(request, directed, agent->incarnation),
					&agent->pace),
		.attr_mod = header->attr_mod,
		.attr_id = header->attr_id,
		.lid = destination_source_lid(umad, directed),
		.mgmt_class = header->mgmt_class,
		.agent = (uint16_t)number,
		.attempts_allowed =
			(uint8_t)(request->attempts ? request->attempts : agent->config.attempts),
		.directed = directed,
		.no_reply = request->no_reply,
		.is_careful = request->careful || header->method != MADRING_GET,
		.has_own_tid = needs_own_tid(request),
		.segmented = request->segmented,
		.by_kernel = request->by_kernel,
		.own_flow = request->flow != 0,
		.length = (uint32_t)request->length,
		.serial = ++engine->serial,
		.callback = request->callback,
		.user = request->user,
	};
	agent->transactions++;
	engine->outstanding++;
	engine->stats.accepted++;
	*id = transaction->serial << engine->slot_bits | slot;
	queue_append(engine, slot);
	return 0;
}
