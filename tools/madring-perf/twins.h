/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports of different nodes that have one GUID. A series of metrics is told from others by its
 * port's GUID, so that only one of the nodes can have series of that GUID: the keeper, which is
 * the one with the lowest node GUID. The others are its twins.
 */
#ifndef PERF_TWINS_H
#define PERF_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collection;

struct twin {
	uint64_t guid;	      /* the port GUID that both nodes have */
	uint64_t node_guid;   /* the twin's */
	uint64_t keeper_guid; /* the keeper's node GUID */
	uint8_t port;	      /* the twin's first port with the GUID; 0: of a switch */
};

struct twins {
	struct twin *list; /* by .guid, then by .node_guid; each pair of them once */
	size_t count;
};

/* Finds the twins among the nodes that were to be asked, lists them in @collection and marks their
   ports as twins there. To be called once, after the collection. */
void twins_find(struct collection *collection);

/* Returns whether the same node is listed as a twin because of the same GUID. */
bool twins_have(const struct twins *twins, const struct twin *twin);

void twins_free(struct twins *twins);

#endif
