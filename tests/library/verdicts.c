/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handles.h"
#include "driver/uring/uring.h"
#include "device/device.h"
#include "fake.h"

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
unsigned int __real_io_uring_peek_batch_cqe(struct io_uring *uring, struct io_uring_cqe **cqe,
					    unsigned int count);
unsigned int __wrap_io_uring_peek_batch_cqe(struct io_uring *uring, struct io_uring_cqe **cqe,
					    unsigned int count);

ssize_t __real_device_write(int fd, const struct ib_user_mad *umad, size_t bytes);
ssize_t __wrap_device_write(int fd, const struct ib_user_mad *umad, size_t bytes);
ssize_t __real_read(int fd, void *buffer, size_t bytes);
ssize_t __wrap_read(int fd, void *buffer, size_t bytes);

static struct {
	bool is_plain;
	int read_error; /* of the next read of the first lane by plain system calls; 0: none */
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

/* Tells whether rings are opened with plain system calls. */
static bool is_plain_here(void)
{
	const char *driver = getenv("MADRING_DRIVER");

	return driver && !strcmp(driver, "plain");
}

void verdicts_fail_writes(unsigned int count, int error)
{
	verdicts.writes = count;
	verdicts.write_error = error;
	verdicts.is_plain = is_plain_here();
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

ssize_t __wrap_device_write(int fd, const struct ib_user_mad *umad, size_t bytes)
{
	ssize_t result = __real_device_write(fd, umad, bytes);

	if (result < 0 || !verdicts.writes || !verdicts.is_plain)
		return result;
	verdicts.writes--;
	return verdicts.write_error;
}

ssize_t __wrap_read(int fd, void *buffer, size_t bytes)
{
	if (!verdicts.read_error || !verdicts.is_plain || fd != fake_lane_fd(0))
		return __real_read(fd, buffer, bytes);
	errno = -verdicts.read_error;
	verdicts.read_error = 0;
	return -1;
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

	if (is_plain_here()) {
		verdicts.is_plain = true;
		verdicts.read_error = error;
		return true;
	}
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
