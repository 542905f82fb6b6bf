/* SPDX-License-Identifier: BSD-2-Clause */
/* The passing of time: the timers that are due, and the next time that one is. */
#include "rmpp/rmpp_state.h"
#include "rmpp/timer.h"

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
		uint64_t tick = timer_due_tick(rmpp, &rmpp->transfer[entry]);

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
