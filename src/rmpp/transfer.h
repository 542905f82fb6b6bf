/* SPDX-License-Identifier: BSD-2-Clause */
/* The transfers, each of which is one message. */
#ifndef MADRING_RMPP_TRANSFER_H
#define MADRING_RMPP_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "rmpp/peer.h"
#include "rmpp/rmpp_receive.h"
#include "rmpp/rmpp_send.h"

#define TRANSFER_NONE LIST_NONE

enum transfer_state {
	TRANSFER_FREE = 0,
	TRANSFER_ACTIVE,
	TRANSFER_SENT,	   /* all of it is acknowledged; its reply is expected */
	TRANSFER_RECEIVED, /* complete; it answers repeated segments */
	TRANSFER_ENDED,	   /* not in the hash table any more; its outcome waits to be taken */
};

struct transfer {
	struct rmpp_key key;
	uint64_t user;
	uint64_t timeout_at; /* ns; RMPP_NEVER */
	uint64_t total_at;   /* when the whole message times out, ns; RMPP_NEVER */
	uint64_t hold_at;    /* until when it writes nothing, because a write failed for now */
	uint32_t serial;
	uint32_t bucket_next;	       /* the next transfer in its bucket, or TRANSFER_NONE */
	struct list_link ready_link;   /* in rmpp.ready, while .ready */
	struct list_link outcome_link; /* in rmpp.outcomes, while .has_outcome */
	struct list_link free_link;    /* in the list of free transfers */
	uint8_t state;
	uint8_t rmpp_status;
	uint8_t refusals; /* writes in a row that failed for lack of memory */
	bool ready;
	bool has_outcome;
	bool skips_outcome; /* rmpp_next_outcome() does not return it */
	int status;
	union {
		struct send send;
		struct receive receive;
	};
};

static inline bool is_known(const struct transfer *transfer)
{
	return transfer->state != TRANSFER_FREE && transfer->state != TRANSFER_ENDED;
}

/*
 * Takes a free transfer for @key. Its only timer is the total one. Returns TRANSFER_NONE if none is
 * free.
 */
uint32_t transfer_open(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user, uint64_t now);
/*
 * Removes a transfer from the hash table, and frees it unless its outcome waits to be taken.
 */
void transfer_close(struct rmpp *rmpp, uint32_t entry);
/* Records the outcome of a transfer. */
void transfer_set_outcome(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
/* Records the outcome of a transfer, gives its message back, and closes it. */
void transfer_fail(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
/* Returns the id of a transfer. */
uint64_t transfer_id(const struct rmpp *rmpp, uint32_t entry);
/* Lists a transfer that has something to write. */
void transfer_ready(struct rmpp *rmpp, uint32_t entry);

#endif
