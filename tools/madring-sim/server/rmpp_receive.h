/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages that come in segments, to the agents of one port. */
#ifndef SIM_RMPP_RECEIVE_H
#define SIM_RMPP_RECEIVE_H

#include <stddef.h>
#include <sys/queue.h>

#include "common/keyed_hash.h"
#include "fabric/slab.h"

#define RMPP_BUCKETS 4096

struct agent;
struct rmpp_receive;
struct server;

LIST_HEAD(rmpp_receive_list, rmpp_receive);
TAILQ_HEAD(rmpp_receive_queue, rmpp_receive);

struct rmpp_receives {
	struct rmpp_receive_list bucket[RMPP_BUCKETS]; /* by TID */
	struct rmpp_receive_queue finished;	       /* the longest ago first */
	size_t finished_count, unfinished_count;
	struct hash_key key;
	size_t bytes; /* of the unfinished ones */
	struct slabs slabs;
};

void rmpp_receives_open(struct rmpp_receives *receives);
/* Frees all transfers. The agents must be gone already. */
void rmpp_receives_close(struct rmpp_receives *receives);

/* When an agent goes. */
void rmpp_receive_drop_all(struct server *server, struct agent *agent);

#endif
