/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "place.h"
#include "server/protocol.h"

struct topology *place_load(const struct options *options)
{
	struct topology_error error = { 0 };
	struct topology *topology;
	const char *source;
	int result;

	if (options->topology) {
		source = options->topology;
		result = topology_read(&topology, source, &error);
	} else {
		source = options->generate;
		result = topology_generate(&topology, source, &error);
	}
	if (!result)
		return topology;
	if (error.file[0])
		source = error.file;
	if (!error.text[0])
		snprintf(error.text, sizeof(error.text), "%s", strerror(-result));
	if (error.line)
		complain("%s: line %u: %s", source, error.line, error.text);
	else
		complain("%s: %s", source, error.text);
	return NULL;
}

static struct topology_node *first_hca(const struct topology *topology)
{
	for (size_t i = 0; i < topology->node_count; i++) {
		if (topology->nodes[i]->type == NODE_CA)
			return topology->nodes[i];
	}
	complain("fabric: it has no HCA; name a node to attach to with --attach");
	return NULL;
}

/*
 * place_find looks for a node of the whole text before it takes a port off its end: a node's name
 * may have colons, too.
 */
bool place_find(const struct topology *topology, const char *place, struct attachment *found)
{
	struct topology_node *node;
	const char *colon;
	unsigned long number;
	unsigned int last;
	char *name, *end;

	*found = (struct attachment){ 0 };
	if (!place) {
		found->node = first_hca(topology);
		return found->node;
	}
	node = topology_find(topology, place);
	colon = strrchr(place, ':');
	if (!node && colon && colon[1] >= '0' && colon[1] <= '9') {
		number = strtoul(colon + 1, &end, 10);
		name = strndup(place, (size_t)(colon - place));
		if (name && !*end && number <= UINT8_MAX) {
			node = topology_find(topology, name);
			found->port = (unsigned int)number;
		}
		free(name);
	}
	if (!node) {
		complain("%s: no such node to attach to", place);
		return false;
	}
	last = node->type == NODE_SWITCH ? 0 : node->port_count;
	if (last > SERVER_PORT_MAX)
		last = SERVER_PORT_MAX;
	if (found->port > last) {
		complain("%s: no port above %u of this node can be attached to", place, last);
		return false;
	}
	found->node = node;
	return true;
}

bool place_make_planes(struct topology *topology, const struct attachment *place,
		       unsigned int planes)
{
	if (place->node->type != NODE_CA || place->node->port_count < planes) {
		complain("--planes: %s is no HCA with %u ports or more", place->node->id, planes);
		return false;
	}
	if (place->port) {
		complain("--planes: the whole of %s is attached to, so leave out its port",
			 place->node->id);
		return false;
	}
	for (size_t i = 0; i < topology->node_count; i++) {
		struct topology_node *node = topology->nodes[i];

		if (node->type != NODE_CA || node->port_count < planes)
			continue;
		for (unsigned int plane = 2; plane <= planes; plane++)
			node->port[plane].guid = node->port[1].guid;
	}
	return true;
}
