/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents and their lanes: opened, closed and lost. */
#include <errno.h>

#include "model/common/must_alloc.h"
#include "engine_world.h"

#define KERNEL_AGENTS 32u /* of one file */

static unsigned int agents_in_use(const struct world *world)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < world->agents; i++)
		used += !world->agent[i]->closed || world->agent[i]->open_records;
	return used;
}

static bool has_number(const struct engine_agent_config *config, unsigned int lane, uint32_t number)
{
	for (unsigned int i = 0; i < config->lane_count; i++)
		if (config->lane[i].lane == lane && config->lane[i].agent_id == number)
			return true;
	return false;
}

static bool is_number_used(const struct world *world, unsigned int lane, uint32_t number)
{
	for (unsigned int i = 0; i < world->agents; i++)
		if (has_number(&world->agent[i]->config, lane, number))
			return true;
	return false;
}

/* Registers an agent on a lane with the first number from @number on that none had there before. */
static void add_registration(const struct world *world, struct engine_agent_config *config,
			     unsigned int lane, uint32_t number)
{
	while (has_number(config, lane, number) || is_number_used(world, lane, number))
		number++;
	config->lane[config->lane_count++] =
		(struct engine_agent_lane){ .lane = lane, .agent_id = number };
}

static void draw_lanes(struct world *world, struct engine_agent_config *config)
{
	unsigned int lanes = world->scenario.engine.lanes;
	unsigned int first = (unsigned int)prng_below(&world->prng, lanes);
	unsigned int most = (unsigned int)prng_range(&world->prng, 1, lanes);

	for (unsigned int i = 0; i < lanes && config->lane_count < most; i++) {
		unsigned int lane = (first + i) % lanes;

		if (world->lane_lost[lane])
			continue;
		add_registration(world, config, lane, world->agents + 3 * lane);
	}
}

/*
 * Draws what the kernel puts on the wire at once, and registers some agents again. The engine has
 * the kernel's numbers only below KERNEL_AGENTS.
 */
static void draw_limit(struct world *world, struct engine_agent_config *config)
{
	unsigned int lanes = config->lane_count;

	if (!prng_chance(&world->prng, world->scenario.kernel_limit))
		return;
	for (unsigned int i = 0; i < lanes; i++)
		if (config->lane[i].agent_id >= KERNEL_AGENTS)
			return;
	config->kernel_limit = (uint32_t)prng_log_range(
		&world->prng, 1, prng_chance(&world->prng, 500000) ? 8 : 200);
	for (unsigned int i = 0; i < lanes && prng_chance(&world->prng, 300000); i++) {
		add_registration(world, config, config->lane[i].lane, 0);
		if (config->lane[config->lane_count - 1].agent_id >= KERNEL_AGENTS)
			config->lane_count--;
	}
}

static void check_number(const struct world *world, int number)
{
	if (number < 0)
		fail(world, "no agent could be opened while %u of %u are open: %d",
		     agents_in_use(world), world->scenario.engine.agents, number);
	for (unsigned int i = 0; i < world->agents; i++) {
		const struct agent_account *agent = world->agent[i];

		if (agent->number == number && (!agent->closed || agent->open_records))
			fail(world, "the number %d of an agent in use was given again", number);
	}
}

void agent_open(struct world *world)
{
	static const uint8_t classes[] = { DR_CLASS, DR_CLASS, 0x01, 0x04, SA_CLASS, 0x32 };
	struct agent_account *agent;
	struct engine_agent_config config;
	int number;

	if (world->agents == MAX_AGENTS)
		return;
	scenario_draw_agent(&world->scenario, &world->prng, &config);
	draw_lanes(world, &config);
	if (!config.lane_count)
		return;
	draw_limit(world, &config);
	number = engine_agent_open(world->engine, &config);
	if (agents_in_use(world) == world->scenario.engine.agents) {
		if (number != -ENOSPC)
			fail(world, "an agent too many: %d", number);
		return;
	}
	check_number(world, number);
	agent = must_alloc(sizeof(*agent));
	agent->number = number;
	agent->config = config;
	agent->mgmt_class = classes[prng_below(&world->prng, sizeof(classes))];
	agent->flow = must_alloc((world->scenario.own_flows + world->scenario.destinations) *
				 sizeof(*agent->flow));
	world->agent[world->agents++] = agent;
}

void agent_close(struct world *world, struct agent_account *agent)
{
	uint32_t least, most;

	engine_agent_close(world->engine, (unsigned int)agent->number);
	ledger_cancel(&world->ledger, agent, &least, &most);
	holding_agent_closed(world, agent);
	agent->closed = true;
}

static void note_lost(const struct world *world, struct agent_account *agent)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		left += !world->lane_lost[agent->config.lane[i].lane];
	agent->no_lanes = !left;
}

void caller_lose_lane(struct world *world, unsigned int lane)
{
	if (world->lane_lost[lane])
		return;
	world->lane_lost[lane] = true;
	for (unsigned int i = 0; i < world->agents; i++)
		note_lost(world, world->agent[i]);
	engine_lane_lost(world->engine, lane);
	ledger_lane_lost(&world->ledger, lane);
	holding_lane_lost(world, lane);
}
