/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/tally.h"

_Static_assert(FABRIC_KINDS == KIND_INDEX_KINDS, "each kind has its place in the statistics");

uint16_t tally_kind(struct fabric *fabric, const uint8_t *mad)
{
	struct fabric_stats *stats = &fabric->stats;
	uint16_t position = kind_index_of(&fabric->kinds, mad);

	if (stats->kind_count < fabric->kinds.count) {
		stats->kind[position].mgmt_class = fabric->kinds.kind[position].mgmt_class;
		stats->kind[position].method = fabric->kinds.kind[position].method;
		stats->kind[position].attribute = fabric->kinds.kind[position].attribute;
		stats->kind_count++;
	}
	return position;
}

void tally_round_trip(struct fabric *fabric, struct node *node, const struct node *before,
		      uint64_t ns)
{
	struct fabric_stats *stats = &fabric->stats;
	uint64_t chain = ns;
	uint32_t trips = 1;

	if (before) {
		chain += before->chain;
		trips += before->chain_trips;
	}
	/* Known the earliest way there was. */
	if (!node->chain_trips || chain < node->chain) {
		node->chain = chain;
		node->chain_trips = trips;
	}
	if (chain > stats->chain || (chain == stats->chain && trips > stats->chain_trips)) {
		stats->chain = chain;
		stats->chain_trips = trips;
	}
}
