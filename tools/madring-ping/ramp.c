/* SPDX-License-Identifier: BSD-2-Clause */
#include "ramp.h"

#define NEAR 20u /* the searched rate is known to one part of so many */

void ramp_start(struct ramp *ramp, uint64_t rate_mhz)
{
	*ramp = (struct ramp){ .rate_mhz = rate_mhz };
}

static bool is_near(const struct ramp *ramp)
{
	return ramp->broke_mhz - ramp->held_mhz <= ramp->broke_mhz / NEAR;
}

bool ramp_next(struct ramp *ramp, bool held)
{
	if (held)
		ramp->held_mhz = ramp->rate_mhz;
	else
		ramp->broke_mhz = ramp->rate_mhz;
	if (!ramp->broke_mhz) {
		ramp->rate_mhz *= 2;
		return ramp->rate_mhz <= RAMP_MOST_MHZ;
	}
	if (!ramp->held_mhz) {
		ramp->rate_mhz /= 2;
		return ramp->rate_mhz >= RAMP_LEAST_MHZ;
	}
	ramp->rate_mhz = ramp->held_mhz + (ramp->broke_mhz - ramp->held_mhz) / 2;
	return !is_near(ramp);
}
