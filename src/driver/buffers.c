/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive buffers: at hand, in the kernel, or passed on. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * The number of buffers that are provided beyond one for each request in flight. The kernel takes
 * provided buffers in turn. If all were provided, each would be out of the caches when its turn
 * comes.
 */
#define SPARE_BUFFERS 64u
/*
 * If requests may arrive, this part of all buffers is provided in addition, because nobody here
 * asks for them. Requests that wait for their agent must leave buffers for replies.
 */
#define REQUEST_SHARE 8u

static size_t ring_bytes(const struct driver *driver)
{
	return driver->config.reads * sizeof(struct io_uring_buf);
}

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
	/* A child of fork(2) still has the ring of buffers mapped. */
	if (buffers->ring)
		munmap(buffers->ring, ring_bytes(driver));
	free(buffers->vacant);
	free(buffers->at_hand);
	free(buffers->mad);
	*buffers = (struct buffers){ 0 };
}

int buffers_ring_open(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;
	struct io_uring_buf_reg reg = {
		.ring_entries = driver->config.reads,
		.bgid = BUFFER_GROUP,
	};
	void *memory;
	int error;

	if (buffers->ring)
		return 0;
	memory = mmap(NULL, ring_bytes(driver), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	reg.ring_addr = (uint64_t)(uintptr_t)memory;
	error = io_uring_register_buf_ring(&driver->uring, &reg, 0);
	if (error < 0) {
		munmap(memory, ring_bytes(driver));
		return error;
	}
	buffers->ring = memory;
	io_uring_buf_ring_init(buffers->ring);
	return 0;
}

void buffers_ring_close(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;

	if (!buffers->ring)
		return;
	io_uring_unregister_buf_ring(&driver->uring, BUFFER_GROUP);
	munmap(buffers->ring, ring_bytes(driver));
	buffers->ring = NULL;
	buffers->at_hand_count = 0;
	for (uint32_t i = 0; i < driver->config.reads; i++)
		if (buffers->mad[i])
			buffers->at_hand[buffers->at_hand_count++] = (uint16_t)i;
}

void buffers_provide(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;
	int mask = io_uring_buf_ring_mask(driver->config.reads);
	uint32_t provided = driver->config.reads - buffers->vacant_count - buffers->at_hand_count;
	uint32_t wanted = engine_in_flight(driver->engine) + SPARE_BUFFERS;
	int count = 0;

	if (engine_receivers(driver->engine))
		wanted += driver->config.reads / REQUEST_SHARE;

	while (buffers->at_hand_count && provided++ < wanted) {
		uint16_t number = buffers->at_hand[--buffers->at_hand_count];

		io_uring_buf_ring_add(buffers->ring, buffers->mad[number], BUFFER_BYTES, number,
				      mask, count++);
	}
	if (count)
		io_uring_buf_ring_advance(buffers->ring, count);
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
	return pinned_holds(driver->plain, mad);
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
