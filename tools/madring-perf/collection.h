/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of a collection: of each node, each of its ports, each attribute that was asked for,
 * the bytes that came, or why none did. counter.h makes counters of them.
 */
#ifndef PERF_COLLECTION_H
#define PERF_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madring.h>

#include <madring/fabric.h>

#include "pma/attribute.h"
#include "pma/reading.h"
#include "twins.h"

struct node_counters;

struct port_counters {
	struct node_counters *node;
	const struct madring_node_port *port;	 /* NULL: of all, added up */
	uint8_t number;				 /* PortSelect: .port's, or PMA_ALL_PORTS */
	uint8_t open;				 /* requests that have no outcome yet */
	bool twin;				 /* a twin of another node's port: see twins.h */
	struct reading *reading[PMA_ATTRIBUTES]; /* NULL: not asked for */
};

struct node_counters {
	const struct madring_node *node;
	struct reading class_port_info;
	struct capabilities capabilities; /* zeroed unless .class_port_info is READING_DONE */
	struct port_counters *all;	  /* by AllPortSelect; NULL: not asked for */
	struct port_counters *ports;	  /* that are on the fabric; some may not be asked for */
	size_t port_count;
	size_t asking; /* which of .ports ClassPortInfo was asked through */
	/* VL15Dropped of the time of the discovery, if that is no error: see own_drops.h. */
	uint64_t own_drops;
	bool wanted;	  /* by the plan */
	bool unreachable; /* no reply to ClassPortInfo: nothing else was asked for */
};

/*
 * The upper bounds of the round-trip histogram's buckets, in us. One more bucket counts what is
 * beyond.
 */
#define RTT_BUCKETS 13
extern const uint32_t rtt_bucket_us[RTT_BUCKETS];

struct collection_stats {
	uint64_t requests;    /* that were answered or given up */
	uint64_t replies;     /* good ones */
	uint64_t refused;     /* replies with an error status, those not supported aside */
	uint64_t unsupported; /* attributes that a node does not have */
	uint64_t malformed;
	uint64_t timed_out;
	uint64_t failed;  /* could not be sent */
	uint64_t mads;	  /* sent, every attempt */
	uint64_t retries; /* attempts after the first */
	uint64_t clear_failed;
	uint64_t in_flight_peak; /* of the ring, so far */
	const char *driver;	 /* as madring_driver_text() returns it; NULL: nothing collected */
	uint64_t rtt_count, rtt_sum_ns;
	uint64_t rtt_bucket[RTT_BUCKETS + 1]; /* not cumulative */
};

struct collection {
	const struct madring_fabric *fabric; /* has to outlive it; NULL: none was found */
	struct node_counters *nodes;	     /* in the order of the fabric's */
	size_t node_count;
	size_t port_count; /* on the fabric */
	size_t unreachable_count;
	uint64_t start_ns, elapsed_ns; /* monotonic; what it took, discovery aside */
	int64_t start_time_ms;	       /* since the Epoch */
	bool interrupted;
	bool partial_fabric;   /* the discovery has left something out */
	bool deadline_reached; /* the deadline ended the collection, or its discovery */
	int error;	       /* the -errno that ended it early; 0: none */
	struct twins twins;    /* empty before twins_find() */
	struct collection_stats stats;
};

/* Makes a collection of all ports of @fabric that have counters, with nothing read. */
struct collection *collection_new(const struct madring_fabric *fabric);
void collection_free(struct collection *collection);

/*
 * Returns whether everything was asked and answered, but for attributes that a node does not have,
 * and no two nodes have the same port GUID.
 */
bool collection_complete(const struct collection *collection);

/* Returns the data of a reading that is done, or NULL. */
const uint8_t *port_data(const struct port_counters *port, enum pma_attribute attribute);

/* Returns the LID by which a port's node is asked about the port, or 0 if it has none. */
uint16_t port_counters_lid(const struct port_counters *port);

#endif
