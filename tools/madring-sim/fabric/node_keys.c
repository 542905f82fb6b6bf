/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the keys of a node's ports, as a subnet manager would. */
#include <errno.h>

#include <infiniband/mad.h>

#include "fabric/fabric.h"
#include "fabric/inside.h"
#include "fabric/port_tables.h"

/* first_port returns the number of a node's first port with LIDs of its own. */
static unsigned int first_port(const struct node *node)
{
	return node->type == NODE_SWITCH ? 0 : 1;
}

/* last_port returns the number of a node's last port with LIDs of its own. */
static unsigned int last_port(const struct node *node)
{
	return node->type == NODE_SWITCH ? 0 : node->port_count;
}

void fabric_set_mkey(struct fabric *fabric, const struct topology_node *topology_node, uint64_t key,
		     uint32_t protection)
{
	struct node *node = fabric_node(fabric, topology_node);

	for (unsigned int i = first_port(node); i <= last_port(node); i++) {
		struct port *port = &node->port[i];

		mad_set_field64(port->port_info, 0, IB_PORT_MKEY_F, key);
		mad_set_field(port->port_info, 0, IB_PORT_MKEY_PROT_BITS_F, protection);
		port->lease_end = FABRIC_NEVER;
	}
}

static int set_pkey(const struct node *node, struct port *port, unsigned int index, uint16_t key)
{
	const size_t keys_of_block = ATTRIBUTE_BYTES / PKEY_BYTES;
	const size_t at = index % keys_of_block * PKEY_BYTES;
	uint8_t data[ATTRIBUTE_BYTES];
	struct table_part part;

	if (!pkey_part(node, port, index / keys_of_block, &part) || at >= part.count)
		return -EINVAL;
	table_get(port, &part, data);
	data[at] = (uint8_t)(key >> 8);
	data[at + 1] = (uint8_t)key;
	if (table_set(port, &part, data))
		return -ENOMEM;
	port->pkey_sets++;
	return 0;
}

int fabric_set_pkey(struct fabric *fabric, const struct topology_node *topology_node,
		    unsigned int index, uint16_t key)
{
	struct node *node = fabric_node(fabric, topology_node);
	int error = 0;

	for (unsigned int i = first_port(node); i <= last_port(node) && !error; i++)
		error = set_pkey(node, &node->port[i], index, key);
	return error;
}
