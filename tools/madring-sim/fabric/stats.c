/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "fabric/smp.h"
#include "fabric/stats.h"

#define METHOD_BITS 0x7f
#define SLOTS	    (4 * KIND_INDEX_KINDS)

static bool is_same(const struct mad_kind *a, const struct mad_kind *b)
{
	return a->mgmt_class == b->mgmt_class && a->method == b->method &&
	       a->attribute == b->attribute;
}

uint16_t kind_index_of(struct kind_index *index, const uint8_t *mad)
{
	const struct mad_kind kind = {
		.mgmt_class = mad[SMP_CLASS],
		.method = mad[SMP_METHOD] & METHOD_BITS,
		.attribute = smp_get16(mad, SMP_ATTRIBUTE),
	};
	uint32_t hash = (kind.mgmt_class * 31u + kind.method) * 131u + kind.attribute;

	for (;; hash++) {
		uint16_t *slot = &index->hashed[hash % SLOTS];

		if (!*slot) {
			if (index->count == KIND_INDEX_KINDS)
				return KIND_INDEX_KINDS;
			index->kind[index->count] = kind;
			*slot = ++index->count;
		}
		if (is_same(&index->kind[*slot - 1], &kind))
			return (uint16_t)(*slot - 1);
	}
}

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

void stats_count_drop(struct fabric_stats *stats, uint64_t **at_node, enum fabric_drop cause)
{
	stats->dropped[cause]++;
	if (!*at_node)
		*at_node = calloc(FABRIC_DROP_CAUSES, sizeof(**at_node));
	if (*at_node)
		(*at_node)[cause]++;
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
