/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outstanding sends of programs: requests that wait for a reply, and messages in segments. Each
 * is found by TID and class in O(1), and has all that its retries and its timeout notice need.
 */
#ifndef SIM_OUTSTANDING_H
#define SIM_OUTSTANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <infiniband/umad.h>

#include "hash/keyed_hash.h"
#include "fabric/fabric.h"
#include "fabric/slab.h"
#include "server/wheel.h"

struct agent;
struct rmpp_send;

/* The place of a MAD that counts against a limit. Every other MAD has PLACE_NONE. */
enum outstanding_place { PLACE_NONE, PLACE_WIRE, PLACE_BACKLOG };

struct outstanding {
	struct wheel_timer timer;
	struct outstanding *hash_next, **hash_link;
	struct outstanding *agent_next, **agent_link;
	TAILQ_ENTRY(outstanding) backlog_link;	 /* while in PLACE_BACKLOG */
	LIST_ENTRY(outstanding) unfinished_link; /* while @is_unfinished */
	struct agent *agent;
	struct rmpp_send *rmpp; /* its segments; NULL: a single MAD */
	size_t rmpp_bytes;	/* of data in the segments */
	uint64_t tid;		/* as it stands in the MAD */
	uint32_t timeout_ms;
	uint32_t retries_left;
	enum outstanding_place place;
	bool is_limited;			    /* counts against its agent's limit */
	bool was_sent;				    /* at least once */
	bool is_unfinished;			    /* without a reply, and not completed yet */
	uint8_t header[sizeof(struct ib_user_mad)]; /* as the program wrote it */
	struct fabric_packet packet;
};

/* The outstanding sends of one port. */
struct outstanding_table {
	struct outstanding **bucket;
	size_t bucket_count; /* a power of two */
	size_t count;
	struct hash_key key;
	struct slabs entries;
};

/* outstanding_open returns 0 or -ENOMEM. */
int outstanding_open(struct outstanding_table *table);
void outstanding_close(struct outstanding_table *table);

/*
 * outstanding_add adds an entry to the table and to its agent's list. Returns NULL if there is no
 * memory.
 */
struct outstanding *outstanding_add(struct outstanding_table *table, struct agent *agent,
				    const struct fabric_packet *packet);

/* outstanding_request returns the request with this TID and class, or NULL. */
struct outstanding *outstanding_request(const struct outstanding_table *table, uint64_t tid,
					uint8_t mgmt_class);

/* outstanding_response returns the response with this TID and class to @dlid, or NULL. */
struct outstanding *outstanding_response(const struct outstanding_table *table, uint64_t tid,
					 uint8_t mgmt_class, uint16_t dlid);

/* outstanding_remove removes and frees an entry, whose timer must be disarmed. */
void outstanding_remove(struct outstanding_table *table, struct outstanding *outstanding);

#endif
