/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cables.h"
#include "topology/link.h"
#include "topology/names.h"

struct alias {
	struct alias *next;
	struct topology_node *node;
	unsigned int port;
	char name[];
};

int cables_open(struct cables *cables)
{
	*cables = (struct cables){ .aliases = names_new() };
	return cables->aliases ? 0 : -ENOMEM;
}

void cables_close(struct cables *cables)
{
	struct alias *alias;

	for (size_t i = 0; i < cables->count; i++)
		free(cables->ends[i].remote);
	free(cables->ends);
	names_free(cables->aliases);
	while ((alias = cables->kept)) {
		cables->kept = alias->next;
		free(alias);
	}
}

int cables_add(struct cables *cables, const struct cable_end *end)
{
	char *remote = NULL;

	if (cables->count == cables->room) {
		size_t room = cables->room ? cables->room * 2 : 256;
		struct cable_end *ends = reallocarray(cables->ends, room, sizeof(*ends));

		if (!ends)
			return -ENOMEM;
		cables->ends = ends;
		cables->room = room;
	}
	if (end->remote) {
		remote = strdup(end->remote);
		if (!remote)
			return -ENOMEM;
	}
	cables->ends[cables->count] = *end;
	cables->ends[cables->count++].remote = remote;
	return 0;
}

int cables_alias(struct cables *cables, const char *name, struct topology_node *node,
		 unsigned int port)
{
	size_t size = strlen(name) + 1;
	struct alias *alias = malloc(sizeof(*alias) + size);
	int error;

	if (!alias)
		return -ENOMEM;
	alias->node = node;
	alias->port = port;
	memcpy(alias->name, name, size);
	error = names_add(cables->aliases, alias->name, alias);
	if (error) {
		free(alias);
		return error;
	}
	alias->next = cables->kept;
	cables->kept = alias;
	return 0;
}

__attribute__((format(printf, 3, 4))) static int wrong(const struct cable_end *end,
						       struct topology_error *error,
						       const char *format, ...)
{
	va_list arguments;

	snprintf(error->file, sizeof(error->file), "%s", end->file);
	error->line = end->line;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* far_port returns the far port of @end, or NULL with *@error. */
static struct topology_port *far_port(const struct cables *cables, const struct topology *topology,
				      const struct cable_end *end, struct topology_node **node,
				      unsigned int *port, struct topology_error *error)
{
	if (!end->remote_port) {
		const struct alias *alias = names_find(cables->aliases, end->remote);

		if (!alias) {
			wrong(end, error, "no port has the alias \"%.64s\"", end->remote);
			return NULL;
		}
		*node = alias->node;
		*port = alias->port;
		return &alias->node->port[alias->port];
	}
	*node = names_find(topology->names, end->remote);
	*port = end->remote_port;
	if (!*node) {
		wrong(end, error, "there is no node \"%.64s\"", end->remote);
		return NULL;
	}
	if (*port > (*node)->port_count) {
		wrong(end, error, "node \"%.64s\" has no port %u", end->remote, *port);
		return NULL;
	}
	return &(*node)->port[*port];
}

/* point points this end to the other one. An alias' end names no other, so it is pointed back. */
static int point(const struct cables *cables, const struct topology *topology,
		 const struct cable_end *end, struct topology_error *error)
{
	struct topology_port *here = &end->node->port[end->port];
	struct topology_port *there;
	struct topology_node *node;
	unsigned int port;

	there = far_port(cables, topology, end, &node, &port, error);
	if (!there)
		return -EINVAL;
	if (there == here)
		return wrong(end, error, "port %u is cabled to itself", port);
	if (here->peer)
		return wrong(end, error, "port %u of \"%.64s\" has two cables", end->port,
			     end->node->id);
	here->peer = node;
	here->peer_port = (uint8_t)port;
	if (end->remote_port)
		return 0;
	if (there->peer)
		return wrong(end, error, "the port with the alias \"%.64s\" has two cables",
			     end->remote);
	there->peer = end->node;
	there->peer_port = (uint8_t)end->port;
	return 0;
}

/* check tells whether both ends point to each other, and have a width and a speed in common. */
static int check(const struct cable_end *end, struct topology_error *error)
{
	struct topology_port *here = &end->node->port[end->port];
	struct topology_port *there = &here->peer->port[here->peer_port];

	if (there->peer != end->node || there->peer_port != end->port)
		return wrong(end, error,
			     "port %u of \"%.64s\" is cabled to port %u of \"%.64s\", which is not "
			     "cabled back to it",
			     end->port, end->node->id, here->peer_port, here->peer->id);
	if (link_agree(here, there))
		return wrong(end, error, "the two ends have no link width or no speed in common");
	return 0;
}

int cables_join(struct cables *cables, const struct topology *topology,
		struct topology_error *error)
{
	for (size_t i = 0; i < cables->count; i++)
		if (cables->ends[i].remote && point(cables, topology, &cables->ends[i], error))
			return -EINVAL;
	for (size_t i = 0; i < cables->count; i++)
		if (cables->ends[i].remote && check(&cables->ends[i], error))
			return -EINVAL;
	return 0;
}
