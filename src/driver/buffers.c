/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive buffers: at hand, in the kernel, or passed on. */
#include "driver/driver_state.h"

#include <stdlib.h>

int buffers_open(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;
	uint32_t count = driver->config.reads;

	assert(!buffers->mad && !(count & (count - 1)));
	buffers->mad = calloc(count, sizeof(struct madring_mad *));
	buffers->at_hand = calloc(count, sizeof(*buffers->at_hand));
	buffers->vacant = calloc(count, sizeof(*buffers->vacant));
	if (!buffers->mad || !buffers->at_hand || !buffers->vacant)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		buffers->mad[i] = pool_take_plain(driver->pool);
		if (!buffers->mad[i])
			return -ENOMEM;
		buffers->at_hand[buffers->at_hand_count++] = (uint16_t)i;
	}
	return 0;
}

void buffers_close(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;

	for (uint32_t i = 0; buffers->mad && i < driver->config.reads; i++)
		if (buffers->mad[i])
			pool_give(driver->pool, buffers->mad[i]);
	free(buffers->vacant);
	free(buffers->at_hand);
	free(buffers->mad);
	*buffers = (struct buffers){ 0 };
}

struct madring_mad *buffers_take(struct driver *driver, uint16_t number)
{
	struct buffers *buffers = &driver->buffers;
	struct madring_mad *mad = buffers->mad[number];

	assert(number < driver->config.reads && mad);
	buffers->mad[number] = NULL;
	buffers->vacant[buffers->vacant_count++] = number;
	return mad;
}

static bool is_plain_buffer(const struct driver *driver, const struct madring_mad *mad)
{
	return pinned_holds(driver->plain_memory, mad);
}

/*
 * Makes a buffer receive again. If no number is vacant, the buffer came from long.c and goes to
 * the pool.
 */
static void reuse_buffer(struct driver *driver, struct madring_mad *mad)
{
	struct buffers *buffers = &driver->buffers;
	uint16_t number;

	if (!buffers->vacant_count) {
		pool_give(driver->pool, mad);
		return;
	}
	number = buffers->vacant[--buffers->vacant_count];
	assert(!buffers->mad[number] && buffers->at_hand_count < driver->config.reads);
	buffers->mad[number] = mad;
	/* A lane may lack a read because there was no buffer. The program's next step posts it. */
	if (driver->unread && driver->ready_waits && !buffers->at_hand_count)
		ready_signal(driver);
	buffers->at_hand[buffers->at_hand_count++] = number;
}

static void give_to_pool(struct driver *driver, struct madring_mad *mad)
{
	pool_give(driver->pool, mad);
	long_room(driver);
}

void driver_give(struct driver *driver, struct madring_mad *mad)
{
	if (is_plain_buffer(driver, mad))
		reuse_buffer(driver, mad);
	else
		give_to_pool(driver, mad);
}

void driver_keep(struct driver *driver, const struct madring_mad *mad)
{
	struct madring_mad *other;

	if (!is_plain_buffer(driver, mad))
		return;
	other = pool_take_plain(driver->pool);
	if (other)
		reuse_buffer(driver, other);
	else
		driver->buffers.kept++;
}

void driver_put(struct driver *driver, struct madring_mad *mad)
{
	if (!is_plain_buffer(driver, mad)) {
		give_to_pool(driver, mad);
		return;
	}
	if (!driver->buffers.kept) {
		pool_give(driver->pool, mad);
		return;
	}
	/* This buffer replaces one that a callback has kept. */
	driver->buffers.kept--;
	reuse_buffer(driver, mad);
}
