/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers from a seed, and what befalls a packet by them. */
#ifndef SIM_CHANCE_H
#define SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/model.h"

/* mix scrambles a number as splitmix64 does: equal numbers give equal results. */
static inline uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* mix_next returns the next number of a splitmix64 generator. */
static inline uint64_t mix_next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	return mix(*state);
}

/* The chances of a packet on its way. */
struct chance {
	bool is_lost, is_corrupted, is_duplicated;
	uint64_t delay; /* ns; 0: it is not reordered */
};

/*
 * chance_draw draws a packet's chances by the model's probabilities, and inverts a bit of a
 * corrupted MAD.
 */
struct chance chance_draw(const struct fabric_model *model, uint64_t *random, uint8_t *mad);

#endif
