/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "shard.h"

/* Takes a number from 1 to SHARD_MAX off the front of a text. Returns 0 if there is none. */
static uint32_t take_number(const char **text)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned long number = strtoul(*text, NULL, 10);

	*text += digits;
	return digits && number <= SHARD_MAX ? (uint32_t)number : 0;
}

bool shard_parse(struct shard *shard, const char *text)
{
	shard->number = take_number(&text);
	if (*text++ != '/')
		return false;
	shard->count = take_number(&text);
	return !*text && shard->number && shard->number <= shard->count;
}

uint32_t shard_of(uint64_t node_guid, uint32_t count)
{
	uint64_t x = node_guid;

	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	x ^= x >> 31;
	return (uint32_t)(x % count) + 1;
}

bool shard_has(const struct shard *shard, uint64_t node_guid)
{
	return !shard->count || shard_of(node_guid, shard->count) == shard->number;
}
