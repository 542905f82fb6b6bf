/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking a request: a slot, its flow, and what its reply must look like. */
#include "engine/engine_state.h"

#include <errno.h>
#include <string.h>

#include "engine/route.h"

#define SLOTS_AHEAD 8u

static uint64_t mixed(uint64_t value)
{
	value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93u;
	return value ^ (value >> 32);
}

static uint64_t of_incarnation(uint64_t key, uint64_t incarnation)
{
	return key + incarnation * 0x9e3779b97f4a7c15u;
}

uint64_t send_flow_key(const struct ib_user_mad *umad, bool directed, uint64_t incarnation)
{
	uint64_t gid[2];
	uint64_t key;

	if (directed)
		/* Begun by LID, it is another route from each. */
		key = route_hash(umad->data) + umad->addr.lid;
	else
		key = mixed(umad->addr.qpn) + be16toh(umad->addr.lid);
	if (umad->addr.grh_present) {
		memcpy(gid, umad->addr.gid, sizeof(gid));
		key = mixed(mixed(key ^ gid[0]) ^ gid[1]);
	}
	return of_incarnation(key, incarnation);
}

/* The caller's word, or the destination. */
static uint64_t flow_key(const struct engine_request *request, bool directed, uint64_t incarnation)
{
	if (request->flow)
		return of_incarnation(mixed(request->flow) ^ 1, incarnation);
	return send_flow_key(request->umad, directed, incarnation);
}

/* It cannot be told of a directed route, a permissive LID, and a destination behind a GRH. */
uint16_t send_source_lid(const struct ib_user_mad *umad, bool directed)
{
	if (umad->addr.grh_present || umad->addr.lid == 0xffff || directed)
		return 0;
	return umad->addr.lid;
}

/* The slots that are taken next were used long ago: their memory is fetched beforehand. */
static void prefetch_slots(const struct engine *engine)
{
	uint32_t ahead = engine->free_head + SLOTS_AHEAD;
	const struct transaction *transaction;

	if (ahead >= engine->config.transactions)
		return;
	transaction = &engine->transaction[engine->free_slot[ahead]];
	__builtin_prefetch(transaction, 1);
	__builtin_prefetch((const char *)transaction + 64, 1);
}

static uint32_t slot_take(struct engine *engine)
{
	uint32_t slot = engine->free_slot[engine->free_head];

	prefetch_slots(engine);
	engine->free_head++;
	if (engine->free_head == engine->config.transactions)
		engine->free_head = 0;
	engine->free_count--;
	return slot;
}

static int refusal(const struct engine *engine, const struct agent *agent)
{
	if (engine->shut || agent->state != AGENT_OPEN)
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
	/* Read one by one, as they were written: the header as a whole would have to wait for
	   the stores of its parts. */
	const struct madring_mad_hdr *header = (const void *)umad->data;
	bool directed = route_is_directed(umad->data, request->length);
	struct transaction *transaction;
	uint32_t slot;
	int error = refusal(engine, agent);

	assert(number < engine->config.agents);
	assert(request->length >= sizeof(*header));
	if (error)
		return error;
	slot = slot_take(engine);
	transaction = &engine->transaction[slot];
	assert(transaction->state == TRANSACTION_FREE);
	*transaction = (struct transaction){
		.request = request->umad,
		.deadline = WHEEL_NEVER,
		.timeout_ns = request->timeout_ns,
		.tid = transaction->tid,
		.flow = flow_table_take(&engine->flows, (uint16_t)number,
					flow_key(request, directed, agent->incarnation),
					&agent->pace),
		.attr_mod = header->attr_mod,
		.attr_id = header->attr_id,
		.lid = send_source_lid(umad, directed),
		.mgmt_class = header->mgmt_class,
		.agent = (uint16_t)number,
		.attempts_allowed =
			(uint8_t)(request->attempts ? request->attempts : agent->config.attempts),
		.directed = directed,
		.no_reply = request->no_reply,
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
