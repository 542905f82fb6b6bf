/* SPDX-License-Identifier: BSD-2-Clause */
#include "micro_loop.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_MAD	 150u /* of the engine's time, so that a round trip is entries times this */
#define DRIVER_BATCH	 32u
#define AGENT_ID	 1u
#define HOPS		 4u
#define DR_CLASS	 0x81
#define PMA_CLASS	 0x04
#define DR_HOP_COUNT	 7
#define DR_INITIAL_PATH	 128
#define PER_DESTINATION	 8u
#define ATTRIBUTE	 0x0012
#define MS		 1000000u
#define FILL_TURNS_LIMIT 1000000u

uint32_t loop_random(struct loop *loop, uint32_t limit)
{
	loop->random ^= loop->random << 13;
	loop->random ^= loop->random >> 7;
	loop->random ^= loop->random << 17;
	return (uint32_t)(((loop->random >> 32) * limit) >> 32);
}

/* Writes what a request and its reply have in common. */
static void build(const struct loop *loop, struct ib_user_mad *umad, uint8_t method,
		  uint32_t destination)
{
	struct madring_mad_hdr *header = (struct madring_mad_hdr *)umad->data;

	header->base_version = 1;
	header->mgmt_class = loop->directed ? DR_CLASS : PMA_CLASS;
	header->class_version = 1;
	header->method = method;
	header->attr_id = htobe16(ATTRIBUTE);
	header->attr_mod = 0;
	if (!loop->directed) {
		umad->addr.lid = htobe16((uint16_t)(destination + 1));
		return;
	}
	umad->addr.lid = 0xffff;
	umad->data[DR_HOP_COUNT] = HOPS;
	for (unsigned int hop = 1; hop <= HOPS; hop++)
		umad->data[DR_INITIAL_PATH + hop] =
			(uint8_t)(1 + (destination >> (5 * (hop - 1)) & 31));
}

void loop_build_reply(const struct loop *loop, struct ib_user_mad *reply,
		      const struct loop_wire *wire)
{
	struct madring_mad_hdr *header = (struct madring_mad_hdr *)reply->data;

	reply->agent_id = AGENT_ID;
	reply->status = 0;
	build(loop, reply, MADRING_GET_RESP, wire->destination);
	memcpy(&header->tid, &wire->tid, sizeof(wire->tid));
}

/* Returns a place in the ring; @at is less than once round too far. */
static struct loop_wire *wire_at(const struct loop *loop, uint32_t at)
{
	return &loop->wire[at < loop->entries ? at : at - loop->entries];
}

static void send_one(struct loop *loop, struct ib_user_mad *umad)
{
	struct engine_request request = {
		.umad = umad,
		.length = MADRING_MAD_BYTES,
		.user = (void *)(uintptr_t)loop->next_destination,
	};
	uint64_t id;

	build(loop, umad, MADRING_GET, loop->next_destination);
	if (++loop->next_destination == loop->destinations)
		loop->next_destination = 0;
	if (engine_send(loop->engine, (unsigned int)loop->agent, &request, &id))
		abort();
}

static uint32_t destination_of(const struct loop *loop, const struct ib_user_mad *umad)
{
	uint32_t destination = 0;

	if (!loop->directed)
		return be16toh(umad->addr.lid) - 1u;
	for (unsigned int hop = 1; hop <= HOPS; hop++)
		destination |= (umad->data[DR_INITIAL_PATH + hop] - 1u) << (5 * (hop - 1));
	return destination;
}

static void write_all(struct loop *loop)
{
	struct engine_write write;

	while (engine_next_write(loop->engine, loop->now, &write)) {
		struct loop_wire *wire = wire_at(loop, loop->wire_first + loop->wire_count++);

		memcpy(&wire->tid, write.umad->data + offsetof(struct madring_mad_hdr, tid),
		       sizeof(wire->tid));
		wire->destination = destination_of(loop, write.umad);
		engine_write_done(loop->engine, write.id, 0, loop->now);
	}
}

/*
 * Chooses the next MADs that are answered, and prefetches them: the cost of finding them is not the
 * engine's.
 */
static void choose_wires(struct loop *loop, uint32_t *chosen, uint32_t batch)
{
	for (uint32_t i = 0; i < batch; i++) {
		chosen[i] = loop->wire_first + i;
		if (loop->random_order)
			chosen[i] += loop_random(loop, loop->wire_count - i);
		__builtin_prefetch(wire_at(loop, chosen[i]), 1);
	}
}

/* Takes a MAD out of those in flight; the first one takes its place. */
static struct loop_wire take_wire(struct loop *loop, uint32_t at)
{
	struct loop_wire *chosen = wire_at(loop, at);
	struct loop_wire taken = *chosen;

	*chosen = loop->wire[loop->wire_first];
	if (++loop->wire_first == loop->entries)
		loop->wire_first = 0;
	loop->wire_count--;
	return taken;
}

