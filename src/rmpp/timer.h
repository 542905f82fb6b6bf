/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of transfers. */
#ifndef MADRING_RMPP_TIMER_H
#define MADRING_RMPP_TIMER_H

#include <stdint.h>

#include "rmpp/rmpp.h"

struct transfer;

/* Sets a transfer's timer. Call it after one of the transfer's times has changed. */
void timer_update(struct rmpp *rmpp, uint32_t entry);
/* Returns the first tick that is not before a transfer's next time. */
uint64_t timer_due_tick(const struct rmpp *rmpp, const struct transfer *transfer);
/* Returns @now + @ns, or RMPP_NEVER if either of them is. */
static inline uint64_t timer_after(uint64_t now, uint64_t ns)
{
	return ns < RMPP_NEVER - now ? now + ns : RMPP_NEVER;
}

#endif
