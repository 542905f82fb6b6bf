/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slab.h"

int slab_open(struct slab *slab, uint32_t count, size_t stride, enum madring_pin pin)
{
	int error;

	memset(slab, 0, sizeof(*slab));
	if (!count)
		return 0;
	slab->free = malloc(count * sizeof(*slab->free));
	slab->owner = calloc(count, sizeof(*slab->owner));
	error = slab->free && slab->owner ? pinned_map(&slab->memory, count * stride, pin)
					  : -ENOMEM;
	if (error) {
		slab_close(slab);
		return error;
	}
	slab->base = slab->memory.base;
	slab->count = count;
	slab->free_count = count;
	slab->free_least = count;
	poison(slab->base, count * stride);
	for (uint32_t i = 0; i < count; i++)
		slab->free[i] = count - 1 - i;
	return 0;
}

void slab_close(struct slab *slab)
{
	pinned_unmap(&slab->memory);
	free(slab->free);
	free(slab->owner);
	memset(slab, 0, sizeof(*slab));
}
