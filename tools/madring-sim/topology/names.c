/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash/keyed_hash.h"
#include "topology/names.h"

#define FIRST_SIZE 64

struct entry {
	const char *name; /* NULL: free */
	void *value;
	uint64_t hash;
};

struct names {
	struct entry *entries;
	size_t size; /* a power of two */
	size_t used;
	struct hash_key key;
};

static uint64_t hash_of(const struct names *names, const char *name)
{
	return keyed_hash(&names->key, name, strlen(name));
}

/* slot_of returns the entry of @name, or the free one for it. There is always a free entry. */
static struct entry *slot_of(struct entry *entries, size_t size, const char *name, uint64_t hash)
{
	size_t i = hash & (size - 1);

	while (entries[i].name && (entries[i].hash != hash || strcmp(entries[i].name, name)))
		i = (i + 1) & (size - 1);
	return &entries[i];
}

static int grow(struct names *names)
{
	size_t size = names->size * 2;
	struct entry *entries = calloc(size, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < names->size; i++) {
		const struct entry *old = &names->entries[i];

		if (old->name)
			*slot_of(entries, size, old->name, old->hash) = *old;
	}
	free(names->entries);
	names->entries = entries;
	names->size = size;
	return 0;
}

struct names *names_new(void)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	hash_key_draw(&names->key);
	names->size = FIRST_SIZE;
	names->entries = calloc(names->size, sizeof(*names->entries));
	if (!names->entries) {
		free(names);
		return NULL;
	}
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	free(names->entries);
	free(names);
}

int names_add(struct names *names, const char *name, void *value)
{
	uint64_t hash = hash_of(names, name);
	struct entry *entry;

	if (names->used >= names->size / 2 && grow(names))
		return -ENOMEM;
	entry = slot_of(names->entries, names->size, name, hash);
	if (entry->name)
		return -EEXIST;
	*entry = (struct entry){ .name = name, .value = value, .hash = hash };
	names->used++;
	return 0;
}

void *names_find(const struct names *names, const char *name)
{
	return slot_of(names->entries, names->size, name, hash_of(names, name))->value;
}
