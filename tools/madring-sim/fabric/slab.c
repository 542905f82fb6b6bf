/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "fabric/slab.h"

/*
 * The size of a slab, so large that malloc() maps it by itself, and free() gives it back to the
 * system.
 */
#define SLAB_BYTES (256u * 1024 - 64)

/* The header in front of each object. */
struct cell {
	struct slab *slab;
	struct cell *next; /* the next unused cell */
};

struct slab {
	LIST_ENTRY(slab) siblings;
	struct cell *unused;
	size_t used;
	size_t untouched; /* bytes at the end that have never been in use */
	max_align_t cells[];
};

void slabs_open(struct slabs *slabs, size_t object_bytes)
{
	*slabs = (struct slabs){ .object_bytes = object_bytes };
	LIST_INIT(&slabs->with_room);
	LIST_INIT(&slabs->full);
}

static void free_slabs(struct slab_list *list)
{
	struct slab *slab;

	while ((slab = LIST_FIRST(list))) {
		LIST_REMOVE(slab, siblings);
		free(slab);
	}
}

void slabs_close(struct slabs *slabs)
{
	free_slabs(&slabs->with_room);
	free_slabs(&slabs->full);
	slabs->empty = 0;
}

static size_t cell_bytes(const struct slabs *slabs)
{
	const size_t unit = sizeof(max_align_t);

	return (sizeof(struct cell) + slabs->object_bytes + unit - 1) / unit * unit;
}

static struct slab *slab_with_room(struct slabs *slabs)
{
	struct slab *slab = LIST_FIRST(&slabs->with_room);

	if (slab)
		return slab;
	slab = malloc(SLAB_BYTES);
	if (!slab)
		return NULL;
	slab->unused = NULL;
	slab->used = 0;
	slab->untouched = SLAB_BYTES - offsetof(struct slab, cells);
	LIST_INSERT_HEAD(&slabs->with_room, slab, siblings);
	slabs->empty++;
	return slab;
}

static bool is_full(const struct slabs *slabs, const struct slab *slab)
{
	return !slab->unused && slab->untouched < cell_bytes(slabs);
}

static struct cell *take_cell(const struct slabs *slabs, struct slab *slab)
{
	struct cell *cell = slab->unused;

	if (cell) {
		slab->unused = cell->next;
		return cell;
	}
	cell = (struct cell *)(void *)((uint8_t *)slab + SLAB_BYTES - slab->untouched);
	cell->slab = slab;
	slab->untouched -= cell_bytes(slabs);
	return cell;
}

static void move(struct slab *slab, struct slab_list *to)
{
	LIST_REMOVE(slab, siblings);
	LIST_INSERT_HEAD(to, slab, siblings);
}

void *slab_take(struct slabs *slabs)
{
	struct slab *slab = slab_with_room(slabs);
	struct cell *cell;

	if (!slab)
		return NULL;
	cell = take_cell(slabs, slab);
	if (!slab->used++)
		slabs->empty--;
	if (is_full(slabs, slab))
		move(slab, &slabs->full);
	return cell + 1;
}

void slab_give_back(struct slabs *slabs, void *object)
{
	struct cell *cell = (struct cell *)object - 1;
	struct slab *slab = cell->slab;

	if (is_full(slabs, slab))
		move(slab, &slabs->with_room);
	cell->next = slab->unused;
	slab->unused = cell;
	if (--slab->used)
		return;
	if (!slabs->empty) {
		slabs->empty = 1;
		return;
	}
	LIST_REMOVE(slab, siblings);
	free(slab);
}
