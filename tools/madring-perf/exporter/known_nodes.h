/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nodes that collections have found since the program began, so that those that are gone are
 * still counted and named.
 */
#ifndef EXPORTER_KNOWN_NODES_H
#define EXPORTER_KNOWN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../collection.h"
#include "discovery/names.h"

/* How long a node is remembered that is gone: a week. */
#define GONE_NS (UINT64_C(7) * 24 * 3600 * 1000000000)

/* How many are. Of more, those that have been gone the longest are forgotten. */
#define GONE_MAX 65536u

struct known_node {
	TAILQ_ENTRY(known_node) entry;
	uint64_t guid;	     /* the node GUID */
	enum node_type type; /* when it was last found */
	char *name;	     /* likewise */
	uint64_t update;     /* the last that found it */
	uint64_t gone_ns;    /* when it was first missed; 0: it is not gone */
};

TAILQ_HEAD(known_list, known_node);

struct known_nodes {
	void *by_guid; /* a tree of tsearch(3) */
	struct known_list present;
	struct known_list gone; /* the first is gone the longest */
	size_t gone_count;
	uint64_t updates;
};

void known_nodes_init(struct known_nodes *known);
void known_nodes_free(struct known_nodes *known);

/*
 * Compares a collection with those before: of the nodes that were to be asked, those that it did
 * not find are gone, and those that it found are not. If its discovery did not look everywhere
 * (@looked_everywhere), a node that was not found may still be there, and is not counted as gone.
 * @names may be NULL. @now_ns: monotonic.
 */
void known_nodes_update(struct known_nodes *known, const struct collection *collection,
			const struct names *names, bool looked_everywhere, uint64_t now_ns);

#endif
