/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a port over a umad file of the program's. */
#include "api/handles.h"

#include <stdlib.h>

static void close_others_agent(struct madring_port *port)
{
	struct madring_agent *others = port->others;

	if (!others)
		return;
	agent_hand_over(others);
	engine_agent_close(port->ring->engine, others->number);
	port->ring->agents[others->number] = NULL;
	port->others = NULL;
	free(others);
}

/* Calls back before the agents are closed, because they tell which MADs are madring's. */
void adopted_release(struct madring_port *port)
{
	struct madring *ring = port->ring;

	for (unsigned int i = 0; i < port->lane_count; i++)
		driver_lane_close(ring->driver, port->lanes[i].lane);
	for (uint32_t i = 0; i < ring->config.agents; i++)
		if (ring->agents[i] && ring->agents[i]->port == port && ring->agents[i]->adopted)
			agent_hand_over(ring->agents[i]);
	close_others_agent(port);
}
