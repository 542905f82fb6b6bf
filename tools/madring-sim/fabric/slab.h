/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of one size in slabs, which are large blocks of memory. A slab that has no object in use
 * any more is freed, except for one such slab. So the memory of a burst is freed after it.
 */
#ifndef SIM_SLAB_H
#define SIM_SLAB_H

#include <stddef.h>
#include <sys/queue.h>

struct slab;

LIST_HEAD(slab_list, slab);

struct slabs {
	size_t object_bytes;
	struct slab_list with_room, full;
	size_t empty; /* slabs of .with_room that have no object in use: 0 or 1 */
};

void slabs_open(struct slabs *slabs, size_t object_bytes);
/* slabs_close frees all objects. */
void slabs_close(struct slabs *slabs);

/* slab_take returns an object with any content, or NULL if memory is exhausted. */
void *slab_take(struct slabs *slabs);
void slab_give_back(struct slabs *slabs, void *object);

#endif
