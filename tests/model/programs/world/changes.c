/* SPDX-License-Identifier: BSD-2-Clause */
#include "changes.h"

#include "model_fail.h"
#include "model/common/prng.h"
#include "network.h"

#define MOST_CHANGES 128 /* in one scenario */

/* A change of a node or a link, and its time. */
struct change {
	enum { CHANGE_DEATH, CHANGE_CABLE_OUT, CHANGE_CABLE_IN, CHANGE_STALL } what;
	const struct topology_node *node;
	unsigned int port;
	enum fabric_health health;
	uint64_t stall;
};

static struct {
	struct change change[MOST_CHANGES];
	unsigned int count;
	struct prng *prng;
} changes;

static void make_change(struct fabric *fabric, void *user)
{
	const struct change *change = user;

	trace("node %s, port %u: change %d", change->node->id, change->port, (int)change->what);
	switch (change->what) {
	case CHANGE_DEATH:
		fabric_set_health(fabric, change->node, change->health);
		break;
	case CHANGE_CABLE_OUT:
	case CHANGE_CABLE_IN:
		fabric_set_cable(fabric, change->node, change->port,
				 change->what == CHANGE_CABLE_IN);
		break;
	case CHANGE_STALL:
		fabric_stall(fabric, change->node, change->stall);
		fabric_pause(fabric, change->node, change->stall);
		break;
	}
}

static void plan_change(const struct change *what, uint64_t time)
{
	struct change *kept = &changes.change[changes.count++];

	expect(changes.count <= MOST_CHANGES, "too many changes");
	*kept = *what;
	expect(!fabric_at(network_fabric(), VIRTUAL_START + time, make_change, kept), "no timer");
}

static const struct topology_node *any_node(void)
{
	const struct topology *topology = fabric_topology(network_fabric());

	return topology->nodes[prng_below(changes.prng, topology->node_count)];
}

static void plan_flap(const struct fabric_scenario *scenario)
{
	const struct topology_node *node = any_node();
	struct change flap = {
		.what = CHANGE_CABLE_OUT,
		.node = node,
		.port = (unsigned int)prng_range(changes.prng, 1, node->port_count),
	};
	uint64_t down = prng_below(changes.prng, scenario->changes_end);

	if (!node->port[flap.port].peer)
		return;
	plan_change(&flap, down);
	flap.what = CHANGE_CABLE_IN;
	plan_change(&flap, prng_range(changes.prng, down, scenario->changes_end));
}

void changes_plan(const struct fabric_scenario *scenario, struct prng *prng)
{
	static const enum fabric_health ends[] = { FABRIC_DEAD, FABRIC_HUNG, FABRIC_OFF };

	changes.count = 0;
	changes.prng = prng;
	for (unsigned int i = 0; i < scenario->flaps; i++)
		plan_flap(scenario);
	for (unsigned int i = 0; i < scenario->deaths + scenario->stalls; i++) {
		struct change change = {
			.what = i < scenario->deaths ? CHANGE_DEATH : CHANGE_STALL,
			.node = any_node(),
			.health = ends[prng_below(changes.prng, 3)],
			.stall = scenario->stall_time,
		};

		/* Every other one of these is a stall of the host that the program runs on. */
		if (change.what == CHANGE_STALL && i % 2)
			change.node = network_root();
		if (change.what == CHANGE_STALL || change.node != network_root())
			plan_change(&change, prng_below(changes.prng, scenario->changes_end));
	}
}
