/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "model/common/prng.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

void prng_seed(struct prng *prng, uint64_t seed)
{
	for (unsigned int i = 0; i < 4; i++)
		prng->state[i] = splitmix(&seed);
}

uint64_t prng_next(struct prng *prng)
{
	uint64_t *s = prng->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t prng_below(struct prng *prng, uint64_t limit)
{
	return prng_next(prng) % limit;
}

uint64_t prng_range(struct prng *prng, uint64_t low, uint64_t high)
{
	return low + prng_below(prng, high - low + 1);
}

uint64_t prng_log_range(struct prng *prng, uint64_t low, uint64_t high)
{
	unsigned int low_bit = 63 - (unsigned int)__builtin_clzll(low);
	unsigned int high_bit = 63 - (unsigned int)__builtin_clzll(high);
	uint64_t power = 1ull << prng_range(prng, low_bit, high_bit);
	uint64_t value = power + prng_below(prng, power);

	if (value < low)
		return low;
	return value > high ? high : value;
}

bool prng_chance(struct prng *prng, uint32_t ppm)
{
	return ppm && prng_below(prng, 1000000) < ppm;
}

void prng_fill(struct prng *prng, void *bytes, size_t count)
{
	unsigned char *at = bytes;

	while (count) {
		uint64_t word = prng_next(prng);
		size_t part = count < sizeof(word) ? count : sizeof(word);

		memcpy(at, &word, part);
		at += part;
		count -= part;
	}
}
