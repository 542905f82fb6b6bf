/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of the records that TIDs, buffers or slots belong to, apart from the engine's own. */
#ifndef SIMULATION_LOOKUP_H
#define SIMULATION_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;

struct lookup {
	struct lookup_entry {
		uint64_t key;
		struct record *record; /* NULL: free */
	} *entry;
	size_t count, room; /* room: a power of two */
};

/* Adds a key. Returns false when it is there already. */
bool lookup_add(struct lookup *lookup, uint64_t key, struct record *record);
struct record *lookup_find(const struct lookup *lookup, uint64_t key);
void lookup_remove(struct lookup *lookup, uint64_t key);
void lookup_free(struct lookup *lookup);

#endif
