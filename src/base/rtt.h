/* SPDX-License-Identifier: BSD-2-Clause */
/* Round trips: the estimator of RFC 6298, and a histogram of all measured round trips. */
#ifndef MADRING_BASE_RTT_H
#define MADRING_BASE_RTT_H

#include <stdint.h>

/* The estimate of RFC 6298, section 2, in ns. It saturates at 4.29 s. srtt is 0 before a sample. */
struct rtt_estimate {
	uint32_t srtt;
	uint32_t rttvar;
};

void rtt_estimate_add(struct rtt_estimate *estimate, uint64_t rtt_ns);
/* Returns SRTT + max(granularity, 4 RTTVAR) in ns, or 0 before the first sample. */
uint64_t rtt_estimate_timeout(const struct rtt_estimate *estimate, uint64_t granularity_ns);

/*
 * A log-linear histogram: each power of two has 32 equal buckets, so that a percentile is exact
 * to 1 part in 32. It saturates at 2^40 ns (18 minutes).
 */
#define RTT_PART_BITS 5
#define RTT_PARTS     (1u << RTT_PART_BITS)
#define RTT_POWERS    40u
#define RTT_BUCKETS   ((RTT_POWERS - RTT_PART_BITS + 1) * RTT_PARTS)

_Static_assert(RTT_BUCKETS == 1152, "36 powers of two in 32 parts each");

struct rtt_histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t bucket[RTT_BUCKETS];
};

void rtt_histogram_add(struct rtt_histogram *histogram, uint64_t rtt_ns);
/* Returns the value that @per_mille of 1000 samples do not exceed, or 0 if there are none. */
uint64_t rtt_histogram_percentile(const struct rtt_histogram *histogram, unsigned int per_mille);

#endif
