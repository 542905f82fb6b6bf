/* SPDX-License-Identifier: BSD-2-Clause */
/* What the completions of io_uring mean to the engine, and to the lanes they came from. */
#include "driver/uring.h"

#include <errno.h>
#include <limits.h>

#include "device/device.h"

/* Completions that are looked at in one go. */
#define BATCH 32u

/* `may_mean_removal` tells whether a file whose device was removed fails with this error. It has
   other causes, too: a write by an agent that is not registered fails with EIO. */
static bool may_mean_removal(int result)
{
	switch (-result) {
	case EIO:
	case EPIPE:
	case ENODEV:
	case ENXIO:
	case ENOTCONN:
	case ECONNRESET:
	case EBADF:
		return true;
	default:
		return false;
	}
}

static bool lane_is_gone(const struct lane_file *file)
{
	return file->lost || device_is_gone(file->fd);
}

static void tap_sent(const struct driver *driver, struct engine_write_id id)
{
	struct engine_write write = engine_write_of(driver->engine, id);

	driver->tap->seen(driver->tap->context, write.lane, true, write.umad, write.bytes,
			  driver->filled_at);
}

static inline void write_completed(struct driver *driver, unsigned int lane,
				   struct engine_write_id id, int result, uint64_t now)
{
	if (may_mean_removal(result) && lane_is_gone(&driver->lane[lane])) {
		loss_of_lane(driver, lane);
		result = -ENODEV;
	}
	if (__builtin_expect(driver->tap != NULL, 0) && result >= 0)
		tap_sent(driver, id);
	engine_write_done(driver->engine, id, result < 0 ? result : 0, now);
}

void complete_write(struct driver *driver, unsigned int lane, struct engine_write_id id, int result,
		    uint64_t now)
{
	write_completed(driver, lane, id, result, now);
}

/* A file that cannot fail a read gives the beginning of a message, and keeps the message. */
static inline bool is_beginning(const struct ib_user_mad *umad, int bytes)
{
	return umad->length > BUFFER_BYTES && bytes == (int)BUFFER_BYTES && !umad->status;
}

static inline void deliver(struct driver *driver, unsigned int lane, uint16_t number, int bytes,
			   uint64_t now)
{
	struct madring_mad *mad = buffers_take(driver, number);

	if (is_beginning(madring_mad_umad(mad), bytes)) {
		long_found(driver, lane, madring_mad_umad(mad)->length);
		driver_give(driver, mad);
		return;
	}
	clear_rest(mad, (size_t)bytes, BUFFER_BYTES);
	driver->arrived++;
	tap_received(driver, lane, mad, (size_t)bytes, now);
	if (!engine_keeps(engine_receive(driver->engine, lane, madring_mad_umad(mad), (size_t)bytes,
					 now)))
		driver_give(driver, mad);
}

/* A read that brought nothing. A read of 0 bytes is the end of the file. @bytes: of the message
   that it had no room for; 0: not known. */
static void read_failed(struct driver *driver, unsigned int lane, int result, uint32_t bytes)
{
	switch (-result) {
	case ECANCELED:
	case EAGAIN:
	case EINTR:
	case ENOBUFS:
		return;
	case ENOSPC:
		long_found(driver, lane, bytes);
		return;
	case EINVAL:
		/* Refused, or too short for a MAD that has come. */
		driver->lane[lane].refused = true;
		if (driver->decided)
			long_found(driver, lane, 0);
		return;
	case EOPNOTSUPP:
	case EBADFD:
		driver->lane[lane].refused = true;
		if (!driver->decided)
			return;
	}
	loss_or_rest(driver, lane);
}

static void read_completed(struct driver *driver, unsigned int lane, uint16_t number, int result,
			   uint64_t now)
{
	struct buffers *buffers = &driver->buffers;

	if (!--driver->lane[lane].posted)
		driver->unread = true;
	if (result > 0) {
		deliver(driver, lane, number, result, now);
		return;
	}
	buffers->at_hand[buffers->at_hand_count++] = number;
	read_failed(driver, lane, result, madring_mad_umad(buffers->mad[number])->length);
}

