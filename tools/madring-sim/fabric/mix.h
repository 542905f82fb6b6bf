/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_MIX_H
#define SIM_MIX_H

#include <stdint.h>

/* What splitmix64 makes of a number: one that looks random, the same for the same one. */
static inline uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* splitmix64 itself. */
static inline uint64_t mix_next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	return mix(*state);
}

#endif