/* Receives MADs as the drivers do: all are prefetched, and then received. */
static void receive_some(struct loop *loop, struct ib_user_mad *const *reply, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		engine_prefetch(loop->engine, reply[i]);
	for (uint32_t i = 0; i < count; i++)
		if (engine_receive(loop->engine, 0, reply[i], sizeof(*reply[i]) + 256, loop->now) !=
		    ENGINE_REPLY)
			abort();
}

static void receive(struct loop *loop, uint32_t batch)
{
	uint32_t chosen[LOOP_BATCH];

	choose_wires(loop, chosen, batch);
	for (uint32_t i = 0; i < batch; i++) {
		struct loop_wire wire = take_wire(loop, chosen[i]);

		loop_build_reply(loop, loop->reply[i], &wire);
	}
	for (uint32_t i = 0; i < batch; i += DRIVER_BATCH)
		receive_some(loop, loop->reply + i,
			     batch - i < DRIVER_BATCH ? batch - i : DRIVER_BATCH);
}

uint32_t loop_turn(struct loop *loop)
{
	uint32_t batch = loop->wire_count < LOOP_BATCH ? loop->wire_count : LOOP_BATCH;
	struct engine_completion completion;

	loop->now += (uint64_t)batch * NS_PER_MAD;
	engine_advance(loop->engine, loop->now);
	receive(loop, batch);
	while (engine_next_completion(loop->engine, &completion))
		loop->idle[loop->idle_count++] = completion.request;
	while (loop->idle_count)
		send_one(loop, loop->idle[--loop->idle_count]);
	write_all(loop);
	return batch;
}

static int open_engine(struct loop *loop)
{
	struct engine_config config = {
		.transactions = loop->entries,
		.agents = 1,
		.lanes = 4,
		.flows = loop->entries,
		.tick_ns = MS,
		.seed = 1,
		.now = loop->now,
	};
	struct engine_agent_config agent = {
		.window = loop->entries,
		.flow_window = 2 * PER_DESTINATION,
		/* The loop has no bottleneck by which the pace could find its windows. */
		.pin_window = true,
		.pin_flow_window = true,
		/* No reply in random order takes so long, so nothing is retried. */
		.first_timeout_ns = 4000 * (uint64_t)MS,
		.min_timeout_ns = 4000 * (uint64_t)MS,
		.max_timeout_ns = 8000 * (uint64_t)MS,
		.attempts = 8,
		.lane_count = 1,
		.lane = { { .lane = 0, .agent_id = AGENT_ID } },
	};
	int error = engine_open(&loop->engine, &config);

	if (error)
		return error;
	for (unsigned int lane = 0; lane < config.lanes; lane++)
		engine_lane_open(loop->engine, lane);
	loop->agent = engine_agent_open(loop->engine, &agent);
	return loop->agent;
}

static int open_buffers(struct loop *loop)
{
	struct pool_config config = {
		.plain = loop->entries + LOOP_BATCH,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	int error = pool_open(&loop->pool, &config);

	if (error)
		return error;
	loop->wire = calloc(loop->entries, sizeof(*loop->wire));
	if (!loop->wire)
		return -1;
	for (uint32_t i = 0; i < LOOP_BATCH; i++)
		loop->reply[i] = madring_mad_umad(pool_take_plain(loop->pool));
	return 0;
}

/* Takes turns until all that was sent is in flight, because windows grow by the replies. */
static void fill(struct loop *loop)
{
	for (uint32_t i = 0; i < loop->entries; i++)
		send_one(loop, madring_mad_umad(pool_take_plain(loop->pool)));
	write_all(loop);
	for (uint32_t i = 0; i < FILL_TURNS_LIMIT && loop->wire_count < loop->entries; i++)
		loop_turn(loop);
	/* Another round touches every table. */
	for (uint32_t i = 0; i < loop->entries; i += LOOP_BATCH)
		loop_turn(loop);
}

struct loop *loop_open(uint32_t entries, bool directed, bool random_order)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->entries = entries;
	loop->destinations = entries / PER_DESTINATION;
	loop->directed = directed;
	loop->random_order = random_order;
	loop->random = 88172645463325252u;
	if (open_buffers(loop) || open_engine(loop) < 0) {
		loop_close(loop);
		return NULL;
	}
	fill(loop);
	return loop;
}

static const char *complaint(const struct loop *loop)
{
	const struct engine_stats *stats;

	if (!loop->engine)
		return NULL;
	stats = engine_stats(loop->engine);
	if (stats->in_flight_peak != loop->entries)
		return "not all were in flight at once";
	if (stats->retried || stats->replies != stats->completed)
		return "not all were answered at once";
	return NULL;
}

const char *loop_close(struct loop *loop)
{
	const char *error = complaint(loop);

	engine_close(loop->engine);
	pool_close(loop->pool);
	free(loop->wire);
	free(loop);
	return error;
}
