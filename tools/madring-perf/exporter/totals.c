/* SPDX-License-Identifier: BSD-2-Clause */
#include "totals.h"

void totals_add(struct totals *totals, const struct collection *collection)
{
	const struct collection_stats *from = &collection->stats;
	struct collection_stats *to = &totals->stats;

	totals->collections++;
	to->requests += from->requests;
	to->replies += from->replies;
	to->refused += from->refused;
	to->unsupported += from->unsupported;
	to->malformed += from->malformed;
	to->timed_out += from->timed_out;
	to->failed += from->failed;
	to->rtt_count += from->rtt_count;
	to->rtt_sum_ns += from->rtt_sum_ns;
	for (unsigned int i = 0; i <= RTT_BUCKETS; i++)
		to->rtt_bucket[i] += from->rtt_bucket[i];
	if (from->in_flight_peak > to->in_flight_peak)
		to->in_flight_peak = from->in_flight_peak;
}

void totals_add_ring(struct totals *totals, const struct madring_stats *stats)
{
	totals->sent += stats->sent;
	totals->received += stats->received;
	totals->retried += stats->retried;
	totals->timed_out += stats->timed_out;
}
