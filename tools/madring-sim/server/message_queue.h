/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages for one reader: a ring that grows up to a bound, and is written to a socket in
 * batches. If a message is longer than a MAD, only its beginning is written, and nothing behind it
 * until the message has been fetched.
 */
#ifndef SIM_MESSAGE_QUEUE_H
#define SIM_MESSAGE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/mad.h"

#define QUEUE_MAX	524288	     /* messages, of any kind; a power of two */
#define QUEUE_BLOCK_MAX (256u << 20) /* bytes of those that don't fit into a struct message */

struct message {
	uint32_t length;
	uint8_t *block; /* to be freed; NULL: the message is in @bytes */
	uint8_t *start; /* of the message in @block */
	uint8_t bytes[MAD_UMAD_BYTES];
};

struct message_queue {
	struct message *ring;
	size_t capacity; /* a power of two, or 0 */
	size_t head;
	size_t count;
	size_t block_bytes;
	bool begun; /* the beginning of the first has been written */
};

/*
 * message_queue_push returns room for a message at the end; or NULL: the queue is full, or there is
 * no memory.
 */
struct message *message_queue_push(struct message_queue *queue);

/* message_queue_push_block adds a message whose bytes are in @block, which it takes over. */
struct message *message_queue_push_block(struct message_queue *queue, uint8_t *block,
					 uint8_t *start, uint32_t length);

/*
 * message_queue_flush writes what the socket takes. Returns 0: all that may be written is; -EAGAIN:
 * the socket is full; another -errno: the reader has gone.
 */
int message_queue_flush(struct message_queue *queue, int fd);

/* message_queue_begun returns the message whose beginning has been written, or NULL. */
const struct message *message_queue_begun(const struct message_queue *queue);
/* message_queue_fetched drops that message, which has been fetched. */
void message_queue_fetched(struct message_queue *queue);

/* message_start returns where a message begins. */
static inline const uint8_t *message_start(const struct message *message)
{
	return message->block ? message->start : message->bytes;
}

void message_queue_free(struct message_queue *queue);

#endif
