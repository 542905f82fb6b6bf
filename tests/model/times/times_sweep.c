/* SPDX-License-Identifier: BSD-2-Clause */
#include "times_sweep.h"

#include <infiniband/mad.h>

#include "fabric/discovery.h"
#include "fabric/order.h"
#include "fabric/discovery_run.h"
#include "game.h"
#include "smp_agent.h"
#include "works.h"
#include "world/model_fail.h"
#include "world/truth.h"

#define CALM_WINDOW	64
#define CALM_TIMEOUT_MS 1000
#define DEADLINE_MS	600000

struct madring_agent *sweep_agent(const struct game *game, bool is_calm)
{
	const struct tuning tuning = {
		.window = is_calm ? CALM_WINDOW : game->changes->window,
		.pin_window = is_calm || game->changes->window,
		.timeout_ms = is_calm ? CALM_TIMEOUT_MS : 0,
		.retries = is_calm ? MADRING_NO_RETRIES : 0,
	};
	struct madring_agent *agent;

	expect(!smp_agent_open(&game->local, &tuning, IB_SMI_DIRECT_CLASS, &agent),
	       "no agent for SMPs");
	return agent;
}

void sweep_run(struct madring_agent *agent, struct discovery *discovery)
{
	const struct discovery_means means = { .agent = agent,
					       .config = { .deadline_ms = DEADLINE_MS } };

	discovery_start(discovery, fabric_new());
	expect(!discovery_run(discovery, &means), "the sweep fails");
	fabric_settle(discovery->fabric);
}

void sweep_end(struct discovery *discovery)
{
	discovery_end(discovery);
	fabric_free(discovery->fabric);
}

static size_t count_links(const struct truth *truth)
{
	size_t ends = 0;

	for (size_t i = 0; i < truth->count; i++)
		for (unsigned int number = 1; number <= truth->nodes[i].port_count; number++) {
			const struct truth_port *port = &truth->nodes[i].port[number];

			ends += truth->nodes[i].is_reachable && port->link_is_up &&
				port->peer->is_reachable;
		}
	return ends / 2;
}

void sweep_compare(const struct discovery *discovery, struct times_result *result)
{
	size_t nodes = discovery->fabric->node_count, links = fabric_cables(discovery->fabric);
	struct truth *truth = truth_look();
	size_t real_links = count_links(truth);

	result->found = nodes + links;
	result->real = truth->reachable_count + real_links;
	result->is_complete = !discovery->stopped && nodes == truth->reachable_count &&
			      links == real_links &&
			      discovery->problems.count == truth->silent_links;
	truth_free(truth);
}

void work_sweep(struct game *game, struct times_result *result)
{
	struct madring_agent *agent = sweep_agent(game, game->is_calm);
	struct discovery discovery;

	game_set_faults(game);
	game_start(game, agent);
	sweep_run(agent, &discovery);
	result->ns = game_elapsed(game);
	sweep_compare(&discovery, result);
	sweep_end(&discovery);
}
