/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a transaction's messages in segments. */
#ifndef MADRING_ENGINE_SEGMENTS_END_H
#define MADRING_ENGINE_SEGMENTS_END_H

#include <stdbool.h>
#include <stdint.h>

/* The RMPP messages of a transaction, by RMPP's ids; 0: none. */
struct segments {
	uint64_t send, receive;
	bool late; /* the message that is received answers an earlier attempt */
};

struct engine;
struct transaction;

/* Returns the messages of a transaction. */
struct segments *segments_of(const struct engine *engine, const struct transaction *transaction);
/* Ends the messages of a transaction whose attempt has ended. */
void segments_drop(struct engine *engine, struct transaction *transaction);
/* Ends the messages of a transaction that has its reply. */
void segments_answered(struct engine *engine, struct transaction *transaction);

#endif
