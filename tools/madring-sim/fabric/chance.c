/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/chance.h"
#include "fabric/packet.h"

#define MAD_BITS (8 * FABRIC_MAD_BYTES)

/*
 * happens draws whether an event happens. An event that never or always happens takes no random
 * number, and so changes no other draw.
 */
static bool happens(uint64_t *random, double probability)
{
	if (probability <= 0)
		return false;
	return probability >= 1 || mix_next(random) < (uint64_t)(probability * 0x1p64);
}

struct chance chance_draw(const struct fabric_model *model, uint64_t *random, uint8_t *mad)
{
	struct chance chance = { .is_lost = happens(random, model->loss) };

	if (chance.is_lost)
		return chance;
	chance.is_corrupted = happens(random, model->corrupt);
	if (chance.is_corrupted) {
		uint64_t bit = mix_next(random) % MAD_BITS;

		mad[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	chance.is_duplicated = happens(random, model->duplicate);
	if (model->reorder_delay && happens(random, model->reorder))
		chance.delay = 1 + mix_next(random) % model->reorder_delay;
	return chance;
}
