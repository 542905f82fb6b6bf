/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from a request's destination: its flow, and the source of its reply. */
#ifndef MADRING_ENGINE_DESTINATION_H
#define MADRING_ENGINE_DESTINATION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/umad.h>

#include "base/address.h"
#include "engine/route.h"

static inline uint64_t destination_mix_bits(uint64_t value)
{
	value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93u;
	return value ^ (value >> 32);
}

static inline uint64_t destination_add_incarnation(uint64_t key, uint64_t incarnation)
{
	return key + incarnation * 0x9e3779b97f4a7c15u;
}

/*
 * Returns the key of the flow to the destination: its transactions share a bottleneck. It is not
 * used if the caller names the flow.
 */
static inline uint64_t destination_flow_key(const struct ib_user_mad *umad, bool directed,
					    uint64_t incarnation)
{
	uint64_t gid[2];
	uint64_t key;

	if (directed)
		/* A route that starts with a LID is another route from each LID. */
		key = route_hash(umad->data) + umad->addr.lid;
	else
		key = destination_mix_bits(umad->addr.qpn) + be16toh(umad->addr.lid);
	if (umad->addr.grh_present) {
		memcpy(gid, umad->addr.gid, sizeof(gid));
		key = destination_mix_bits(destination_mix_bits(key ^ gid[0]) ^ gid[1]);
	}
	return destination_add_incarnation(key, incarnation);
}

/*
 * Returns the key of a flow that the caller has named. It differs between the agents that had one
 * number in turn.
 */
static inline uint64_t destination_named_flow_key(uint64_t flow, uint64_t incarnation)
{
	return destination_add_incarnation(destination_mix_bits(flow) ^ 1, incarnation);
}

/*
 * Returns the LID that the reply must come from, in network order, or 0 if that is not known.
 * Directed routes, permissive LIDs and destinations behind a GRH do not tell it.
 */
static inline uint16_t destination_source_lid(const struct ib_user_mad *umad, bool directed)
{
	if (umad->addr.grh_present || umad->addr.lid == htobe16(PERMISSIVE_LID) || directed)
		return 0;
	return umad->addr.lid;
}

#endif
