/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/mad.h>

#include "fabric/inside.h"
#include "fabric/view.h"

void fabric_view_node(const struct fabric *fabric, const struct topology_node *topology_node,
		      struct fabric_node_view *view)
{
	const struct node *node = &fabric->nodes[topology_node->index];

	*view = (struct fabric_node_view){
		.health = node->health,
		.service = node_service(fabric, node),
		.lateness = node->lateness,
	};
}

void fabric_view_port(const struct fabric *fabric, const struct topology_node *node,
		      unsigned int number, struct fabric_port_state *state)
{
	struct port *port = &fabric->nodes[node->index].port[number];
	uint8_t *info = port->port_info;

	*state = (struct fabric_port_state){
		.lid = port->lid,
		.lmc = port->lmc,
		.sm_lid = (uint16_t)mad_get_field(info, 0, IB_PORT_SMLID_F),
		.sm_sl = (uint8_t)mad_get_field(info, 0, IB_PORT_SMSL_F),
		.state = (uint8_t)mad_get_field(info, 0, IB_PORT_STATE_F),
		.phys_state = (uint8_t)mad_get_field(info, 0, IB_PORT_PHYS_STATE_F),
		.width = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F),
		.speed = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F),
		.speed_ext = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
		.capability_mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F),
		.gid_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F),
		.guid = port->guid,
		.pkey_sets = port->pkey_sets,
	};
}

void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state)
{
	const struct place *place = &fabric->endpoints[endpoint];

	fabric_view_port(fabric, place->node->topology, place->port, state);
}

static const char *name_of(const char *const *names, size_t count, unsigned int value)
{
	return value < count && names[value] ? names[value] : "?";
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *fabric_port_state_name(uint8_t state)
{
	static const char *const names[] = {
		[PORT_DOWN] = "Down",
		[PORT_INIT] = "Initialize",
		[PORT_ARMED] = "Armed",
		[PORT_ACTIVE] = "Active",
	};

	return name_of(names, COUNT(names), state);
}

const char *fabric_phys_state_name(uint8_t state)
{
	static const char *const names[] = {
		[PHYS_SLEEP] = "Sleep",
		[PHYS_POLLING] = "Polling",
		[PHYS_DISABLED] = "Disabled",
		[PHYS_LINK_UP] = "LinkUp",
	};

	return name_of(names, COUNT(names), state);
}

const char *fabric_health_name(enum fabric_health health)
{
	static const char *const names[] = {
		[FABRIC_WELL] = "well",
		[FABRIC_HUNG] = "hung",
		[FABRIC_DEAD] = "dead",
		[FABRIC_OFF] = "off",
	};

	return name_of(names, COUNT(names), health);
}
