/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "deferral.h"
#include "engine_scenario.h"

#define US 1000ull
#define MS (1000 * US)
#define S  (1000 * MS)

/* Draws a chance, which is 0 for half of all seeds, so that each trouble is also seen alone. */
static uint32_t trouble(struct prng *prng, uint32_t most)
{
	return prng_chance(prng, 500000) ? 0 : (uint32_t)prng_log_range(prng, 1000, most);
}

static void draw_limits(struct scenario *s, struct prng *prng)
{
	static const uint64_t starts[] = { 0, 1, 123456789, 1ull << 40, (1ull << 55) + 12345 };
	struct engine_config *engine = &s->engine;

	engine->transactions = (uint32_t)prng_log_range(prng, 1, 4096);
	if (prng_chance(prng, 300000))
		engine->transactions = (uint32_t)prng_range(prng, 1, 9);
	engine->agents = (uint32_t)prng_range(prng, 1, 8);
	engine->lanes = (uint32_t)prng_range(prng, 1, 8);
	engine->flows = engine->transactions;
	if (prng_chance(prng, 500000))
		engine->flows += (uint32_t)prng_below(prng, 2 * engine->transactions);
	engine->tick_ns = prng_log_range(prng, 100, 10 * MS);
	if (prng_chance(prng, 50000))
		engine->tick_ns = prng_chance(prng, 500000) ? 1 : S;
	engine->seed = prng_next(prng);
	engine->now = starts[prng_below(prng, sizeof(starts) / sizeof(*starts))];
}

static void draw_network(struct scenario *s, struct prng *prng)
{
	s->delay_shape = (enum delay_shape)prng_below(prng, 3);
	s->delay_ns = s->patience_ns / prng_log_range(prng, 1, 1000) + 1;
	if (prng_chance(prng, 100000))
		s->delay_ns = 2 * s->patience_ns;
	s->loss = trouble(prng, 500000);
	if (prng_chance(prng, 30000))
		s->loss = 1000000;
	s->duplicate = trouble(prng, 500000);
	s->ghost = trouble(prng, 300000);
	s->forge = trouble(prng, 700000);
	s->malformed = trouble(prng, 300000);
	s->garbage = trouble(prng, 200000);
	s->unsolicited = trouble(prng, 200000);
	s->notice = trouble(prng, 1000000);
	s->busy = trouble(prng, 500000);
	s->redirect = trouble(prng, 500000);
	s->kernel_limit = prng_chance(prng, 500000) ? 0 : 700000;
	s->write_error = trouble(prng, 200000);
	s->write_again = trouble(prng, 400000);
	s->write_slow = trouble(prng, 1000000);
	s->write_hang = trouble(prng, 50000);
}

static void draw_caller(struct scenario *s, struct prng *prng)
{
	s->burst = (uint32_t)prng_log_range(prng, 1, 2 * s->engine.transactions);
	s->no_reply = trouble(prng, 300000);
	s->own_timeout = trouble(prng, 500000);
	s->forever = trouble(prng, 50000);
	s->own_attempts = trouble(prng, 500000);
	s->own_flow = trouble(prng, 900000);
	s->by_kernel = trouble(prng, 200000);
	s->large = trouble(prng, 300000);
	s->send_again = trouble(prng, 1000000);
	s->cancel = trouble(prng, 300000);
	s->cancel_ended = trouble(prng, 300000);
	s->agent_cancel = trouble(prng, 20000);
	s->agent_close = trouble(prng, 20000);
	s->agent_open = trouble(prng, 100000);
	s->lane_lost = prng_chance(prng, 300000) ? (uint32_t)prng_log_range(prng, 100, 20000) : 0;
	s->skip_advance = trouble(prng, 800000);
	s->skip_drain = trouble(prng, 800000);
	s->skip_write = trouble(prng, 500000);
	s->tiny_step = trouble(prng, 500000);
	s->giant_step = trouble(prng, 30000);
	s->ending = (enum ending)prng_below(prng, 3);
}

void scenario_draw(struct scenario *s, struct prng *prng)
{
	memset(s, 0, sizeof(*s));
	draw_limits(s, prng);
	s->destinations = (uint32_t)prng_log_range(prng, 1, prng_chance(prng, 100000) ? 2000 : 40);
	s->own_flows = (uint32_t)prng_log_range(prng, 1, 40);
	s->patience_ns = prng_log_range(prng, 10 * US, 10 * S);
	s->requests = prng_log_range(prng, 10, prng_chance(prng, 50000) ? 10000 : 1500);
	s->writes = 4 * s->requests;
	if (prng_chance(prng, 10000)) {
		s->requests = 20000;
		s->writes = 100000;
	}
	draw_network(s, prng);
	draw_caller(s, prng);
}

static uint32_t draw_window(struct prng *prng)
{
	return (uint32_t)prng_log_range(prng, 1, prng_chance(prng, 500000) ? 8 : 5000);
}

void scenario_draw_agent(const struct scenario *s, struct prng *prng,
			 struct engine_agent_config *config)
{
	memset(config, 0, sizeof(*config));
	config->window = draw_window(prng);
	config->flow_window = draw_window(prng);
	config->pin_window = prng_chance(prng, 500000);
	config->pin_flow_window = prng_chance(prng, 500000);
	config->pin_timeout = prng_chance(prng, 500000);
	config->first_timeout_ns = prng_log_range(prng, s->patience_ns / 2, 2 * s->patience_ns);
	config->min_timeout_ns = config->first_timeout_ns / prng_log_range(prng, 1, 100) + 1;
	if (config->min_timeout_ns > config->first_timeout_ns)
		config->min_timeout_ns = config->first_timeout_ns;
	config->max_timeout_ns = config->first_timeout_ns * prng_log_range(prng, 1, 20);
	config->attempts = (unsigned int)prng_log_range(prng, 1, 8);
	if (prng_chance(prng, 50000))
		config->attempts = (unsigned int)prng_range(prng, 1, 255);
	config->report_busy = prng_chance(prng, 100000);
	config->report_redirects = prng_chance(prng, 100000);
	if (prng_chance(prng, 500000)) {
		config->pkeys = deferral_pkeys;
		config->pkey_count = sizeof(deferral_pkeys) / sizeof(*deferral_pkeys);
	}
	if (prng_chance(prng, 20000)) {
		config->pin_timeout = true;
		config->first_timeout_ns = ENGINE_NEVER;
		config->attempts = 1;
	}
}
