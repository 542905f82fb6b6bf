/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of a page: a collection, and the names of its nodes. */
#ifndef EXPORTER_VIEW_H
#define EXPORTER_VIEW_H

#include "common/names.h"
#include "madring-perf/collection.h"
#include "madring-perf/known_nodes.h"
#include "madring-perf/plan.h"
#include "madring-perf/prometheus/exposition.h"
#include "madring-perf/shard.h"
#include "madring-perf/thresholds.h"

struct view {
	const struct collection *collection; /* NULL: none could be made */
	const struct madring_fabric *fabric; /* likewise */
	const struct names *names;	     /* NULL: none */
	const struct known_nodes *known; /* the nodes of this collection, and those that are gone */
	const struct shard *shard;
	const struct plan *plan;	     /* who was to be asked */
	const struct thresholds *thresholds; /* of errors */
	/*
	 * The suffix of a collector's name in its label, as in other exporters: "-runonce" where
	 * pages go to a file; else "".
	 */
	const char *manner;
	uint64_t discovery_ns; /* what it took */
};

/* Each type of nodes has metrics of its own. */
#define VIEW_TYPES 3u
enum view_type { VIEW_SWITCH, VIEW_HCA, VIEW_ROUTER };

enum view_type view_type(const struct madring_node *node);

/* Returns "switch", "hca" or "router", as in the names of metrics and labels. */
const char *view_type_word(enum view_type type);

/* Returns the node with this index, if it is of the type and was to be asked; else NULL. */
const struct node_counters *view_node(const struct view *view, size_t index, enum view_type type);

/* Returns the GUID in a port's labels. Each port of an adapter has one, as in ibnetdiscover. */
uint64_t view_guid(const struct port_counters *port);

/*
 * Writes the label "guid" of a port. If another node has series of the same GUID, the node GUID
 * follows it behind a slash, so that neither node takes the other's series away.
 */
void view_label_guid(struct exposition *page, const struct port_counters *port);

#endif
