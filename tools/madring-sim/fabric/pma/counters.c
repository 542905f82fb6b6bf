/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "fabric/counters.h"
#include "fabric/pma/store.h"

/* There is nobody to tell that there was no memory to count in, but the report. */
static void count_one(struct fabric *fabric, struct port *port, enum fabric_counter which)
{
	if (store_add(fabric, port, which, 1))
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
}

void counters_link_downed(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_LINK_DOWNED);
}

void counters_vl15_dropped(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_VL15_DROPPED);
}

void counters_not_routed(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_RCV_SWITCH_RELAY_ERRORS);
	count_one(fabric, port, FABRIC_DLID_MAPPING_ERRORS);
}

void counters_discarded(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_XMIT_DISCARDS);
	count_one(fabric, port, FABRIC_INACTIVE_DISCARDS);
}

static void restart(struct fabric *fabric, struct port *port)
{
	for (unsigned int which = 0; port->counters && which < FABRIC_COUNTERS; which++) {
		store_set(fabric, port, which, COUNTER_STICKS, 0);
		store_set(fabric, port, which, COUNTER_WRAPS, 0);
	}
}

void counters_restart(struct fabric *fabric, struct node *node)
{
	for (unsigned int number = 0; number <= node->port_count; number++)
		restart(fabric, &node->port[number]);
}

void counters_close(struct fabric *fabric)
{
	size_t ports = fabric->topology ? store_ports(fabric) : 0;

	for (size_t i = 0; i < ports; i++)
		free(fabric->ports[i].counters);
	for (size_t i = 0; fabric->topology && i < fabric->topology->node_count; i++)
		free(fabric->nodes[i].samples);
	free(fabric->flows);
}
