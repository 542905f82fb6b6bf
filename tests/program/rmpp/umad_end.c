/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "sim_client.h"
#include "umad_end.h"

#define MS	   1000000ull
#define MAX_LENGTH (16u << 20)

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct ib_user_mad *take(void *context, size_t bytes)
{
	return malloc(sizeof(struct ib_user_mad) + bytes);
}

static void give(void *context, struct ib_user_mad *message)
{
	free(message);
}

void umad_end_open(struct umad_end *end, int port, bool serves)
{
	const struct rmpp_config config = {
		.sends = 8,
		.receives = 8,
		.frames = 64,
		.window = RMPP_MAX_WINDOW,
		.message_limit = MAX_LENGTH,
		/*
		 * The timeouts are long enough that a busy machine, which keeps a program waiting,
		 * makes no loss.
		 */
		.first_timeout_ns = 220 * MS,
		.min_timeout_ns = 20 * MS,
		.max_timeout_ns = 2000 * MS,
		.retries = 100,
		.idle_ns = 30000 * MS,
		.total_ns = RMPP_NEVER,
		.linger_ns = 10000 * MS,
		.tick_ns = MS,
		.seed = 1,
		.now = clock_ns(),
		.memory = { .take = take, .give = give },
	};

	*end = (struct umad_end){ .peer = peer_open(port, RMPP_BY_US, serves) };
	assert_int_equal(fcntl(end->peer.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(rmpp_open(&end->rmpp, &config), 0);
}

void umad_end_close(struct umad_end *end)
{
	rmpp_close(end->rmpp);
	free(end->message);
	peer_close(&end->peer);
}

uint64_t umad_end_send(struct umad_end *end, const struct peer_message *message, uint32_t reply_ms)
{
	const struct rmpp_message how = {
		.umad = peer_header(message),
		.length = message->bytes - UMAD_BYTES,
		.reply_ms = reply_ms,
	};
	uint64_t id;

	end->sent = false;
	assert_int_equal(rmpp_send(end->rmpp, &how, clock_ns(), &id), 0);
	return id;
}

void umad_end_write(const struct umad_end *end, const struct peer_message *message,
		    uint32_t timeout_ms)
{
	peer_header(message)->timeout_ms = timeout_ms;
	peer_send(&end->peer, message);
}

static void write_frames(struct umad_end *end)
{
	struct rmpp_frame frame;

	while (rmpp_next_frame(end->rmpp, clock_ns(), &frame)) {
		ssize_t bytes = write(end->peer.fd, frame.umad, frame.bytes);

		rmpp_frame_done(end->rmpp, frame.slot, bytes < 0 ? -errno : 0, clock_ns());
	}
}

static void keep_plain(struct umad_end *end, const struct ib_user_mad *umad, size_t bytes)
{
	if (umad->status)
		return;
	free(end->message);
	end->message = malloc(bytes);
	assert_non_null(end->message);
	memcpy(end->message, umad, bytes);
	end->length = bytes - sizeof(*umad);
}

static void read_all(struct umad_end *end)
{
	union {
		struct ib_user_mad umad;
		uint8_t bytes[UMAD_BYTES + MAD_BYTES];
	} mad;
	ssize_t bytes;

	while ((bytes = read(end->peer.fd, &mad, sizeof(mad))) > 0) {
		const struct rmpp_arrival arrival = { .umad = &mad.umad,
						      .bytes = (size_t)bytes,
						      .accept = true };

		/* A timeout notice has the headers of a segment that was sent. */
		if (mad.umad.status ||
		    rmpp_input(end->rmpp, &arrival, clock_ns(), NULL) == RMPP_PLAIN)
			keep_plain(end, &mad.umad, (size_t)bytes);
	}
}

static void take_outcomes(struct umad_end *end)
{
	struct rmpp_outcome outcome;

	while (rmpp_next_outcome(end->rmpp, &outcome)) {
		if (outcome.status) {
			end->error = outcome.status;
		} else if (outcome.sent) {
			end->sent = true;
		} else {
			free(end->message);
			end->message = outcome.message;
			end->length = outcome.length;
		}
	}
}

static int wait_ms(const struct umad_end *end, uint64_t until)
{
	uint64_t deadline = rmpp_next_deadline(end->rmpp);
	uint64_t now = clock_ns();

	if (deadline < until)
		until = deadline;
	return until > now ? (int)((until - now + MS - 1) / MS) : 0;
}

bool umad_end_run(struct umad_end *end, int other, int timeout_ms)
{
	uint64_t until = clock_ns() + (uint64_t)timeout_ms * MS;
	struct pollfd fd[] = { { .fd = end->peer.fd, .events = POLLIN },
			       { .fd = other, .events = POLLIN } };

	do {
		write_frames(end);
		fd[1].revents = 0;
		poll(fd, 2, wait_ms(end, until));
		read_all(end);
		rmpp_advance(end->rmpp, clock_ns());
		take_outcomes(end);
		write_frames(end);
		if (end->sent || end->message || end->error || fd[1].revents)
			return true;
	} while (clock_ns() < until);
	return false;
}

struct peer_message umad_end_receive(struct umad_end *end)
{
	struct peer_message got;

	while (!end->message) {
		assert_true(umad_end_run(end, -1, LONG_MS));
		assert_int_equal(end->error, 0);
	}
	got = (struct peer_message){ .umad = (uint8_t *)end->message,
				     .bytes = UMAD_BYTES + end->length };
	end->message = NULL;
	return got;
}
