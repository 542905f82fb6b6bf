/* SPDX-License-Identifier: BSD-2-Clause */
#include "world.h"

#include "fail.h"
#include "kernel.h"
#include "network.h"
#include "scenario.h"
#include "simulated_driver.h"
#include "topology/topology.h"
#include "virtual_clock.h"

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
	network_close();
}

uint64_t world_least_time(void)
{
	const struct fabric *fabric = network_fabric();
	const struct topology *topology = fabric_topology(fabric);
	uint64_t least = fabric_stats(fabric)->chain.ns;

	for (size_t i = 0; i < topology->node_count; i++) {
		struct fabric_work work;

		fabric_work(fabric, topology->nodes[i], &work);
		if (work.agent_busy > least)
			least = work.agent_busy;
		if (work.transit_busy > least)
			least = work.transit_busy;
	}
	return least;
}

void world_drops(struct world_drops *drops)
{
	const uint64_t *dropped = fabric_stats(network_fabric())->dropped;

	*drops = (struct world_drops){
		.full = dropped[FABRIC_DROP_FULL],
		.lost = dropped[FABRIC_DROP_LOST],
		.local = kernel_dropped(),
	};
	for (unsigned int cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		if (cause != FABRIC_DROP_FULL && cause != FABRIC_DROP_LOST)
			drops->other += dropped[cause];
}

uint64_t world_written(void)
{
	return kernel_written();
}
