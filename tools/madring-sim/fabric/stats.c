/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/stats.h"

uint16_t stats_kind(struct fabric_stats *stats, struct kind_index *kinds, const uint8_t *mad)
{
	uint16_t position = kind_index_of(kinds, mad);

	if (stats->kind_count < kinds->count) {
		stats->kind[position].mgmt_class = kinds->kind[position].mgmt_class;
		stats->kind[position].method = kinds->kind[position].method;
		stats->kind[position].attribute = kinds->kind[position].attribute;
		stats->kind_count++;
	}
	return position;
}

void stats_count_round_trip(struct fabric_stats *stats, struct trip_chain *reached,
			    const struct trip_chain *before, uint64_t ns)
{
	struct trip_chain chain = { .ns = ns, .trips = 1 };

	if (before) {
		chain.ns += before->ns;
		chain.trips += before->trips;
	}
	if (!reached->trips || chain.ns < reached->ns)
		*reached = chain;
	if (chain.ns > stats->chain.ns ||
	    (chain.ns == stats->chain.ns && chain.trips > stats->chain.trips))
		stats->chain = chain;
}
