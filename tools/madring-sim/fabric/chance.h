/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens by chance, drawn from the fabric's seed. */
#ifndef SIM_CHANCE_H
#define SIM_CHANCE_H

#include "fabric/inside.h"

uint64_t fabric_random(struct fabric *fabric);
bool fabric_chance(struct fabric *fabric, double probability);

/* What befalls a packet on its way. */
struct chance {
	bool lost, twice;
	uint64_t later; /* ns */
};

/* Draws it, and turns a bit of the MAD when that is its fate. */
void chance_draw(struct fabric *fabric, uint8_t *mad, struct chance *chance);

#endif
