/* SPDX-License-Identifier: BSD-2-Clause */
#include "smp.h"
#include "tally.h"

#define METHOD_BITS 0x7f
#define INDEX_SIZE  TALLY_INDEX_SIZE

uint16_t tally_kind(struct fabric *fabric, const uint8_t *mad)
{
	struct fabric_stats *stats = &fabric->stats;
	struct fabric_kind kind = {
		.mgmt_class = mad[SMP_CLASS],
		.method = mad[SMP_METHOD] & METHOD_BITS,
		.attribute = smp_get16(mad, SMP_ATTRIBUTE),
	};
	uint32_t hash = (kind.mgmt_class * 31u + kind.method) * 131u + kind.attribute;
	const struct fabric_kind *known;

	for (;; hash++) {
		uint16_t *position = &fabric->kind_index[hash % INDEX_SIZE];

		if (!*position) {
			if (stats->kind_count == FABRIC_KINDS)
				return FABRIC_KINDS;
			stats->kind[stats->kind_count] = kind;
			*position = (uint16_t)++stats->kind_count;
		}
		known = &stats->kind[*position - 1];
		if (known->mgmt_class == kind.mgmt_class && known->method == kind.method &&
		    known->attribute == kind.attribute)
			return (uint16_t)(*position - 1);
	}
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
