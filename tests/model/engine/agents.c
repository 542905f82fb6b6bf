/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents and their lanes: opened, closed and lost. */
#include <errno.h>

#include "model/common/memory.h"
#include "world.h"

static unsigned int agents_in_use(const struct world *world)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < world->agents; i++)
		used += !world->agent[i]->closed || world->agent[i]->open_records;
	return used;
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
		config->lane[config->lane_count].lane = lane;
		/* No agent has had this number on this lane before. */
		config->lane[config->lane_count++].agent_id = world->agents + 3 * lane;
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
}
