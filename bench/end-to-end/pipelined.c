/* SPDX-License-Identifier: BSD-2-Clause */
/* Many MADs in flight with plain calls: poll, and then a read and a write for every MAD. */
#include "lanes.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

struct pipeline {
	struct measure measure;
	struct lanes lanes;
	/* Requests that a full socket did not take. */
	uint32_t held[MEASURE_MAX_IN_FLIGHT];
	uint32_t held_count;
};

static void write_one(struct pipeline *pipeline, uint32_t slot)
{
	int fd = lanes_fd(&pipeline->lanes, slot);
	ssize_t bytes = write(fd, lanes_request(&pipeline->lanes, slot), LANES_MESSAGE_BYTES);

	pipeline->measure.syscalls++;
	if (bytes == (ssize_t)LANES_MESSAGE_BYTES)
		return;
	if (bytes >= 0 || errno != EAGAIN)
		measure_fail(&pipeline->measure, "write", bytes < 0 ? errno : EIO);
	pipeline->held[pipeline->held_count++] = slot;
}

static void write_held(struct pipeline *pipeline)
{
	uint32_t count = pipeline->held_count;

	pipeline->held_count = 0;
	for (uint32_t i = 0; i < count; i++)
		write_one(pipeline, pipeline->held[i]);
}

/*
 * Reads the replies of a lane and writes the next request for each. Takes no more than its share of
 * the requests in flight, so that a fast responder does not hold up the other lanes.
 */
static uint64_t drain_lane(struct pipeline *pipeline, uint32_t lane)
{
	uint8_t reply[LANES_MESSAGE_BYTES] __attribute__((aligned(8)));
	uint32_t count = pipeline->lanes.count;
	uint64_t share = (pipeline->measure.in_flight + count - 1) / count;
	uint64_t replies = 0;
	ssize_t bytes;

	while (replies < share) {
		bytes = read(pipeline->lanes.fd[lane], reply, sizeof(reply));
		pipeline->measure.syscalls++;
		if (bytes < 0 && errno == EAGAIN)
			break;
		if (bytes != (ssize_t)sizeof(reply))
			measure_fail(&pipeline->measure, "read", bytes < 0 ? errno : EIO);
		replies++;
		write_one(pipeline, lanes_slot(&pipeline->measure, (struct ib_user_mad *)reply));
	}
	return replies;
}

static uint64_t take_turn(struct pipeline *pipeline)
{
	struct pollfd fds[MEASURE_MAX_LANES];
	uint64_t replies = 0;

	for (uint32_t lane = 0; lane < pipeline->lanes.count; lane++)
		fds[lane] = (struct pollfd){ .fd = pipeline->lanes.fd[lane], .events = POLLIN };
	pipeline->measure.syscalls++;
	if (poll(fds, pipeline->lanes.count, -1) < 0)
		measure_fail(&pipeline->measure, "poll", errno);
	for (uint32_t lane = 0; lane < pipeline->lanes.count; lane++)
		if (fds[lane].revents)
			replies += drain_lane(pipeline, lane);
	write_held(pipeline);
	return replies;
}

int main(int argc, char **argv)
{
	static struct pipeline pipeline;
	struct measure *measure = &pipeline.measure;

	measure_options(measure, "pipelined", argc, argv);
	lanes_open(&pipeline.lanes, measure, true);
	for (uint32_t slot = 0; slot < measure->in_flight; slot++)
		write_one(&pipeline, slot);
	while (measure_replies(measure, take_turn(&pipeline)))
		;
	lanes_close(&pipeline.lanes);
	return measure_report(measure);
}
