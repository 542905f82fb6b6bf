/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of transfers. */
#include "rmpp/timer.h"

#include "rmpp/rmpp_state.h"

static uint64_t due_at(const struct transfer *transfer)
{
	uint64_t at = transfer->timeout_at;

	if (!is_known(transfer))
		return RMPP_NEVER;
	if (transfer->total_at < at)
		at = transfer->total_at;
	return transfer->hold_at < at ? transfer->hold_at : at;
}

uint64_t timer_due_tick(const struct rmpp *rmpp, const struct transfer *transfer)
{
	uint64_t at = due_at(transfer);
	uint64_t tick_ns = rmpp->config.tick_ns;

	if (at > RMPP_NEVER - tick_ns)
		return WHEEL_NEVER;
	return (at + tick_ns - 1) / tick_ns;
}

void timer_update(struct rmpp *rmpp, uint32_t entry)
{
	uint64_t tick = timer_due_tick(rmpp, &rmpp->transfer[entry]);
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
