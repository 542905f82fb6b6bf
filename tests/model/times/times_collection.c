/* SPDX-License-Identifier: BSD-2-Clause */
/* The collection of counters: once, and again and again. */
#include "fabric/discovery.h"
#include "game.h"
#include "madring-perf/collect.h"
#include "times_sweep.h"
#include "works.h"
#include "world/model_fail.h"

#define ROUND_MS 180000

static struct madring_agent *collection_agent(const struct game *game)
{
	const struct collect_tuning tuning = {
		.window = game->changes->window,
		.timeout_ms = game->is_calm ? 1000 : 0,
		.retries = game->is_calm ? MADRING_NO_RETRIES : 0,
	};
	struct madring_agent *agent;

	expect(!collect_agent_open(&game->local, &tuning, &agent),
	       "no agent for performance management");
	return agent;
}

/* Reads the counters of all ports, and fills in how many nodes have answered. */
static void read_counters(const struct game *game, struct madring_agent *agent,
			  const struct madring_fabric *fabric, struct times_result *result)
{
	const struct plan plan = { .attributes = PMA_SET_BASE };
	struct collection *collection = collection_new(fabric);
	const struct collection_stats *stats = &collection->stats;

	collect(collection, &plan, &game->local, agent, NULL);
	expect(!collection->error, "the collection fails");
	result->found = collection->node_count - collection->unreachable_count;
	result->real = collection->node_count - game->what->dead_hosts;
	/* All else but the silent nodes has answered all requests. */
	result->is_complete = result->found == result->real &&
			      stats->timed_out == game->what->dead_hosts && !stats->refused &&
			      !stats->failed && !stats->malformed;
	collection_free(collection);
}

void work_collection(struct game *game, struct times_result *result)
{
	struct madring_agent *smp = sweep_agent(game, true), *pma = collection_agent(game);
	struct discovery discovery;

	sweep_run(smp, &discovery);
	game_set_faults(game);
	game_start(game, pma);
	read_counters(game, pma, discovery.fabric, result);
	result->ns = game_elapsed(game);
	sweep_end(&discovery);
}

static void listen_once(struct game *game, struct madring_agent *smp, struct madring_agent *pma,
			struct times_result *result)
{
	struct times_result counters;
	struct discovery discovery;
	uint64_t start = game_elapsed(game), took;

	sweep_run(smp, &discovery);
	sweep_compare(&discovery, result);
	read_counters(game, pma, discovery.fabric, &counters);
	sweep_end(&discovery);
	result->found += counters.found;
	result->real += counters.real;
	result->is_complete = result->is_complete && counters.is_complete;
	took = game_elapsed(game) - start;
	if (took > result->ns)
		result->ns = took;
}

void work_listening(struct game *game, struct times_result *result)
{
	struct madring_agent *smp = sweep_agent(game, false), *pma = collection_agent(game);
	bool is_complete = true;

	game_set_faults(game);
	game_start(game, smp);
	for (unsigned int round = 0; round < game->what->rounds; round++) {
		listen_once(game, smp, pma, result);
		is_complete = is_complete && result->is_complete;
		expect(madring_run(game->local.ring, ROUND_MS) >= 0, "the ring does not run");
	}
	result->is_complete = is_complete;
}
