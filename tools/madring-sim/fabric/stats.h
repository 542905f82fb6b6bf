/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of MADs, in all and by kind. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stdint.h>

#define KIND_INDEX_KINDS 256

/* The kind of a MAD. A response has the kind of its request. */
struct mad_kind {
	uint8_t mgmt_class, method;
	uint16_t attribute;
};

/* The kinds of MAD that have been seen, each with a position to count it at. */
struct kind_index {
	struct mad_kind kind[KIND_INDEX_KINDS];
	uint16_t count;
	/*
	 * The table is so small that a program gains nothing by choosing kinds whose places
	 * collide.
	 */
	uint16_t hashed[4 * KIND_INDEX_KINDS]; /* position plus one; 0: free */
};

/* kind_index_of returns the position of a MAD's kind; KIND_INDEX_KINDS: new, and no room. */
uint16_t kind_index_of(struct kind_index *index, const uint8_t *mad);

/* The reason why a packet did not arrive. */
enum fabric_drop {
	FABRIC_DROP_LOST,	   /* by chance */
	FABRIC_DROP_NO_LINK,	   /* the way leads to a port that is down, or absent */
	FABRIC_DROP_INACTIVE,	   /* a GMP came to a port that is not active */
	FABRIC_DROP_NO_ROUTE,	   /* no forwarding entry, or an HCA that does not have the LID */
	FABRIC_DROP_LOOP,	   /* forwarded too often */
	FABRIC_DROP_DEAD,	   /* the node is dead or hung */
	FABRIC_DROP_FULL,	   /* the queue of a port was full */
	FABRIC_DROP_INVALID,	   /* a malformed directed route, or a wrong class or QP */
	FABRIC_DROP_KEY,	   /* a wrong M_Key */
	FABRIC_DROP_UNCLAIMED,	   /* for a manager, and there is none */
	FABRIC_DROP_LOCAL_VL15,	   /* the VL15 buffer of an endpoint was full */
	FABRIC_DROP_LOCAL_RECEIVE, /* an endpoint had no receive buffer left */
	FABRIC_DROP_NO_MEMORY,
	FABRIC_DROP_CAUSES
};

/* The requests to agents of one class, method and attribute. */
struct fabric_kind {
	uint8_t mgmt_class, method;
	uint16_t attribute;
	uint64_t sent;	   /* by endpoints; traps by the agents */
	uint64_t answered; /* by the agents */
};

#define FABRIC_KINDS KIND_INDEX_KINDS

/* A chain of round trips, each of which had to wait for the one before. */
struct trip_chain {
	uint64_t ns;
	uint32_t trips;
};

struct fabric_stats {
	uint64_t sent;	    /* by endpoints */
	uint64_t delivered; /* taken by fabric_receive() */
	uint64_t answered;  /* by the nodes' agents */
	uint64_t traps;	    /* sent by the nodes' agents */
	uint64_t duplicated, reordered, corrupted;
	uint64_t dropped[FABRIC_DROP_CAUSES];
	struct fabric_kind kind[FABRIC_KINDS + 1]; /* the last counts all that find no place */
	unsigned int kind_count;		   /* without that one */
	/*
	 * The longest chain of round trips. An SMP by directed route needs a reply of the node
	 * before its last hop, if that node was ever asked. Waiting in queues does not count.
	 */
	struct trip_chain chain;
};

/* stats_kind returns the position in stats->kind of the kind of a MAD. */
uint16_t stats_kind(struct fabric_stats *stats, struct kind_index *kinds, const uint8_t *mad);

/*
 * stats_count_drop counts a MAD that was dropped, in all and in @at_node, which the first one
 * allocates. If there is no memory for that, the MAD is counted in all alone.
 */
void stats_count_drop(struct fabric_stats *stats, uint64_t **at_node, enum fabric_drop cause);

/*
 * stats_count_round_trip counts a round trip of so many ns. @reached is the shortest chain to the
 * node that has replied; @before that to the node whose reply was needed, or NULL.
 */
void stats_count_round_trip(struct fabric_stats *stats, struct trip_chain *reached,
			    const struct trip_chain *before, uint64_t ns);

#endif
