/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "world.h"

static void report(const struct world *world)
{
	const struct rmpp_stats *a = rmpp_stats(world->end[0].rmpp);
	const struct rmpp_stats *b = rmpp_stats(world->end[1].rmpp);

	printf("seed %" PRIu64 ": %u exchanges in %.6f s, %" PRIu64 " packets, %" PRIu64 " lost; "
	       "%" PRIu64 " messages sent, %" PRIu64 " not; %" PRIu64 " received, %" PRIu64
	       " not; %" PRIu64 " segments, %" PRIu64 " again, %" PRIu64 " in vain; %" PRIu64
	       " ACKs, %" PRIu64 " refusals\n",
	       world->seed, world->started, (double)(world->told_at - world->config.now) / 1e9,
	       world->packets, world->lost, a->sent + b->sent, a->send_failed + b->send_failed,
	       a->received + b->received, a->receive_failed + b->receive_failed,
	       a->segments + b->segments, a->resent + b->resent, a->repeated_in + b->repeated_in,
	       a->acks + b->acks, a->refusals + b->refusals);
}

uint64_t world_play_scenario(uint64_t seed, const struct scenario *scenario, bool verbose)
{
	struct world world;

	world_open(&world, seed, scenario);
	world_play(&world);
	if (verbose)
		report(&world);
	world_close(&world);
	return world.digest;
}
