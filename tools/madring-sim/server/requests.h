/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests that await a reply, of all agents: found by TID and class in O(1), and kept
 * with what a retry and a timeout notice need. Their memory comes in blocks and is used again.
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/umad.h>

#include "../fabric/fabric.h"
#include "wheel.h"

struct agent;

struct request {
	struct wheel_timer timer;
	struct request *hash_next, **hash_link;
	struct request *agent_next, **agent_link;
	struct agent *agent;
	uint64_t tid; /* as it stands in the MAD */
	uint32_t timeout_ms;
	uint32_t retries_left;
	uint8_t header[sizeof(struct ib_user_mad)]; /* as the program wrote it */
	struct fabric_packet packet;
};

struct request_block;

struct requests {
	struct request **bucket;
	size_t bucket_count; /* a power of two */
	size_t count;
	size_t peak;
	struct request *unused; /* by hash_next */
	struct request_block *blocks;
};

/* 0 or -ENOMEM. */
int requests_open(struct requests *requests);
void requests_close(struct requests *requests);

/* A request whose packet holds @packet, in the table and in its agent's list; NULL: no memory. */
struct request *requests_add(struct requests *requests, struct agent *agent,
			     const struct fabric_packet *packet);
struct request *requests_find(const struct requests *requests, uint64_t tid, uint8_t mgmt_class);

/* Its timer must be disarmed. */
void requests_remove(struct requests *requests, struct request *request);

#endif
