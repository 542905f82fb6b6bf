/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of transfers. */
#include "rmpp/rmpp_state.h"

uint64_t timer_after(uint64_t now, uint64_t ns)
{
	return ns < RMPP_NEVER - now ? now + ns : RMPP_NEVER;
}

static uint64_t due_at(const struct transfer *transfer)
{
	uint64_t at = transfer->timeout_at;

	if (!is_known(transfer))
		return RMPP_NEVER;
	if (transfer->total_at < at)
		at = transfer->total_at;
	return transfer->hold_at < at ? transfer->hold_at : at;
}

/* Returns the first tick that is not before a transfer's next time. */
static uint64_t due_tick(const struct rmpp *rmpp, const struct transfer *transfer)
{
	uint64_t at = due_at(transfer);
	uint64_t tick_ns = rmpp->config.tick_ns;

	if (at > RMPP_NEVER - tick_ns)
		return WHEEL_NEVER;
	return (at + tick_ns - 1) / tick_ns;
}

void timer_update(struct rmpp *rmpp, uint32_t entry)
{
	uint64_t tick = due_tick(rmpp, &rmpp->transfer[entry]);
	struct wheel *wheel = &rmpp->wheel;

	if (tick == WHEEL_NEVER)
		return;
	/*
	 * Most times are extended before they come: a timer that expires early is set again then.
	 */
	if (wheel_holds(wheel, entry)) {
		if (wheel_tick(wheel, entry) <= tick)
			return;
		wheel_remove(wheel, entry);
	}
	wheel_set(wheel, entry, tick);
}

static void expire_timer(struct rmpp *rmpp, uint32_t entry, uint64_t now)
{
	struct transfer *transfer = &rmpp->transfer[entry];

	if (transfer->hold_at <= now) {
		transfer->hold_at = RMPP_NEVER;
		transfer_ready(rmpp, entry);
	}
	if (transfer->timeout_at <= now || transfer->total_at <= now) {
		if (is_send(rmpp, entry))
			send_expire(rmpp, entry, now);
		else
			receive_expire(rmpp, entry, now);
	}
	timer_update(rmpp, entry);
}

void rmpp_advance(struct rmpp *rmpp, uint64_t now)
{
	uint64_t now_tick = now / rmpp->config.tick_ns;
	uint32_t entry;

	assert(now >= rmpp->heard);
	rmpp->heard = now;
	while ((entry = wheel_pop(&rmpp->wheel, now_tick)) != WHEEL_NONE) {
		uint64_t tick = due_tick(rmpp, &rmpp->transfer[entry]);

		if (tick == WHEEL_NEVER)
			continue;
		if (tick > now_tick)
			wheel_set(&rmpp->wheel, entry, tick);
		else
			expire_timer(rmpp, entry, now);
	}
}

uint64_t rmpp_next_deadline(const struct rmpp *rmpp)
{
	uint64_t tick = wheel_next(&rmpp->wheel);

	if (tick == WHEEL_NEVER || tick > RMPP_NEVER / rmpp->config.tick_ns)
		return RMPP_NEVER;
	return tick * rmpp->config.tick_ns;
}
