/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the scenario that a seed plays. */
#include "segments_world.h"

#define MS 1000000ull

static uint32_t sometimes(struct prng *prng, uint32_t most)
{
	return prng_chance(prng, 300000) ? (uint32_t)prng_log_range(prng, 100, most) : 0;
}

/* Makes messages take longer than a reply is waited for, and removes all other trouble. */
static void make_slow(struct scenario *s)
{
	*s = (struct scenario){
		.engine = s->engine,
		.requests = 5,
		.calls = 1,
		.longest = 60000,
		.pause_ns = s->pause_ns,
		.delay_ns = 5 * MS,
		.answer_ns = s->answer_ns,
		.long_request = s->long_request,
		.long_reply = 800000,
		.slow = true,
	};
}

void scenario_draw(struct scenario *scenario, struct prng *prng)
{
	*scenario = (struct scenario){
		.engine = {
			.transactions = (uint32_t)prng_log_range(prng, 4, 64),
			.agents = AGENTS,
			.lanes = LANES,
			.tick_ns = prng_log_range(prng, 1000, MS),
			.seed = prng_next(prng),
			.now = prng_chance(prng, 500000) ? 0 : 1ull << 40,
		},
		.requests = (uint32_t)prng_log_range(prng, 1, 60),
		.calls = (uint32_t)prng_log_range(prng, 1, 30),
		.longest = prng_log_range(prng, 300, 60000),
		.pause_ns = prng_log_range(prng, 1, 20 * MS),
		.delay_ns = prng_log_range(prng, 1000, 3 * MS),
		.jitter_ns = prng_chance(prng, 500000) ? 0 : prng_log_range(prng, 1, 3 * MS),
		.answer_ns = prng_log_range(prng, 1, 30 * MS),
		.loss = sometimes(prng, 100000),
		.twice = sometimes(prng, 100000),
		.no_room = sometimes(prng, 50000),
		.write_error = sometimes(prng, 1000),
		.memory_refused = sometimes(prng, 20000),
		.cancel = sometimes(prng, 10000),
		.lane_lost = sometimes(prng, 5000),
		.agent_closed = sometimes(prng, 1000),
		.long_request = (uint32_t)prng_below(prng, 1000000),
		.long_reply = (uint32_t)prng_below(prng, 1000000),
		.no_reply = sometimes(prng, 500000),
		.plain_class = sometimes(prng, 500000),
		.hasty = prng_chance(prng, 200000),
		.shut_down = prng_chance(prng, 100000),
	};
	scenario->engine.flows = scenario->engine.transactions;
	/* Lost lanes make replies answer earlier attempts, which went by other lanes. */
	if (scenario->hasty && prng_chance(prng, 500000))
		scenario->lane_lost = 10000;
	if (prng_chance(prng, 500000))
		scenario->sending_ns = prng_log_range(prng, 1000, 500 * scenario->engine.tick_ns);
	if (prng_chance(prng, 50000))
		make_slow(scenario);
}

/* `scenario_is_quiet` tells whether no message can fail, but for one that takes too long. */
bool scenario_is_quiet(const struct scenario *s)
{
	return !s->loss && !s->no_room && !s->write_error && !s->memory_refused && !s->cancel &&
	       !s->lane_lost && !s->agent_closed && !s->hasty && !s->shut_down;
}
