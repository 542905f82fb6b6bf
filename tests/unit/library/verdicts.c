/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdicts.h"

#include <errno.h>

#include "api/handles.h"
#include "driver/uring/uring.h"
#include "fake.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
unsigned int __real_io_uring_peek_batch_cqe(struct io_uring *uring, struct io_uring_cqe **cqe,
					    unsigned int count);
unsigned int __wrap_io_uring_peek_batch_cqe(struct io_uring *uring, struct io_uring_cqe **cqe,
					    unsigned int count);

static struct {
	unsigned int refused;
	unsigned int writes; /* writes that are still to fail */
	int write_error;
	uint64_t ended; /* the user_data of the request that was ended; 0: none */
	int end_error;
} verdicts;

unsigned int verdicts_refused(void)
{
	return verdicts.refused;
}

void verdicts_fail_writes(unsigned int count, int error)
{
	verdicts.writes = count;
	verdicts.write_error = error;
}

/*
 * Tells whether a write's agent is not registered any more when the write is reported. The
 * library unregisters an agent only when all its writes have been reported, because the kernel may
 * still make a write that has not been reported.
 */
static bool is_refused(const struct driver *driver, struct engine_write_id id)
{
	struct engine_write write = engine_write_of(driver->engine, id);

	return !fake_takes(driver->lane[write.lane].fd, write.umad);
}

static int verdict(const struct driver *driver, const struct io_uring_cqe *cqe)
{
	enum request what = (enum request)(cqe->user_data >> 56);
	const struct engine_write_id id = {
		.kind = what == REQUEST_SEGMENT ? ENGINE_WRITE_SEGMENT : ENGINE_WRITE_WHOLE,
		.number = (uint32_t)cqe->user_data,
	};

	if (cqe->res == -ECANCELED && cqe->user_data == verdicts.ended) {
		verdicts.ended = 0;
		return verdicts.end_error;
	}
	if ((what != REQUEST_WRITE && what != REQUEST_SEGMENT) || cqe->res < 0)
		return cqe->res;
	if (verdicts.writes) {
		verdicts.writes--;
		return verdicts.write_error;
	}
	if (!is_refused(driver, id))
		return cqe->res;
	verdicts.refused++;
	return -EIO;
}

unsigned int __wrap_io_uring_peek_batch_cqe(struct io_uring *uring, struct io_uring_cqe **cqe,
					    unsigned int count)
{
	const struct driver *driver =
		(const struct driver *)(void *)((char *)uring - offsetof(struct uring, ring)) - 1;

	count = __real_io_uring_peek_batch_cqe(uring, cqe, count);
	for (unsigned int i = 0; i < count; i++)
		cqe[i]->res = verdict(driver, cqe[i]);
	return count;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static bool end(struct madring *ring, uint64_t user_data, int error)
{
	struct io_uring_sync_cancel_reg reg = { .addr = user_data, .timeout = { -1, -1 } };

	verdicts.ended = user_data;
	verdicts.end_error = error;
	return !io_uring_register_sync_cancel(&ring->driver->uring->ring, &reg);
}

bool verdicts_end_read(struct madring *ring, int error)
{
	uint32_t number = 0;

	if (ring->driver->multishot)
		return end(ring, request_tag(REQUEST_MULTISHOT, 0, 0), error);
	/* The first of the linked reads is under way; it may have any of the buffers. */
	while (number < ring->config.reads &&
	       !end(ring, request_tag(REQUEST_READ, 0, number), error))
		number++;
	return number < ring->config.reads;
}

bool verdicts_end_poll(struct madring *ring, int error)
{
	return end(ring, request_tag(REQUEST_POLL, 0, 0), error);
}
