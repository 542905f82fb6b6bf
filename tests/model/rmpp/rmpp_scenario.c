/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the scenario that a seed plays, and the configuration of both ends. */
#include "rmpp_world.h"

#define MS 1000000ull

static uint32_t sometimes(struct prng *prng, uint32_t most)
{
	return prng_chance(prng, 400000) ? (uint32_t)prng_below(prng, most) : 0;
}

void scenario_draw(struct scenario *scenario, struct prng *prng)
{
	*scenario = (struct scenario){
		.exchanges = (uint32_t)prng_log_range(prng, 1, 60),
		.longest = prng_log_range(prng, 64, 100000),
		.pause_ns = prng_log_range(prng, 1, 50 * MS),
		.delay_ns = prng_log_range(prng, 1000, 5 * MS),
		.jitter_ns = prng_log_range(prng, 1, 5 * MS),
		.answer_ns = prng_log_range(prng, 1, 50 * MS),
		.loss = sometimes(prng, 150000),
		.twice = sometimes(prng, 100000),
		.no_room = sometimes(prng, 50000),
		.write_error = sometimes(prng, 200),
		.memory_refused = sometimes(prng, 20000),
		.cancel = sometimes(prng, 1000),
		.lane_lost = sometimes(prng, 100),
		.forgetful = prng_chance(prng, 200000),
	};
}

/* Sets the numbers that the library uses. */
static void usual(struct rmpp_config *config)
{
	config->frames = 256;
	config->window = WINDOW_MAX;
	config->first_timeout_ns = 250 * MS;
	config->min_timeout_ns = 25 * MS;
	config->retries = 7;
	config->total_ns = RMPP_NEVER;
	config->tick_ns = MS;
}

void scenario_config(const struct scenario *scenario, struct prng *prng, struct rmpp_config *config)
{
	uint32_t entries = 2 * scenario->exchanges;

	*config = (struct rmpp_config){
		.sends = entries,
		.receives = entries,
		.frames = (uint32_t)prng_log_range(prng, 4, 512),
		.window = (uint32_t)prng_range(prng, 1, WINDOW_MAX),
		.message_limit = scenario->longest < 256 ? 256 : scenario->longest,
		.first_timeout_ns = prng_log_range(prng, 5 * MS, 250 * MS),
		.min_timeout_ns = prng_log_range(prng, MS, 25 * MS),
		.max_timeout_ns = 1000 * MS,
		.retries = (unsigned int)prng_range(prng, 1, 9),
		.idle_ns = 12000 * MS,
		.total_ns = prng_chance(prng, 200000) ? 3000 * MS : RMPP_NEVER,
		.linger_ns = 12000 * MS,
		.tick_ns = prng_log_range(prng, 1000, MS),
		.seed = prng_next(prng),
	};
	if (scenario->whole)
		usual(config);
	if (!scenario->forgetful)
		return;
	config->sends = (uint32_t)prng_range(prng, 1, entries);
	config->receives = (uint32_t)prng_range(prng, 1, entries);
	config->linger_ns = prng_range(prng, 1, 50 * MS);
	config->idle_ns = prng_range(prng, 50 * MS, 12000 * MS);
}
