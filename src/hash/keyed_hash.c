/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyed_hash.h"

#include <endian.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define ROUNDS_OF_A_WORD  1
#define ROUNDS_AT_THE_END 3

void hash_key_draw(struct hash_key *key)
{
	struct timespec now;

	/*
	 * getrandom() fails where a seccomp filter forbids it. The key is then made of the time and
	 * an address, which others do not know either.
	 */
	if (getrandom(key, sizeof(*key), 0) == (ssize_t)sizeof(*key))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	key->word[0] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	key->word[1] = (uintptr_t)key;
}

static uint64_t rotate(uint64_t word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix_state(uint64_t v[4], unsigned int rounds)
{
	for (; rounds; rounds--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void take_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix_state(v, ROUNDS_OF_A_WORD);
	v[0] ^= word;
}

uint64_t keyed_hash(const struct hash_key *key, const void *data, size_t size)
{
	uint64_t v[4] = {
		key->word[0] ^ UINT64_C(0x736f6d6570736575),
		key->word[1] ^ UINT64_C(0x646f72616e646f6d),
		key->word[0] ^ UINT64_C(0x6c7967656e657261),
		key->word[1] ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *from = data;
	size_t left = size;
	uint64_t word;

	for (; left >= sizeof(word); left -= sizeof(word), from += sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		take_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, from, left);
	take_word(v, le64toh(word) | (uint64_t)size << 56);
	v[2] ^= 0xff;
	mix_state(v, ROUNDS_AT_THE_END);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
