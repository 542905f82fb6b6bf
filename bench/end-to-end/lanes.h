/* SPDX-License-Identifier: BSD-2-Clause */
/* The umad files, agents and requests of the clients that do without madring. */
#ifndef BENCH_LANES_H
#define BENCH_LANES_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <infiniband/umad.h>

#include <madring/mad.h>

#include "bench_measure.h"

#define LANES_MGMT_CLASS    0x04   /* PMA */
#define LANES_ATTRIBUTE	    0x0012 /* PortCounters */
#define LANES_DESTINATIONS  64u
#define LANES_MESSAGE_BYTES (sizeof(struct ib_user_mad) + MADRING_MAD_BYTES)

struct lanes {
	uint32_t count;
	int port[MEASURE_MAX_LANES]; /* libibumad's id */
	int agent[MEASURE_MAX_LANES];
	int fd[MEASURE_MAX_LANES];
	uint8_t *requests;		     /* one for each that is in flight */
	uint8_t lane[MEASURE_MAX_IN_FLIGHT]; /* by slot */
};

/* Opens a umad file for each lane. Ends the program when that fails. */
void lanes_open(struct lanes *lanes, const struct measure *measure, bool nonblocking);
void lanes_close(struct lanes *lanes);

/* Returns request @slot, which stays on one lane. The low half of its TID is the slot. */
static inline struct ib_user_mad *lanes_request(const struct lanes *lanes, uint32_t slot)
{
	return (struct ib_user_mad *)(lanes->requests + slot * LANES_MESSAGE_BYTES);
}

static inline int lanes_fd(const struct lanes *lanes, uint32_t slot)
{
	return lanes->fd[lanes->lane[slot]];
}

/* Returns the slot of the request that @reply answers. Ends the program when there is none. */
static inline uint32_t lanes_slot(struct measure *measure, const struct ib_user_mad *reply)
{
	uint64_t tid;
	uint32_t slot;

	memcpy(&tid, reply->data + offsetof(struct madring_mad_hdr, tid), sizeof(tid));
	slot = (uint32_t)be64toh(tid);
	if (reply->status || slot >= measure->in_flight)
		measure_fail(measure, "reply", reply->status ? (int)reply->status : EPROTO);
	latency_turn(&measure->latency, slot);
	return slot;
}

#endif
