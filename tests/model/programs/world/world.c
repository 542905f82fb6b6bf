/* SPDX-License-Identifier: BSD-2-Clause */
#include "world.h"

#include <stdlib.h>

#include "fabric/inside.h"
#include "model_fail.h"
#include "model_kernel.h"
#include "model/common/must_alloc.h"
#include "network.h"
#include "model_sa.h"
#include "model_scenario.h"
#include "simulated_driver.h"
#include "topology/topology.h"
#include "virtual_clock.h"

/* The work that world_least_time() leaves out. */
static struct fabric_work *forgotten; /* by node, or NULL */
static uint64_t forgotten_chain;

void world_forget_work(void)
{
	const struct topology *topology = fabric_topology(network_fabric());

	if (!forgotten)
		forgotten = must_alloc(topology->node_count * sizeof(*forgotten));
	for (size_t i = 0; i < topology->node_count; i++)
		fabric_work(network_fabric(), topology->nodes[i], &forgotten[i]);
	forgotten_chain = fabric_stats(network_fabric())->chain.ns;
}

void world_open(const struct scenario *scenario, uint64_t bound)
{
	virtual_reset();
	network_open(scenario);
	kernel_open(scenario);
	simulated_driver_begin(scenario, bound);
}

void world_close(void)
{
	simulated_driver_end();
	kernel_close();
	sa_close();
	network_close();
	free(forgotten);
	forgotten = NULL;
	forgotten_chain = 0;
}

uint64_t world_least_time(void)
{
	const struct fabric *fabric = network_fabric();
	const struct topology *topology = fabric_topology(fabric);
	uint64_t least = fabric_stats(fabric)->chain.ns;

	/* The chain to a node stays what it was when the node was asked first. */
	if (least == forgotten_chain)
		least = 0;
	for (size_t i = 0; i < topology->node_count; i++) {
		struct fabric_work work;

		fabric_work(fabric, topology->nodes[i], &work);
		if (forgotten) {
			work.agent_busy -= forgotten[i].agent_busy;
			work.transit_busy -= forgotten[i].transit_busy;
		}
		if (work.agent_busy > least)
			least = work.agent_busy;
		if (work.transit_busy > least)
			least = work.transit_busy;
		if (work.kernel_busy > least)
			least = work.kernel_busy;
	}
	return least;
}

uint64_t world_longest_wait(void)
{
	const struct fabric *fabric = network_fabric();
	size_t count = fabric_topology(fabric)->node_count;
	uint64_t latest = virtual_now();

	for (size_t i = 0; i < count; i++)
		if (fabric->nodes[i].smi.free_at > latest)
			latest = fabric->nodes[i].smi.free_at;
	return latest - virtual_now();
}

void world_drops(struct world_drops *drops)
{
	const uint64_t *dropped = fabric_stats(network_fabric())->dropped;

	*drops = (struct world_drops){
		.full = dropped[FABRIC_DROP_FULL],
		.lost = dropped[FABRIC_DROP_LOST],
		.local = kernel_dropped() + dropped[FABRIC_DROP_LOCAL_VL15] +
			 dropped[FABRIC_DROP_LOCAL_RECEIVE],
	};
	for (unsigned int cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		drops->other += dropped[cause];
	drops->other -= drops->full + drops->lost + drops->local - kernel_dropped();
}

uint64_t world_written(void)
{
	return kernel_written();
}
