/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving end by hand: segments of one message come to it, and what it makes of them. */
#ifndef TEST_RMPP_RECEIVER_H
#define TEST_RMPP_RECEIVER_H

#include "fixture.h"

struct rmpp *open_default(void);

/* A segment comes; of the message that TID stands for, or with another low byte in that. */
enum rmpp_verdict segment(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length,
			  uint64_t now);
enum rmpp_verdict segment_of(struct rmpp *rmpp, uint8_t tid, uint32_t number, uint8_t flags);
/* One comes that a message begins with. Returns that one's id. */
uint64_t start(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length);

/* An ACK is to be written. */
void expect_ack(struct rmpp *rmpp, uint32_t number, uint32_t window, uint64_t now);
/* The message is whole: the first one's headers, and the data of all. */
void expect_message(struct rmpp *rmpp, size_t data);

#endif
