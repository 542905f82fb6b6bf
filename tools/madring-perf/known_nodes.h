/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers the nodes that collections have found since the program began, so that nodes that are
 * gone are still counted and named.
 */
#ifndef PERF_KNOWN_NODES_H
#define PERF_KNOWN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "collection.h"
#include "common/names.h"
#include "last_readings.h"

/* The time, a week, for which a node that is gone is remembered. */
#define GONE_NS (UINT64_C(7) * 24 * 3600 * 1000000000)

/*
 * The most nodes that are gone and remembered. The first to be forgotten is the one that has been
 * gone the longest.
 */
#define GONE_MAX 65536u

struct known_node {
	TAILQ_ENTRY(known_node) entry;
	uint64_t guid;		     /* the node GUID */
	enum madring_node_type type; /* its type when it was last found */
	char *name;		     /* its name when it was last found */
	uint64_t update;	     /* the number of the update that last found it */
	uint64_t gone_ns;	     /* when it was first missed; 0: it is not gone */
	struct last_readings last;   /* of its ports, if known_nodes_keep_readings() is called */
};

TAILQ_HEAD(known_list, known_node);

struct known_nodes {
	void *by_guid; /* a tree of tsearch(3) */
	struct known_list present;
	struct known_list gone; /* the node that has been gone the longest is first */
	size_t gone_count;
	uint64_t updates;
};

void known_nodes_init(struct known_nodes *known);
void known_nodes_free(struct known_nodes *known);

/*
 * Takes note of a collection. A node that was to be asked and was found is not gone. Any other
 * known node is gone, if @looked_everywhere says that the discovery looked everywhere: a node that
 * it did not look for may still be there. @names may be NULL. @now_ns is a time of the monotonic
 * clock.
 */
void known_nodes_update(struct known_nodes *known, const struct collection *collection,
			const struct names *names, bool looked_everywhere, uint64_t now_ns);

/* Returns the node of this GUID, or NULL. */
struct known_node *known_nodes_find(const struct known_nodes *known, uint64_t guid);

/*
 * Moves the readings of a collection, which known_nodes_update() has taken note of, to their
 * nodes.
 */
void known_nodes_keep_readings(struct known_nodes *known, struct collection *collection);

#endif
