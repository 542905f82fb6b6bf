/* SPDX-License-Identifier: BSD-2-Clause */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

bool latency_open(struct latency *latency, uint32_t slots)
{
	if (latency->wanted)
		latency->sent_ns = calloc(slots, sizeof(*latency->sent_ns));
	return !latency->wanted || latency->sent_ns;
}

void latency_reset(struct latency *latency)
{
	memset(latency->count, 0, sizeof(latency->count));
	latency->all = 0;
}

/* The first LATENCY_PARTS buckets are 1 ns wide, and each power of two above has as many. */
static unsigned int bucket_of(uint64_t ns)
{
	unsigned int shift;

	if (ns < LATENCY_PARTS)
		return (unsigned int)ns;
	shift = 63 - (unsigned int)__builtin_clzll(ns / LATENCY_PARTS);
	return shift * LATENCY_PARTS + (unsigned int)(ns >> shift);
}

static uint64_t end_of(unsigned int bucket)
{
	unsigned int shift = bucket / LATENCY_PARTS;

	if (!shift)
		return bucket;
	shift--;
	return ((uint64_t)(bucket - shift * LATENCY_PARTS + 1) << shift) - 1;
}

void latency_count(struct latency *latency, uint64_t ns)
{
	latency->count[bucket_of(ns)]++;
	latency->all++;
}

uint64_t latency_percentile(const struct latency *latency, unsigned int percent)
{
	uint64_t wanted = (latency->all * percent + 99) / 100;
	uint64_t seen = 0;

	for (unsigned int bucket = 0; bucket < LATENCY_BUCKETS; bucket++) {
		seen += latency->count[bucket];
		if (seen && seen >= wanted)
			return end_of(bucket);
	}
	return 0;
}
