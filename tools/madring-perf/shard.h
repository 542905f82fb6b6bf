/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shards: parts of a fabric that several collectors share. Each collector has the nodes whose GUID
 * says so, and a node that joins or leaves the fabric moves no other node.
 */
#ifndef PERF_SHARD_H
#define PERF_SHARD_H

#include <stdbool.h>
#include <stdint.h>

/* The shard @number of @count, from 1. A zeroed one has all nodes. */
struct shard {
	uint32_t number, count;
};

#define SHARD_MAX 65536u

/* Reads "K/N". Returns false if the text is anything else. */
bool shard_parse(struct shard *shard, const char *text);

/*
 * Returns the shard of @count that a node is in: 1 + x mod count, where x is its GUID, mixed as the
 * last steps of SplitMix64 do: x ^= x >> 30, x *= 0xbf58476d1ce4e5b9, x ^= x >> 27, x *=
 * 0x94d049bb133111eb, x ^= x >> 31. It is the same in every version, so that collectors of several
 * versions can share a fabric.
 */
uint32_t shard_of(uint64_t node_guid, uint32_t count);

/* Returns whether a node is in the shard. */
bool shard_has(const struct shard *shard, uint64_t node_guid);

#endif
