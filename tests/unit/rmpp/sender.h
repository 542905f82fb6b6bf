/* SPDX-License-Identifier: BSD-2-Clause */
/* The sending end by hand: tests send a message from it, and give it the other end's answers. */
#ifndef TEST_RMPP_SENDER_H
#define TEST_RMPP_SENDER_H

#include "rmpp_fixture.h"

/* The length of 4 full segments of data and 50 bytes, which is sent in 5 segments. */
#define LENGTH		(SA_HEADER + 4 * SA_DATA + 50)
#define LENGTH_SEGMENTS 5
#define TOLD		(4 * PAYLOAD + 20 + 50)
#define REPLY_MS	400

struct send_test {
	struct rmpp *rmpp;
	struct ib_user_mad *message;
	size_t length;
	uint64_t id;
};

struct send_test begin(uint8_t method, size_t length, uint32_t reply_ms);
void end(struct send_test *test);

void acknowledge(struct send_test *test, uint32_t segment, uint32_t window, uint64_t now);
void expect_first(struct send_test *test, uint64_t now);
/* Checks that the next frame is a segment in the middle, or the last one. */
const struct ib_user_mad *expect_segment(struct send_test *test, uint32_t segment, uint64_t now);
/* Expects the first segment, acknowledges it with a window, and expects the segments up to it. */
void expect_window(struct send_test *test, uint32_t window);
/* Returns the time of the next frame; steps a tick at a time from @now on. */
uint64_t next_frame_at(struct rmpp *rmpp, uint64_t now);

#endif
