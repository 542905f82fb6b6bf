/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads: one read(2) for each MAD, until a lane has no more, or its share of the turn is used up.
 * The MADs are reported in batches.
 */
#include "driver/plain/plain.h"
#include "driver/report.h"

#include <unistd.h>

/* The most MADs that are read before they are reported. */
#define MOST_BATCH 32u

/* MADs that were read and are to be reported. */
struct batch {
	uint16_t number[MOST_BATCH]; /* of their buffers */
	uint16_t bytes[MOST_BATCH];
	unsigned int count;
	unsigned int limit;    /* of .count */
	uint32_t failed_bytes; /* the length that the header had after the failed read */
};

short read_events(const struct driver *driver, unsigned int lane)
{
	const struct lane_file *file = &driver->lane[lane];
	short events = 0;

	if (!file->resting && !file->starved && driver->buffers.at_hand_count &&
	    !engine_lane_is_full(driver->engine, lane))
		events |= POLLIN;
	if (driver->plain->lane[lane].is_full && driver->plain->waiting_count)
		events |= POLLOUT;
	return events;
}

/*
 * Reads MADs into a batch until it is full, until a read brings none, or until one brings only the
 * beginning of a long message, which the next read would bring again. Returns the last result of
 * read(2), or its negative errno. The transaction of each MAD is prefetched, because it has not
 * been touched for long: it arrives while the next MADs are read.
 */
static int fill_batch(struct driver *driver, unsigned int lane, struct batch *batch)
{
	struct buffers *buffers = &driver->buffers;
	bool is_beginning = false;
	int result = 0;

	while (batch->count < batch->limit && !is_beginning) {
		uint16_t number = buffers->at_hand[buffers->at_hand_count - 1];
		const struct ib_user_mad *umad = madring_mad_umad(buffers->mad[number]);

		result = (int)read(driver->lane[lane].fd, buffers->mad[number], BUFFER_BYTES);
		driver->entries++;
		if (result <= 0) {
			result = result < 0 ? -errno : 0;
			batch->failed_bytes = umad->length;
			break;
		}
		engine_prefetch(driver->engine, umad);
		is_beginning = is_beginning_of_long(umad, result);
		buffers->at_hand_count--;
		batch->number[batch->count] = number;
		batch->bytes[batch->count] = (uint16_t)result;
		batch->count++;
	}
	return result;
}

/*
 * Returns how many MADs the lane is expected to have: the replies to its requests in flight; 0: it
 * is not known. When all have come, no read is made that would find the lane empty. If there is
 * something else, such as a late reply, the next poll(2) shows it.
 */
static uint32_t expected_mads(const struct driver *driver, unsigned int lane)
{
	if (engine_receivers(driver->engine))
		return 0;
	return engine_lane_in_flight(driver->engine, lane);
}

/*
 * Reads at most @limit MADs, and then reports them. Adds their number to @taken, or 1 if there is
 * none. Returns whether the lane may have another one.
 */
static bool read_batch(struct driver *driver, unsigned int lane, unsigned int limit,
		       unsigned int *taken)
{
	const uint32_t at_hand = driver->buffers.at_hand_count;
	struct batch batch;
	int result;

	assert(at_hand && limit);
	limit = limit < at_hand ? limit : at_hand;
	batch.limit = limit < MOST_BATCH ? limit : MOST_BATCH;
	batch.count = 0;
	batch.failed_bytes = 0;
	result = fill_batch(driver, lane, &batch);
	for (unsigned int i = 0; i < batch.count; i++)
		report_mad(driver, lane, batch.number[i], batch.bytes[i], driver->plain->read_at);
	*taken += batch.count ? batch.count : 1;
	if (result > 0 || result == -EINTR)
		return true;
	report_failed_read(driver, lane, result, batch.failed_bytes);
	return driver->lane[lane].long_bytes;
}

bool has_found_message(const struct driver *driver, unsigned int lane)
{
	return driver->lane[lane].long_bytes && read_events(driver, lane) & POLLIN;
}

bool read_lane(struct driver *driver, unsigned int lane, unsigned int limit)
{
	const struct lane_file *file = &driver->lane[lane];
	uint32_t expected = expected_mads(driver, lane);
	bool is_expecting = expected;
	bool may_have_more = true;
	unsigned int taken = 0;

	while (taken < limit && may_have_more && (expected || !is_expecting)) {
		if (!is_readable(file) || !(read_events(driver, lane) & POLLIN))
			return false;
		if (file->long_bytes) {
			long_read(driver, lane);
			driver->plain->read_at = driver_clock();
			taken++;
		} else {
			unsigned int most = limit - taken;

			if (is_expecting && expected < most)
				most = expected;
			may_have_more = read_batch(driver, lane, most, &taken);
		}
		expected = expected_mads(driver, lane);
	}
	return may_have_more && (expected || !is_expecting);
}