static void multishot_completed(struct driver *driver, unsigned int lane,
				const struct io_uring_cqe *cqe, uint64_t now)
{
	struct buffers *buffers = &driver->buffers;
	uint16_t number = (uint16_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
	bool has_buffer = cqe->flags & IORING_CQE_F_BUFFER;

	if (!(cqe->flags & IORING_CQE_F_MORE)) {
		driver->lane[lane].armed = false;
		driver->lane[lane].disarming = false;
		driver->unread = true;
	}
	if (has_buffer && cqe->res > 0) {
		deliver(driver, lane, number, cqe->res, now);
		return;
	}
	if (has_buffer)
		buffers->at_hand[buffers->at_hand_count++] = number;
	if (cqe->res <= 0)
		read_failed(driver, lane, cqe->res, 0);
}

/* The poll tells of a removal. When it ends for another reason, such as want of memory, lane_fill()
   arms it again. */
static void poll_completed(struct driver *driver, unsigned int lane, const struct io_uring_cqe *cqe)
{
	if (!(cqe->flags & IORING_CQE_F_MORE))
		driver->lane[lane].watched = false;
	if (cqe->res > 0)
		loss_of_lane(driver, lane);
	else if (cqe->res != -ECANCELED)
		loss_or_rest(driver, lane);
}

static void wake_completed(struct driver *driver, int result)
{
	driver->wake_posted = false;
	if (result > 0)
		driver->woken = true;
}

static void complete_other(struct driver *driver, enum request what, unsigned int lane,
			   const struct io_uring_cqe *cqe, uint64_t now)
{
	const struct engine_write_id segment = { ENGINE_WRITE_SEGMENT, (uint32_t)cqe->user_data };

	switch (what) {
	case REQUEST_SEGMENT:
		write_completed(driver, lane, segment, cqe->res, now);
		break;
	case REQUEST_READ:
		read_completed(driver, lane, (uint16_t)cqe->user_data, cqe->res, now);
		break;
	case REQUEST_POLL:
		poll_completed(driver, lane, cqe);
		break;
	case REQUEST_WAKE:
		wake_completed(driver, cqe->res);
		break;
	case REQUEST_TIMER:
		driver->timer_at = ENGINE_NEVER;
		break;
	case REQUEST_MARK:
		driver->mark_seen = true;
		break;
	case REQUEST_WRITE:
	case REQUEST_MULTISHOT:
	case REQUEST_CANCEL:
	case REQUEST_REST:
		break;
	}
}

static inline void complete_one(struct driver *driver, const struct io_uring_cqe *cqe, uint64_t now)
{
	unsigned int lane = (cqe->user_data >> 48) & 0xff;
	enum request what = (enum request)(cqe->user_data >> 56);
	const struct engine_write_id whole = { ENGINE_WRITE_WHOLE, (uint32_t)cqe->user_data };

	if (!(cqe->flags & IORING_CQE_F_MORE)) {
		assert(driver->pending && (what > REQUEST_CANCEL || driver->lane[lane].pending));
		driver->pending--;
		if (what <= REQUEST_CANCEL)
			driver->lane[lane].pending--;
	}
	/* Nearly all are one of these two. */
	if (what == REQUEST_WRITE)
		write_completed(driver, lane, whole, cqe->res, now);
	else if (what == REQUEST_MULTISHOT)
		multishot_completed(driver, lane, cqe, now);
	else
		complete_other(driver, what, lane, cqe, now);
}

/* What was received lies in memory that was touched long ago, and so does what it answers. */
static inline void prefetch(const struct driver *driver, struct io_uring_cqe *const *cqe,
			    unsigned int count)
{
	const struct ib_user_mad *umad[BATCH];
	unsigned int received = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint32_t flags = cqe[i]->flags;

		if (!(flags & IORING_CQE_F_BUFFER))
			continue;
		umad[received] = (const struct ib_user_mad *)
					 driver->buffers.mad[flags >> IORING_CQE_BUFFER_SHIFT];
		__builtin_prefetch(umad[received]->data);
		received++;
	}
	for (unsigned int i = 0; i < received; i++)
		engine_prefetch(driver->engine, umad[i]);
}

unsigned int complete_some(struct driver *driver, unsigned int limit)
{
	struct io_uring_cqe *cqe[BATCH];
	uint64_t now = driver_clock();
	unsigned int total = 0;
	unsigned int count;

	if (!driver->uncollected) {
		driver->uncollected = io_uring_cq_ready(&driver->uring);
		driver->looked_at = now;
	}
	do {
		unsigned int most = limit - total < BATCH ? limit - total : BATCH;

		count = io_uring_peek_batch_cqe(&driver->uring, cqe, most);
		prefetch(driver, cqe, count);
		for (unsigned int i = 0; i < count; i++)
			complete_one(driver, cqe[i], now);
		io_uring_cq_advance(&driver->uring, count);
		total += count;
		/* Each posted read that was served has another one issued, by this very look. */
	} while (total < limit && (count == BATCH || (count && !driver->multishot)));
	driver->uncollected -= total < driver->uncollected ? total : driver->uncollected;
	if (total < limit)
		driver->uncollected = 0;
	return total;
}

unsigned int complete_all(struct driver *driver)
{
	return complete_some(driver, UINT_MAX);
}
