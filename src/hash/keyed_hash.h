/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A keyed hash, SipHash-1-3, for tables whose keys others choose: a fabric chooses its GUIDs, a
 * program its TIDs, a file its names. Without the hash key, nobody can choose keys that all fall
 * into one bucket. No output may depend on the hash.
 */
#ifndef HASH_KEYED_HASH_H
#define HASH_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t word[2];
};

void hash_key_draw(struct hash_key *key);

uint64_t keyed_hash(const struct hash_key *key, const void *data, size_t size);

static inline uint64_t keyed_hash_u64(const struct hash_key *key, uint64_t value)
{
	return keyed_hash(key, &value, sizeof(value));
}

#endif
