/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_drops.h"

#include <inttypes.h>

#include "madring-perf/counter.h"
#include "pma/drops.h"
#include "world/model_fail.h"
#include "world/truth.h"

static uint64_t count_dropped(const struct truth_node *node)
{
	uint64_t dropped = 0;

	for (unsigned int p = 0; p <= node->port_count; p++)
		dropped += node->port[p].counter[COUNTER_VL15_DROPPED];
	return dropped;
}

void check_drops_are_real(const struct drops *drops, const struct truth *before,
			  const struct truth *after)
{
	for (size_t i = 0; i < drops->count; i++) {
		const struct switch_drops *from = drops->switches[i];
		uint64_t guid = from->node->guid;
		uint64_t first = count_dropped(truth_find(before, guid));
		uint64_t last = count_dropped(truth_find(after, guid));

		if (from->step != DROPS_READ)
			continue;
		expect(first <= from->before && from->before <= from->after && from->after <= last,
		       "the switch with GUID %" PRIx64 " dropped from %" PRIu64 " to %" PRIu64
		       ", and was read with %" PRIu64 " and %" PRIu64,
		       guid, first, last, from->before, from->after);
		expect(switch_dropped(from) == from->after - from->before, "it dropped %" PRIu64,
		       switch_dropped(from));
	}
}

void check_drops_are_explained(const struct drops *drops)
{
	expect(!drops->waiting, "%zu switches wait for their requests", drops->waiting);
	for (size_t i = 0; i < drops->count; i++) {
		const struct switch_drops *from = drops->switches[i];

		expect(from->step == DROPS_READ || from->step == DROPS_LATE ||
			       (from->step == DROPS_FAILED && from->reading.state != READING_DONE),
		       "the switch with GUID %" PRIx64 " stays at step %d", from->node->guid,
		       (int)from->step);
	}
}
