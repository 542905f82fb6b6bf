/* SPDX-License-Identifier: BSD-2-Clause */
#include "inside.h"

/* splitmix64 */
uint64_t fabric_random(struct fabric *fabric)
{
	uint64_t z = (fabric->random += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* What never or always happens is not drawn for, so that it moves no other draw. */
bool fabric_chance(struct fabric *fabric, double probability)
{
	if (probability <= 0)
		return false;
	return probability >= 1 || fabric_random(fabric) < (uint64_t)(probability * 0x1p64);
}
