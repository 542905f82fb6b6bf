/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/chance.h"
#include "fabric/mix.h"

#define MAD_BITS (8 * FABRIC_MAD_BYTES)

uint64_t fabric_random(struct fabric *fabric)
{
	return mix_next(&fabric->random);
}

/* What never or always happens is not drawn for, so that it moves no other draw. */
bool fabric_chance(struct fabric *fabric, double probability)
{
	if (probability <= 0)
		return false;
	return probability >= 1 || fabric_random(fabric) < (uint64_t)(probability * 0x1p64);
}

static void corrupt(struct fabric *fabric, uint8_t *mad)
{
	uint64_t bit = fabric_random(fabric) % MAD_BITS;

	mad[bit / 8] ^= (uint8_t)(1 << bit % 8);
	fabric->stats.corrupted++;
}

void chance_draw(struct fabric *fabric, uint8_t *mad, struct chance *chance)
{
	const struct fabric_model *model = &fabric->model;

	chance->lost = fabric_chance(fabric, model->loss);
	if (chance->lost)
		return;
	if (fabric_chance(fabric, model->corrupt))
		corrupt(fabric, mad);
	chance->twice = fabric_chance(fabric, model->duplicate);
	if (!model->reorder_delay || !fabric_chance(fabric, model->reorder))
		return;
	chance->later = 1 + fabric_random(fabric) % model->reorder_delay;
	fabric->stats.reordered++;
}
