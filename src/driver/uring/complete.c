/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports io_uring's completions to the engine, and records what they mean for their lanes. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <limits.h>

#include "device/device.h"

/* The number of completions that are fetched at a time. */
#define BATCH 32u

/*
 * Tells whether a file whose device was removed may fail with this error. The error has other
 * causes, too: a write by an agent that is not registered fails with EIO.
 */
static bool can_mean_removal(int result)
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

static bool is_lane_gone(const struct lane_file *file)
{
	return file->lost || device_is_gone(file->fd);
}

static void tap_sent(const struct driver *driver, struct engine_write_id id)
{
	struct engine_write write = engine_write_of(driver->engine, id);

	driver->tap->seen(driver->tap->context, write.lane, true, write.umad, write.bytes,
			  driver->filled_at);
}

static inline void report_write(struct driver *driver, unsigned int lane, struct engine_write_id id,
				int result, uint64_t now)
{
	if (can_mean_removal(result) && is_lane_gone(&driver->lane[lane])) {
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
	report_write(driver, lane, id, result, now);
}

/*
 * Tells whether a read brought the beginning of a message only. Some files cannot fail such a
 * read; they return the beginning and keep the message.
 */
static inline bool is_beginning_of_long(const struct ib_user_mad *umad, int bytes)
{
	return umad->length > BUFFER_BYTES && bytes == (int)BUFFER_BYTES && !umad->status;
}

static inline void deliver_mad(struct driver *driver, unsigned int lane, uint16_t number, int bytes,
			       uint64_t now)
{
	struct madring_mad *mad = buffers_take(driver, number);

	if (is_beginning_of_long(madring_mad_umad(mad), bytes)) {
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

/*
 * Handles a read that brought nothing. A read of 0 bytes means the end of the file. @bytes is the
 * length of the message that the read had no room for, or 0 if that is not known.
 */
static void handle_failed_read(struct driver *driver, unsigned int lane, int result, uint32_t bytes)
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
		/* The file refuses the read, or its next MAD is longer than the buffer. */
		driver->lane[lane].refused = true;
		if (driver->has_strategy)
			long_found(driver, lane, 0);
		return;
	case EOPNOTSUPP:
	case EBADFD:
		driver->lane[lane].refused = true;
		if (!driver->has_strategy)
			return;
	}
	loss_or_rest(driver, lane);
}

static void handle_read(struct driver *driver, unsigned int lane, uint16_t number, int result,
			uint64_t now)
{
	struct buffers *buffers = &driver->buffers;

	if (!--driver->lane[lane].posted)
		driver->unread = true;
	if (result > 0) {
		deliver_mad(driver, lane, number, result, now);
		return;
	}
	buffers->at_hand[buffers->at_hand_count++] = number;
	handle_failed_read(driver, lane, result, madring_mad_umad(buffers->mad[number])->length);
}

static void handle_multishot(struct driver *driver, unsigned int lane,
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
		deliver_mad(driver, lane, number, cqe->res, now);
		return;
	}
	if (has_buffer)
		buffers->at_hand[buffers->at_hand_count++] = number;
	if (cqe->res <= 0)
		handle_failed_read(driver, lane, cqe->res, 0);
}

/*
 * Handles a completion of the poll for errors, which reports a removal. If it ends for another
 * reason, such as lack of memory, fill_lane() arms it again.
 */
static void handle_poll(struct driver *driver, unsigned int lane, const struct io_uring_cqe *cqe)
{
	if (!(cqe->flags & IORING_CQE_F_MORE))
		driver->lane[lane].watched = false;
	if (cqe->res > 0)
		loss_of_lane(driver, lane);
	else if (cqe->res != -ECANCELED)
		loss_or_rest(driver, lane);
}

static void handle_wake(struct driver *driver, int result)
{
	driver->wake_posted = false;
	if (result > 0)
		driver->woken = true;
}

static void handle_other(struct driver *driver, enum request what, unsigned int lane,
			 const struct io_uring_cqe *cqe, uint64_t now)
{
	const struct engine_write_id segment = { ENGINE_WRITE_SEGMENT, (uint32_t)cqe->user_data };

	switch (what) {
	case REQUEST_SEGMENT:
		report_write(driver, lane, segment, cqe->res, now);
		break;
	case REQUEST_READ:
		handle_read(driver, lane, (uint16_t)cqe->user_data, cqe->res, now);
		break;
	case REQUEST_POLL:
		handle_poll(driver, lane, cqe);
		break;
	case REQUEST_WAKE:
		handle_wake(driver, cqe->res);
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

static inline void handle_completion(struct driver *driver, const struct io_uring_cqe *cqe,
				     uint64_t now)
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
	/* Nearly all completions are one of these two. */
	if (what == REQUEST_WRITE)
		report_write(driver, lane, whole, cqe->res, now);
	else if (what == REQUEST_MULTISHOT)
		handle_multishot(driver, lane, cqe, now);
	else
		handle_other(driver, what, lane, cqe, now);
}

/* Prefetches the MADs that were received and their transactions: neither was touched for long. */
static inline void prefetch_received(const struct driver *driver, struct io_uring_cqe *const *cqe,
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
		driver->peeked_at = now;
	}
	do {
		unsigned int most = limit - total < BATCH ? limit - total : BATCH;

		count = io_uring_peek_batch_cqe(&driver->uring, cqe, most);
		prefetch_received(driver, cqe, count);
		for (unsigned int i = 0; i < count; i++)
			handle_completion(driver, cqe[i], now);
		io_uring_cq_advance(&driver->uring, count);
		total += count;
		/*
		 * Peeking at the completion queue runs task work, which issues the next linked
		 * read.
		 */
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
