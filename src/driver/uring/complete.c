/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports io_uring's completions to the engine, and records what they mean for their lanes. */
#include "driver/uring/uring.h"
#include "driver/report.h"

#include <errno.h>
#include <limits.h>

/* The number of completions that are fetched at a time. */
#define BATCH 32u

static void handle_read(struct driver *driver, unsigned int lane, uint16_t number, int result,
			uint64_t now)
{
	struct buffers *buffers = &driver->buffers;

	if (!--driver->uring->lane[lane].posted)
		driver->unread = true;
	if (result > 0) {
		report_mad(driver, lane, number, result, now);
		return;
	}
	buffers->at_hand[buffers->at_hand_count++] = number;
	report_failed_read(driver, lane, result, madring_mad_umad(buffers->mad[number])->length);
}

static void handle_multishot(struct driver *driver, unsigned int lane,
			     const struct io_uring_cqe *cqe, uint64_t now)
{
	struct buffers *buffers = &driver->buffers;
	uint16_t number = (uint16_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
	bool has_buffer = cqe->flags & IORING_CQE_F_BUFFER;

	if (!(cqe->flags & IORING_CQE_F_MORE)) {
		driver->uring->lane[lane].armed = false;
		driver->uring->lane[lane].disarming = false;
		driver->unread = true;
	}
	if (has_buffer && cqe->res > 0) {
		report_mad(driver, lane, number, cqe->res, now);
		return;
	}
	if (has_buffer)
		buffers->at_hand[buffers->at_hand_count++] = number;
	if (cqe->res <= 0)
		report_failed_read(driver, lane, cqe->res, 0);
}

/*
 * Handles a completion of the poll for errors, which reports a removal. If it ends for another
 * reason, such as lack of memory, fill_lane() arms it again.
 */
static void handle_poll(struct driver *driver, unsigned int lane, const struct io_uring_cqe *cqe)
{
	if (!(cqe->flags & IORING_CQE_F_MORE))
		driver->uring->lane[lane].watched = false;
	if (cqe->res > 0)
		loss_of_lane(driver, lane);
	else if (cqe->res != -ECANCELED)
		loss_or_rest(driver, lane);
}

static void handle_wake(struct driver *driver, int result)
{
	driver->uring->wake_posted = false;
	if (result > 0)
		driver->woken = true;
}

/* Handles a completion that is neither the write of a whole MAD nor of a multishot read. */
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
		driver->uring->mark_seen = true;
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
		assert(driver->uring->pending &&
		       (what > REQUEST_CANCEL || driver->uring->lane[lane].pending));
		driver->uring->pending--;
		if (what <= REQUEST_CANCEL)
			driver->uring->lane[lane].pending--;
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
		driver->uncollected = io_uring_cq_ready(&driver->uring->ring);
		driver->uring->peeked_at = now;
		engine_late(driver->engine, away_look(&driver->away, now));
	}
	do {
		unsigned int most = limit - total < BATCH ? limit - total : BATCH;

		count = io_uring_peek_batch_cqe(&driver->uring->ring, cqe, most);
		prefetch_received(driver, cqe, count);
		for (unsigned int i = 0; i < count; i++)
			handle_completion(driver, cqe[i], now);
		io_uring_cq_advance(&driver->uring->ring, count);
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
