/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers that a seed repeats exactly (xoshiro256**, seeded by splitmix64). */
#ifndef SIMULATION_PRNG_H
#define SIMULATION_PRNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prng {
	uint64_t state[4];
};

void prng_seed(struct prng *prng, uint64_t seed);
uint64_t prng_next(struct prng *prng);
/* Returns a number from 0 to @limit - 1; @limit > 0. */
uint64_t prng_below(struct prng *prng, uint64_t limit);
/* Returns a number from @low to @high, both included. */
uint64_t prng_range(struct prng *prng, uint64_t low, uint64_t high);
/* Returns a number from @low to @high, each order of magnitude as likely as the next; @low > 0. */
uint64_t prng_log_range(struct prng *prng, uint64_t low, uint64_t high);
/* Returns true @ppm times in a million. */
bool prng_chance(struct prng *prng, uint32_t ppm);
void prng_fill(struct prng *prng, void *bytes, size_t count);

#endif
