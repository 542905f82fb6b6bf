/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "model/common/must_alloc.h"
#include "engine_lookup.h"

static size_t home_of(const struct lookup *lookup, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (lookup->room - 1);
}

/* Returns the entry with @key, or the free one where it belongs. */
static size_t locate(const struct lookup *lookup, uint64_t key)
{
	size_t at = home_of(lookup, key);

	while (lookup->entry[at].record && lookup->entry[at].key != key)
		at = (at + 1) & (lookup->room - 1);
	return at;
}

static void grow(struct lookup *lookup)
{
	struct lookup old = *lookup;

	lookup->room = old.room ? 2 * old.room : 64;
	lookup->entry = must_alloc(lookup->room * sizeof(*lookup->entry));
	for (size_t i = 0; i < old.room; i++) {
		if (old.entry[i].record)
			lookup->entry[locate(lookup, old.entry[i].key)] = old.entry[i];
	}
	free(old.entry);
}

bool lookup_add(struct lookup *lookup, uint64_t key, struct record *record)
{
	size_t at;

	if (2 * lookup->count >= lookup->room)
		grow(lookup);
	at = locate(lookup, key);
	if (lookup->entry[at].record)
		return false;
	lookup->entry[at] = (struct lookup_entry){ key, record };
	lookup->count++;
	return true;
}

struct record *lookup_find(const struct lookup *lookup, uint64_t key)
{
	if (!lookup->room)
		return NULL;
	return lookup->entry[locate(lookup, key)].record;
}

void lookup_remove(struct lookup *lookup, uint64_t key)
{
	size_t mask = lookup->room - 1;
	size_t hole = locate(lookup, key);
	size_t at = hole;

	if (!lookup->entry[hole].record)
		return;
	lookup->count--;
	for (;;) {
		lookup->entry[hole].record = NULL;
		do {
			at = (at + 1) & mask;
			if (!lookup->entry[at].record)
				return;
		} while (((at - home_of(lookup, lookup->entry[at].key)) & mask) <
			 ((at - hole) & mask));
		lookup->entry[hole] = lookup->entry[at];
		hole = at;
	}
}

void lookup_free(struct lookup *lookup)
{
	free(lookup->entry);
	*lookup = (struct lookup){ 0 };
}
