/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric's state, for comparing it with what a program has found. It has types of its own,
 * because the programs have other structures of the same names as the fabric's.
 */
#ifndef MODEL_TRUTH_H
#define MODEL_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRUTH_COUNTERS 22 /* in the order of the programs' enum counter */

struct truth_node;

struct truth_port {
	const struct truth_node *peer; /* NULL: no cable */
	uint8_t peer_port;
	bool link_is_up;
	uint64_t guid;
	uint16_t lid;
	uint8_t state, phys_state, width, speed, speed_ext;
	/* The values that PortCountersExtended shows. */
	uint64_t counter[TRUTH_COUNTERS];
};

struct truth_node {
	uint64_t guid, system_guid;
	int type; /* as in NodeInfo */
	uint8_t port_count;
	const char *description;
	bool enhanced_port0;
	bool answers;
	bool is_reachable;	 /* by nodes that answer; and it does itself */
	struct truth_port *port; /* port_count + 1 */
};

struct truth {
	struct truth_node *nodes;
	size_t count;
	size_t reachable_count;
	const struct truth_node *root;
	unsigned int root_port;
	size_t silent_links; /* from reachable nodes to such as do not answer */
	size_t ports;	     /* of reachable nodes */
	size_t switches;
};

/* Returns the fabric's state of now; free it with truth_free(). */
struct truth *truth_look(void);
void truth_free(struct truth *truth);

/* Returns the node with a GUID, or NULL. */
const struct truth_node *truth_find(const struct truth *truth, uint64_t guid);

/* Returns whether a request may leave a node by a port: any of a switch, and the local one. */
bool truth_leads_on(const struct truth *truth, const struct truth_node *node, unsigned int port);

#endif
