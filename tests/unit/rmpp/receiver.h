/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving end by hand: the tests send it the segments of a message, and check the result. */
#ifndef TEST_RMPP_RECEIVER_H
#define TEST_RMPP_RECEIVER_H

#include "rmpp_fixture.h"

struct rmpp *open_default(void);

/* A test whose state is a receiver of the default config. */
#define RECEIVER_TEST(test) cmocka_unit_test_setup_teardown(test, receiver_setup, receiver_teardown)
int receiver_setup(void **state);
int receiver_teardown(void **state);

/* Receives a segment of the message with TID; `segment_of` replaces the low byte of TID. */
enum rmpp_verdict segment(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length,
			  uint64_t now);
enum rmpp_verdict segment_of(struct rmpp *rmpp, uint8_t tid, uint32_t number, uint8_t flags);
/* Receives a segment that starts a message. Returns its id. */
uint64_t start(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length);

/* Checks that an ACK is to be written. */
void expect_ack(struct rmpp *rmpp, uint32_t number, uint32_t window, uint64_t now);
/* Checks that the message is complete: the first segment's headers, and the data of all. */
void expect_message(struct rmpp *rmpp, size_t data);

#endif
