/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cables of a file while it is read. Each end is declared where its node stands, so cables are
 * joined when all nodes are known. Both ends must name each other.
 */
#ifndef SIM_CABLES_H
#define SIM_CABLES_H

#include <stddef.h>

#include "topology/topology.h"

struct cable_end {
	struct topology_node *node;
	unsigned int port;
	char *remote; /* the far node's id; NULL: this end has an alias, and is found by it */
	unsigned int remote_port; /* 0: @remote is an alias */
	const char *file;
	unsigned int line;
};

struct cables {
	struct cable_end *ends;
	size_t count, room;
	struct names *aliases; /* "prefix@name" to struct alias */
	struct alias *kept;    /* all of them, to free */
};

/* cables_open returns 0 or -ENOMEM. */
int cables_open(struct cables *cables);
void cables_close(struct cables *cables);

/* cables_add copies @end and its remote name. Returns 0 or -ENOMEM. */
int cables_add(struct cables *cables, const struct cable_end *end);

/* cables_alias gives a port a name that other ends may use. Returns 0, -EEXIST or -ENOMEM. */
int cables_alias(struct cables *cables, const char *alias, struct topology_node *node,
		 unsigned int port);

/* cables_join joins all ends. Returns 0, or -EINVAL with *@error. */
int cables_join(struct cables *cables, const struct topology *topology,
		struct topology_error *error);

#endif
