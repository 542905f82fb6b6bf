/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel, as it is to agents with UMAD_USER_RMPP: it numbers requests by the agent that wrote
 * them, lets a response through while a write waits for one, and in segments always, and tells
 * when none has come. It takes no second MAD with a TID that it is sending, but for segments.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

#define MS 1000000ull

/* Returns the high half of a TID, which names the agent and its lane. */
static uint8_t owner_of(unsigned int lane, uint32_t agent_id)
{
	return (uint8_t)(16 * (lane + 1) + agent_id);
}

static unsigned int owner_lane(uint8_t owner)
{
	return owner / 16u - 1;
}

static void wait_for_reply(struct world *world, const struct ib_user_mad *umad, unsigned int lane)
{
	struct waiting *waiting = must_alloc(sizeof(*waiting));

	waiting->umad = *umad;
	memcpy(waiting->header, umad->data, sizeof(waiting->header));
	waiting->lane = lane;
	waiting->next = world->waiting;
	world->waiting = waiting;
	network_schedule(world, EVENT_TIME_OUT, world->now + umad->timeout_ms * MS, waiting, 0);
}

static void note_digest(struct world *world, const struct engine_write *write)
{
	const uint8_t *bytes = (const uint8_t *)write->umad;
	uint64_t digest = world->digest ^ world->now;

	for (size_t i = 0; i < write->bytes; i++)
		digest = (digest ^ bytes[i]) * 0x100000001b3u;
	world->digest = digest ^ digest >> 31;
}

static void check_write(const struct world *world, const struct engine_write *write)
{
	if (write->bytes != sizeof(struct ib_user_mad) + MADRING_MAD_BYTES)
		fail(world, "a write of %zu bytes", write->bytes);
	if (world->lane_lost[write->lane])
		fail(world, "a write on a lane that is lost");
	if (write->umad->agent_id < AGENT_ID || write->umad->agent_id >= AGENT_ID + AGENTS)
		fail(world, "a write for nobody");
	if (world->agent_closed[write->umad->agent_id - AGENT_ID])
		fail(world, "a write for an agent that is closed");
}

static bool is_active(const uint8_t *mad)
{
	return mad[1] == SA_CLASS && mad[26] & 1;
}

static struct being_sent as_sent(const struct world *world, const struct engine_write *write,
				 unsigned int node)
{
	struct being_sent sent = {
		.is_response = write->umad->data[3] & RESPONSE,
		.lane = write->lane,
		.node = node,
		.until = world->now,
	};

	memcpy(sent.tid, write->umad->data + 8, sizeof(sent.tid));
	if (!sent.is_response)
		sent.tid[3] = owner_of(write->lane, write->umad->agent_id);
	return sent;
}

static bool is_duplicate(const struct world *world, const struct being_sent *new)
{
	for (unsigned int i = 0; i < BEING_SENT; i++) {
		const struct being_sent *old = &world->being_sent[i];

		if (old->until > new->until && old->lane == new->lane &&
		    !memcmp(old->tid, new->tid, sizeof(new->tid)) &&
		    old->is_response == new->is_response &&
		    (!new->is_response || old->node == new->node))
			return true;
	}
	return false;
}

/* Takes a write to be sent. Returns false if it is a duplicate. */
static bool send_once(struct world *world, const struct engine_write *write, unsigned int node)
{
	struct being_sent sent = as_sent(world, write, node);

	if (!is_active(write->umad->data) && is_duplicate(world, &sent)) {
		world->duplicates++;
		return false;
	}
	sent.until += prng_below(&world->prng, world->scenario.sending_ns + 1);
	world->being_sent[world->taken++ % BEING_SENT] = sent;
	return true;
}

static int write_result(struct world *world)
{
	if (prng_chance(&world->prng, world->scenario.no_room))
		return -EAGAIN;
	return prng_chance(&world->prng, world->scenario.write_error) ? -EINVAL : 0;
}

