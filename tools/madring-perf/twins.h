/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Twins are ports of different nodes that have one GUID. Series of metrics are told apart by their
 * port's GUID, so only one of the nodes can have series of that GUID alone. That node is the
 * keeper, the one with the lowest node GUID. The others are its twins, whose series have their node
 * GUID, too.
 */
#ifndef PERF_TWINS_H
#define PERF_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collection;

struct twin {
	uint64_t guid;	      /* the port GUID that both nodes have */
	uint64_t node_guid;   /* the twin's node GUID */
	uint64_t keeper_guid; /* the keeper's node GUID */
	uint8_t port;	      /* the twin's first port with the GUID; 0: the twin is a switch */
};

struct twins {
	struct twin *list; /* sorted by .guid, then .node_guid; each pair is in it once */
	size_t count;
};

/*
 * Finds the twins among the nodes that were to be asked. Lists them in @collection, and marks their
 * ports as twins there. It is called once, after the collection.
 */
void twins_find(struct collection *collection);

/* Returns whether @twins has the same node, with the same port GUID. */
bool twins_have(const struct twins *twins, const struct twin *twin);

void twins_free(struct twins *twins);

#endif
