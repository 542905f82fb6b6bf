/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/builder.h"
#include "topology/link.h"
#include "topology/names.h"

#define WIDTH_4X  2
#define SPEED_SDR 1

/* The GUIDs from which ibsim numbers the nodes that have none; routers have theirs from 0. */
#define FIRST_CA_GUID	  0x100000
#define FIRST_SWITCH_GUID 0x200000

int builder_open(struct builder *builder)
{
	*builder = (struct builder){
		.next_guid = { [NODE_CA] = FIRST_CA_GUID, [NODE_SWITCH] = FIRST_SWITCH_GUID },
		.port = { .width_enabled = WIDTH_4X, .speed_enabled = SPEED_SDR },
	};
	builder->topology = calloc(1, sizeof(*builder->topology));
	if (!builder->topology)
		return -ENOMEM;
	builder->topology->names = names_new();
	if (builder->topology->names)
		return 0;
	builder_discard(builder);
	return -ENOMEM;
}

void builder_discard(struct builder *builder)
{
	topology_free(builder->topology);
	builder->topology = NULL;
}

struct topology *builder_take(struct builder *builder)
{
	struct topology *topology = builder->topology;

	builder->topology = NULL;
	return topology;
}

static int make_room(struct builder *builder)
{
	struct topology *topology = builder->topology;
	size_t room = builder->room ? builder->room * 2 : 64;
	struct topology_node **nodes;

	if (topology->node_count >= BUILDER_MAX_NODES)
		return -E2BIG;
	if (topology->node_count < builder->room)
		return 0;
	nodes = reallocarray(topology->nodes, room, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	topology->nodes = nodes;
	builder->room = room;
	return 0;
}

/*
 * number_node gives a node its GUIDs. A switch takes one GUID for all its ports; the others one for
 * the node and one for each port.
 */
static void number_node(struct builder *builder, struct topology_node *node)
{
	uint64_t *next = &builder->next_guid[node->type];

	node->node_guid = *next;
	node->system_guid = *next;
	*next += node->type == NODE_SWITCH ? 1 : node->port_count + 1u;
	for (unsigned int i = 0; i <= node->port_count; i++)
		node->port[i].guid = node->node_guid + (node->type == NODE_SWITCH ? 0 : i);
}

static void free_node(struct topology_node *node)
{
	if (!node)
		return;
	free(node->id);
	free(node->description);
	free(node->port);
	free(node);
}

static struct topology_node *new_node(const struct builder *builder, enum node_type type,
				      const char *id, unsigned int port_count)
{
	struct topology_node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->type = type;
	node->port_count = (uint8_t)port_count;
	node->id = strdup(id);
	node->port = calloc(port_count + 1, sizeof(*node->port));
	if (!node->id || !node->port || builder_describe(node, id)) {
		free_node(node);
		return NULL;
	}
	for (unsigned int i = 0; i <= port_count; i++)
		node->port[i] = builder->port;
	return node;
}

int builder_add(struct builder *builder, enum node_type type, const char *id,
		unsigned int port_count, struct topology_node **added)
{
	struct topology *topology = builder->topology;
	struct topology_node *node;
	int error;

	if (port_count < 1 || port_count > BUILDER_MAX_PORTS)
		return -EINVAL;
	error = make_room(builder);
	if (error)
		return error;
	node = new_node(builder, type, id, port_count);
	if (!node)
		return -ENOMEM;
	error = names_add(topology->names, node->id, node);
	if (error) {
		free_node(node);
		return error;
	}
	number_node(builder, node);
	node->index = (uint32_t)topology->node_count;
	topology->nodes[topology->node_count++] = node;
	*added = node;
	return 0;
}

int builder_describe(struct topology_node *node, const char *description)
{
	char *copy = strndup(description, DESCRIPTION_BYTES);

	if (!copy)
		return -ENOMEM;
	free(node->description);
	node->description = copy;
	return 0;
}

int builder_connect(struct topology_node *a, unsigned int port_a, struct topology_node *b,
		    unsigned int port_b)
{
	struct topology_port *end_a, *end_b;

	if (port_a < 1 || port_a > a->port_count || port_b < 1 || port_b > b->port_count)
		return -EINVAL;
	end_a = &a->port[port_a];
	end_b = &b->port[port_b];
	if (end_a == end_b)
		return -EINVAL;
	if (end_a->peer || end_b->peer)
		return -EBUSY;
	if (link_agree(end_a, end_b))
		return -EINVAL;
	end_a->peer = b;
	end_a->peer_port = (uint8_t)port_b;
	end_b->peer = a;
	end_b->peer_port = (uint8_t)port_a;
	return 0;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	for (size_t i = 0; i < topology->node_count; i++)
		free_node(topology->nodes[i]);
	free(topology->nodes);
	names_free(topology->names);
	free(topology);
}

struct topology_node *topology_find(const struct topology *topology, const char *name)
{
	struct topology_node *node = names_find(topology->names, name);

	for (size_t i = 0; !node && i < topology->node_count; i++)
		if (!strcmp(topology->nodes[i]->description, name))
			node = topology->nodes[i];
	return node;
}
