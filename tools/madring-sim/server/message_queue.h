/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages on their way to one reader: a ring that grows as it is needed up to a bound, and
 * is written to a socket in batches. Of one that is longer than a MAD only the beginning is
 * written, and nothing behind it until it has been fetched.
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

/* Room for one more message at the end; NULL: the queue is full, or there is no memory. */
struct message *message_queue_push(struct message_queue *queue);

/* The same for one whose bytes are in @block already, which is taken over. */
struct message *message_queue_push_block(struct message_queue *queue, uint8_t *block,
					 uint8_t *start, uint32_t length);

/* Writes what the socket takes. 0: all that may be; -EAGAIN; another -errno: the reader has gone.
 */
int message_queue_flush(struct message_queue *queue, int fd);

/* The message whose beginning has been written; NULL: none. */
const struct message *message_queue_begun(const struct message_queue *queue);
/* It has been fetched. */
void message_queue_fetched(struct message_queue *queue);

/* Where a message begins. */
static inline const uint8_t *message_start(const struct message *message)
{
	return message->block ? message->start : message->bytes;
}

void message_queue_free(struct message_queue *queue);

#endif
