/* SPDX-License-Identifier: BSD-2-Clause */
/* The passing of time: the timers that are due, and the next time that one is. */
#include "engine/attempt.h"
#include "engine/held.h"
#include "engine/overtaken.h"
#include "engine/segments.h"
#include "engine/timeout.h"

/*
 * Extends an attempt whose timeout has passed, if an attempt that is sent now would have a longer
 * timeout. With many requests in flight, round trips may grow faster than the timeouts allow for:
 * behind a queue that fills, each reply comes later than the one before. TCP restarts its timer
 * at each ACK for this reason (RFC 6298, 5.3). Returns false if the timeout stands.
 */
static bool extend_attempt(struct engine *engine, uint32_t slot, uint64_t now)
{
	const struct transaction *transaction = &engine->transaction[slot];
	uint64_t timeout;

	/* A postponed attempt was never sent, and a fixed timeout is never extended. */
	if (!transaction->sent_at || timeout_is_pinned(engine, transaction))
		return false;
	timeout = timeout_current(engine, transaction);
	if (transaction->sent_at + timeout <= now)
		return false;
	timeout_arm(engine, slot, transaction->sent_at, timeout);
	return true;
}

void engine_advance(struct engine *engine, uint64_t heard)
{
	uint64_t tick = heard / engine->config.tick_ns;
	uint32_t slot;

	assert(heard >= engine->heard);
	engine->heard = heard;
	if (engine->rmpp)
		segments_advance(engine, heard);
	if (heard >= engine->abandoned_until)
		held_advance(engine, heard);
	overtaken_advance(engine, heard);
	while ((slot = wheel_pop(&engine->wheel, tick)) != WHEEL_NONE) {
		uint64_t deadline = engine->transaction[slot].deadline;

		if (deadline == WHEEL_NEVER)
			continue;
		if (deadline > tick)
			wheel_set(&engine->wheel, slot, deadline);
		else if (!extend_attempt(engine, slot, heard))
			attempt_expire(engine, slot);
	}
}

static uint64_t next_timer_ns(const struct engine *engine)
{
	uint64_t tick = wheel_next(&engine->wheel);

	if (tick == WHEEL_NEVER || tick > ENGINE_NEVER / engine->config.tick_ns)
		return ENGINE_NEVER;
	return tick * engine->config.tick_ns;
}

uint64_t engine_next_deadline(const struct engine *engine)
{
	uint64_t own = next_timer_ns(engine);
	uint64_t other = engine->rmpp ? rmpp_next_deadline(engine->rmpp) : ENGINE_NEVER;
	uint64_t room = held_deadline(engine);
	uint64_t place = overtaken_deadline(engine);

	if (room < own)
		own = room;
	if (place < own)
		own = place;
	return own < other ? own : other;
}

bool engine_wants_write(const struct engine *engine)
{
	return !list_is_empty(&engine->ready_agents) || engine_wants_segment(engine);
}
