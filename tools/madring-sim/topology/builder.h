/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A topology is built by adding nodes, which get GUIDs as ibsim would number them, and cables. The
 * reader of netlists and the generators use this.
 */
#ifndef SIM_BUILDER_H
#define SIM_BUILDER_H

#include "topology/topology.h"

#define BUILDER_MAX_PORTS 254 /* 255 means "drop" in a forwarding table */
#define BUILDER_MAX_NODES 1000000
#define DESCRIPTION_BYTES 64

struct builder {
	struct topology *topology;
	size_t room;		   /* in topology->nodes */
	uint64_t next_guid[4];	   /* by enum node_type */
	struct topology_port port; /* the initial state of ports */
};

int builder_open(struct builder *builder);
void builder_discard(struct builder *builder);

/* builder_take takes the finished topology out. */
struct topology *builder_take(struct builder *builder);

/*
 * builder_add adds a node with the next GUIDs of its type. Its id is its description, until one is
 * set. Returns 0, -EEXIST (the id), -EINVAL (port count), -E2BIG (too many nodes) or -ENOMEM.
 */
int builder_add(struct builder *builder, enum node_type type, const char *id,
		unsigned int port_count, struct topology_node **node);

/* builder_describe sets NodeDescription, cut at 64 bytes. Returns 0 or -ENOMEM. */
int builder_describe(struct topology_node *node, const char *description);

/*
 * builder_connect cables two ports. Returns 0, -EINVAL (no such port, the same port, nothing in
 * common) or -EBUSY.
 */
int builder_connect(struct topology_node *a, unsigned int port_a, struct topology_node *b,
		    unsigned int port_b);

#endif
