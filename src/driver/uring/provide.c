/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring of receive buffers that are provided to the kernel for multishot reads. */
#include "driver/uring/uring.h"

#include <errno.h>
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

int provide_open(struct driver *driver)
{
	struct uring *uring = driver->uring;
	struct io_uring_buf_reg reg = {
		.ring_entries = driver->config.reads,
		.bgid = BUFFER_GROUP,
	};
	void *memory;
	int error;

	if (uring->buffers)
		return 0;
	memory = mmap(NULL, ring_bytes(driver), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	reg.ring_addr = (uint64_t)(uintptr_t)memory;
	error = io_uring_register_buf_ring(&uring->ring, &reg, 0);
	if (error < 0) {
		munmap(memory, ring_bytes(driver));
		return error;
	}
	uring->buffers = memory;
	io_uring_buf_ring_init(uring->buffers);
	return 0;
}

void provide_unmap(struct driver *driver)
{
	if (driver->uring->buffers)
		munmap(driver->uring->buffers, ring_bytes(driver));
	driver->uring->buffers = NULL;
}

void provide_close(struct driver *driver)
{
	struct buffers *buffers = &driver->buffers;

	if (!driver->uring->buffers)
		return;
	io_uring_unregister_buf_ring(&driver->uring->ring, BUFFER_GROUP);
	provide_unmap(driver);
	buffers->at_hand_count = 0;
	for (uint32_t i = 0; i < driver->config.reads; i++)
		if (buffers->mad[i])
			buffers->at_hand[buffers->at_hand_count++] = (uint16_t)i;
}

void provide_buffers(struct driver *driver)
{
	struct io_uring_buf_ring *ring = driver->uring->buffers;
	struct buffers *buffers = &driver->buffers;
	int mask = io_uring_buf_ring_mask(driver->config.reads);
	uint32_t provided = driver->config.reads - buffers->vacant_count - buffers->at_hand_count;
	uint32_t wanted = engine_in_flight(driver->engine) + SPARE_BUFFERS;
	int count = 0;

	if (engine_receivers(driver->engine))
		wanted += driver->config.reads / REQUEST_SHARE;

	while (buffers->at_hand_count && provided++ < wanted) {
		uint16_t number = buffers->at_hand[--buffers->at_hand_count];

		io_uring_buf_ring_add(ring, buffers->mad[number], BUFFER_BYTES, number, mask,
				      count++);
	}
	if (count)
		io_uring_buf_ring_advance(ring, count);
}
