/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directed route of an SMP (IBA 14.2.1.2). Its ends may be LID-routed, as DrSLID and DrDLID
 * say.
 */
#ifndef MADRING_ENGINE_ROUTE_H
#define MADRING_ENGINE_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <madring/mad.h>

#include "base/mad_class.h"

#define ROUTE_LIDS_BYTES 4 /* of DrSLID and DrDLID */

static inline bool route_is_directed(const uint8_t *mad, size_t length)
{
	return mad[offsetof(struct madring_mad_hdr, mgmt_class)] == MADRING_CLASS_SMP_DIRECTED &&
	       length >= MADRING_MAD_BYTES;
}

static inline unsigned int route_hops(const uint8_t *mad)
{
	return mad[SMP_HOP_COUNT] & SMP_MAX_HOPS;
}

/* Tells whether two SMPs of 256 bytes have the same route. Entry 0 of a path is not used. */
static inline bool route_is_same(const uint8_t *mad, const uint8_t *other)
{
	return mad[SMP_HOP_COUNT] == other[SMP_HOP_COUNT] &&
	       !memcmp(mad + SMP_DR_SLID, other + SMP_DR_SLID, ROUTE_LIDS_BYTES) &&
	       !memcmp(mad + SMP_INITIAL_PATH + 1, other + SMP_INITIAL_PATH + 1, route_hops(mad));
}

static inline uint64_t route_hash(const uint8_t *mad)
{
	unsigned int hops = route_hops(mad);
	uint64_t hash = hops + 1;
	uint32_t lids;

	memcpy(&lids, mad + SMP_DR_SLID, sizeof(lids));
	hash += (uint64_t)lids << 8;
	for (unsigned int hop = 1; hop <= hops; hop++)
		hash = (hash ^ mad[SMP_INITIAL_PATH + hop]) * 0x100000001b3u;
	return hash ^ (hash >> 29);
}

#endif
