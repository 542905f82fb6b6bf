/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller: what it does at each step, and what it cancels. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/common/must_alloc.h"
#include "engine_world.h"

static void draw_destination(struct world *world, uint32_t number)
{
	struct destination *destination = &world->destination[number];
	uint64_t hops = prng_chance(&world->prng, 900000) ? 8 : 61;

	/* The number in the first two hops makes each destination differ. */
	destination->lid = (uint16_t)(number + 1);
	destination->grh = prng_chance(&world->prng, 100000);
	destination->hops = (uint8_t)prng_range(&world->prng, number ? 2 : 0, hops + 2);
	prng_fill(&world->prng, destination->path + 1, destination->hops);
	if (destination->hops >= 2) {
		destination->path[1] = (uint8_t)(number >> 8);
		destination->path[2] = (uint8_t)number;
	}
}

void caller_open(struct world *world)
{
	uint64_t agents = prng_range(&world->prng, 1, world->scenario.engine.agents);

	world->destination = must_alloc(world->scenario.destinations * sizeof(*world->destination));
	for (uint32_t i = 0; i < world->scenario.destinations; i++)
		draw_destination(world, i);
	for (unsigned int i = 0; i < world->scenario.engine.lanes; i++)
		engine_lane_open(world->engine, i);
	while (agents--)
		agent_open(world);
}

static void cancel_one(struct world *world)
{
	struct ledger *ledger = &world->ledger;
	struct record *record;
	int error;

	if (!ledger->opens)
		return;
	record = ledger->open[prng_below(&world->prng, ledger->opens)];
	error = engine_cancel(world->engine, record->id);
	if (!error && record->progress == ENDED)
		fail(world, "transaction %#" PRIx64 " was canceled after it had ended", record->id);
	if (error && error != -ENOENT)
		fail(world, "transaction %#" PRIx64 " was not canceled: %d", record->id, error);
	if (error && record->progress != ENDED && !(record->progress == IN_DOUBT && record->may))
		fail(world, "transaction %#" PRIx64 " was not found to be canceled", record->id);
	if (!error)
		record->may = 0;
	ledger_end(ledger, record, error ? 0 : MAY_BE_CANCELED);
}

static void cancel_ended(struct world *world)
{
	unsigned int known = world->ended_ids < ENDED_IDS ? world->ended_ids : ENDED_IDS;
	uint64_t id;
	int error;

	if (!known)
		return;
	id = world->ended_id[prng_below(&world->prng, known)];
	if (prng_chance(&world->prng, 100000))
		id = prng_next(&world->prng);
	error = engine_cancel(world->engine, id);
	if (error != -ENOENT)
		fail(world, "transaction %#" PRIx64 ", which is no more, was canceled: %d", id,
		     error);
}

static void cancel_all_of(struct world *world, const struct agent_account *agent)
{
	uint32_t least, most, count;

	count = engine_agent_cancel(world->engine, (unsigned int)agent->number);
	ledger_cancel(&world->ledger, agent, &least, &most);
	if (count < least || count > most)
		fail(world, "agent %d canceled %u transactions, not %u to %u", agent->number, count,
		     least, most);
}

void caller_cancel_all(struct world *world)
{
	for (unsigned int i = 0; i < world->agents; i++) {
		if (!world->agent[i]->closed)
			cancel_all_of(world, world->agent[i]);
	}
}

void caller_shut_down(struct world *world)
{
	uint32_t least, most;

	engine_shutdown(world->engine);
	ledger_cancel(&world->ledger, NULL, &least, &most);
	world->shut_down = true;
}

void caller_disturb(struct world *world)
{
	const struct scenario *s = &world->scenario;
	struct agent_account *agent = caller_agent(world);

	if (prng_chance(&world->prng, s->cancel))
		cancel_one(world);
	if (prng_chance(&world->prng, s->cancel_ended))
		cancel_ended(world);
	if (prng_chance(&world->prng, s->agent_cancel) && !agent->closed)
		cancel_all_of(world, agent);
	if (prng_chance(&world->prng, s->agent_close) && !agent->closed)
		agent_close(world, agent);
	if (prng_chance(&world->prng, s->agent_open))
		agent_open(world);
	if (prng_chance(&world->prng, s->lane_lost))
		caller_lose_lane(world, (unsigned int)prng_below(&world->prng, s->engine.lanes));
}

void caller_act(struct world *world)
{
	uint64_t burst = prng_range(&world->prng, 1, world->scenario.burst);

	caller_disturb(world);
	if (world->ending || prng_chance(&world->prng, 300000))
		return;
	while (burst-- && world->tally.accepted < world->scenario.requests && caller_send(world))
		;
}

void caller_close(struct world *world)
{
	for (unsigned int i = 0; i < world->agents; i++) {
		free(world->agent[i]->flow);
		free(world->agent[i]);
	}
	free(world->destination);
}
