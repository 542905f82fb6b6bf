/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rtt.h"

static uint32_t saturate_ns(uint64_t ns)
{
	return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

void rtt_estimate_add(struct rtt_estimate *estimate, uint64_t rtt_ns)
{
	uint64_t rtt = saturate_ns(rtt_ns ? rtt_ns : 1);
	uint64_t srtt = estimate->srtt;
	uint64_t difference = srtt > rtt ? srtt - rtt : rtt - srtt;

	if (!srtt) {
		*estimate = (struct rtt_estimate){ (uint32_t)rtt, (uint32_t)(rtt / 2) };
		return;
	}
	/* A weighted mean of two 32-bit values fits in 32 bits. */
	estimate->rttvar = (uint32_t)((3 * (uint64_t)estimate->rttvar + difference) / 4);
	estimate->srtt = (uint32_t)((7 * srtt + rtt) / 8);
}

uint64_t rtt_estimate_timeout(const struct rtt_estimate *estimate, uint64_t granularity_ns)
{
	uint64_t spread = 4 * (uint64_t)estimate->rttvar;

	if (!estimate->srtt)
		return 0;
	return estimate->srtt + (spread > granularity_ns ? spread : granularity_ns);
}

/*
 * Returns the bucket of a value. Values below 2 * RTT_PARTS have a bucket each. Above, a bucket
 * is made of the power of two and of the bits that follow the highest bit.
 */
static uint32_t bucket_of(uint64_t ns)
{
	uint32_t power;

	if (ns < RTT_PARTS)
		return (uint32_t)ns;
	if (ns >> RTT_POWERS)
		return RTT_BUCKETS - 1;
	power = 63u - (uint32_t)__builtin_clzll(ns) - RTT_PART_BITS;
	return (power << RTT_PART_BITS) + (uint32_t)(ns >> power);
}

/* Returns the highest value of a bucket. */
static uint64_t bucket_top(uint32_t bucket)
{
	uint32_t power = bucket >> RTT_PART_BITS;
	uint64_t part = bucket & (RTT_PARTS - 1);

	if (!power)
		return part;
	power--;
	return ((part + RTT_PARTS + 1) << power) - 1;
}

void rtt_histogram_add(struct rtt_histogram *histogram, uint64_t rtt_ns)
{
	if (!histogram->count || rtt_ns < histogram->min_ns)
		histogram->min_ns = rtt_ns;
	if (rtt_ns > histogram->max_ns)
		histogram->max_ns = rtt_ns;
	histogram->count++;
	histogram->sum_ns += rtt_ns;
	histogram->bucket[bucket_of(rtt_ns)]++;
}

uint64_t rtt_histogram_percentile(const struct rtt_histogram *histogram, unsigned int per_mille)
{
	uint64_t rank = (histogram->count * per_mille + 999) / 1000;
	uint64_t seen = 0;

	if (!histogram->count)
		return 0;
	for (uint32_t bucket = 0; bucket < RTT_BUCKETS; bucket++) {
		seen += histogram->bucket[bucket];
		if (seen >= rank && seen) {
			uint64_t top = bucket_top(bucket);

			return top < histogram->max_ns ? top : histogram->max_ns;
		}
	}
	return histogram->max_ns;
}