static void take(struct world *world, const struct engine_write *write)
{
	unsigned int node = be16toh(write->umad->addr.lid) - 1u;
	uint8_t mad[MADRING_MAD_BYTES];
	int error = write_result(world);

	check_write(world, write);
	if (!error && !send_once(world, write, node))
		error = -EINVAL;
	note_digest(world, write);
	network_schedule(world, EVENT_REPORT, world->now + prng_below(&world->prng, 3000), NULL,
			 (uint64_t)-error << 40 | (uint64_t)write->id.kind << 32 |
				 write->id.number);
	if (error)
		return;
	memcpy(mad, write->umad->data, sizeof(mad));
	if (!(mad[3] & RESPONSE))
		mad[11] = owner_of(write->lane, write->umad->agent_id);
	if (write->umad->timeout_ms)
		wait_for_reply(world, write->umad, write->lane);
	network_send(world, EVENT_TO_NODE, node, mad);
}

void kernel_write(struct world *world)
{
	struct engine_write write;
	unsigned int lane;
	struct engine_write_id id;

	while (engine_next_write(world->engine, world->now, &write))
		take(world, &write);
	/* All writes are reported soon. */
	while (engine_next_abort(world->engine, &id, &lane))
		;
}

void kernel_report(struct world *world, uint64_t tag)
{
	const struct engine_write_id id = {
		.kind = (enum engine_write_kind)(tag >> 32 & 0xff),
		.number = (uint32_t)tag,
	};

	engine_write_done(world->engine, id, -(int)(tag >> 40), world->now);
}

/* Ends the wait of the write that a response answers. Returns false if there is none. */
static bool answer(struct world *world, unsigned int lane, const uint8_t *mad)
{
	struct waiting **link = &world->waiting;

	for (; *link; link = &(*link)->next) {
		struct waiting *waiting = *link;

		if (waiting->lane != lane || memcmp(waiting->header + 12, mad + 12, 4) != 0 ||
		    waiting->header[1] != mad[1])
			continue;
		/* Its timeout finds it on no lane. */
		*link = waiting->next;
		waiting->lane = LANES;
		return true;
	}
	return false;
}

static void deliver(struct world *world, unsigned int lane, uint32_t agent_id, unsigned int node,
		    const uint8_t *mad)
{
	struct ib_user_mad *umad = buffer_new(world, MADRING_MAD_BYTES);
	enum engine_receive result;

	umad->agent_id = agent_id;
	umad->addr.lid = htobe16((uint16_t)(node + 1));
	umad->addr.qpn = htobe32(1);
	umad->length = sizeof(*umad) + MADRING_MAD_BYTES;
	memcpy(umad->data, mad, MADRING_MAD_BYTES);
	result = engine_receive(world->engine, lane, umad, umad->length, world->now);
	if (is_active(mad) != (result == ENGINE_SEGMENT))
		fail(world, "a MAD was taken for %d", result);
	if (result != ENGINE_REPLY && result != ENGINE_REQUEST)
		buffer_free(world, umad);
}

static void receive_response(struct world *world, unsigned int node, const uint8_t *mad)
{
	unsigned int lane = owner_lane(mad[11]);
	uint32_t agent_id = mad[11] % 16;

	if (world->lane_lost[lane] || world->agent_closed[agent_id - AGENT_ID])
		return;
	if (answer(world, lane, mad) || is_active(mad))
		deliver(world, lane, agent_id, node, mad);
	else
		world->dropped_by_kernel++;
}

void kernel_receive(struct world *world, unsigned int node, const uint8_t *mad)
{
	if (mad[3] & RESPONSE)
		receive_response(world, node, mad);
	else if (!world->lane_lost[0] && !world->agent_closed[SERVER])
		deliver(world, 0, AGENT_ID + SERVER, node, mad);
}

/* `kernel_time_out` ends a write's wait at its timeout, which comes once, and frees it. */
void kernel_time_out(struct world *world, struct waiting *waiting)
{
	struct waiting **link = &world->waiting;
	struct ib_user_mad *notice;

	while (*link && *link != waiting)
		link = &(*link)->next;
	if (*link)
		*link = waiting->next;
	if (waiting->lane < LANES && !world->lane_lost[waiting->lane]) {
		notice = buffer_new(world, sizeof(waiting->header));
		*notice = waiting->umad;
		notice->status = ETIMEDOUT;
		notice->length = 0;
		memcpy(notice->data, waiting->header, sizeof(waiting->header));
		if (engine_receive(world->engine, waiting->lane, notice,
				   sizeof(*notice) + sizeof(waiting->header),
				   world->now) != ENGINE_NOTICE)
			fail(world, "a notice was taken for something else");
		buffer_free(world, notice);
	}
	free(waiting);
}
