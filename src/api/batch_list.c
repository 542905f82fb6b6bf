/* SPDX-License-Identifier: BSD-2-Clause */
/* The batches of a ring, which stand in a circle. */
#include "api/batch.h"

#include <stdlib.h>

void batch_link(struct madring *ring, struct madring_batch *batch)
{
	if (ring->batches) {
		batch->next = ring->batches->next;
		ring->batches->next = batch;
	} else {
		batch->next = batch;
	}
	ring->batches = batch;
	ring->batch_count++;
}

static void unlink_batch(struct madring *ring, struct madring_batch *batch)
{
	struct madring_batch *before = batch;

	while (before->next != batch)
		before = before->next;
	before->next = batch->next;
	if (ring->batches == batch)
		ring->batches = before;
	if (!--ring->batch_count)
		ring->batches = NULL;
}

void batch_free(struct madring_batch *batch)
{
	unlink_batch(batch->ring, batch);
	free(batch->requests);
	free(batch);
}

void batches_free(struct madring *ring)
{
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++) {
		struct madring_batch *next = batch->next;

		free(batch->requests);
		free(batch);
		batch = next;
	}
	ring->batches = NULL;
	ring->batch_count = 0;
}
