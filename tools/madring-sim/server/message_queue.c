/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "server/message_queue.h"
#include "server/protocol.h"

#define BATCH		 64
#define INITIAL_CAPACITY 64
#define KEPT_CAPACITY	 4096 /* an empty ring larger than this is given back */

static struct message *at(const struct message_queue *queue, size_t position)
{
	return &queue->ring[(queue->head + position) & (queue->capacity - 1)];
}

static int grow(struct message_queue *queue)
{
	size_t capacity = queue->capacity ? queue->capacity * 2 : INITIAL_CAPACITY;
	struct message *ring;

	if (capacity > QUEUE_MAX)
		return -ENOBUFS;
	ring = malloc(capacity * sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (size_t i = 0; i < queue->count; i++)
		ring[i] = *at(queue, i);
	free(queue->ring);
	queue->ring = ring;
	queue->capacity = capacity;
	queue->head = 0;
	return 0;
}

struct message *message_queue_push(struct message_queue *queue)
{
	struct message *message;

	if (queue->count == queue->capacity && grow(queue))
		return NULL;
	message = at(queue, queue->count++);
	message->block = NULL;
	return message;
}

struct message *message_queue_push_block(struct message_queue *queue, uint8_t *block,
					 uint8_t *start, uint32_t length)
{
	struct message *message = NULL;

	if (queue->block_bytes + length <= QUEUE_BLOCK_MAX)
		message = message_queue_push(queue);
	if (!message)
		return NULL;
	message->block = block;
	message->start = start;
	message->length = length;
	queue->block_bytes += length;
	return message;
}

static void pop(struct message_queue *queue)
{
	struct message *message = at(queue, 0);

	if (message->block) {
		queue->block_bytes -= message->length;
		free(message->block);
	}
	queue->head = (queue->head + 1) & (queue->capacity - 1);
	queue->count--;
}

static bool is_long(const struct message *message)
{
	return message->length > SIM_MESSAGE_BEGINNING;
}

/*
 * batch_of returns how many messages go in one write: a long one alone, or those up to the next
 * long.
 */
static size_t batch_of(const struct message_queue *queue)
{
	size_t most = queue->count < BATCH ? queue->count : BATCH, count = 1;

	if (is_long(at(queue, 0)))
		return 1;
	while (count < most && !is_long(at(queue, count)))
		count++;
	return count;
}

/*
 * Writes the first messages of a queue to their file. A long message is only begun. Returns 0 or a
 * negative errno.
 */
static int write_batch(struct message_queue *queue, int fd)
{
	struct mmsghdr headers[BATCH];
	struct iovec vectors[BATCH];
	size_t count = batch_of(queue);
	int sent;

	memset(headers, 0, count * sizeof(headers[0]));
	for (size_t i = 0; i < count; i++) {
		struct message *message = at(queue, i);

		vectors[i].iov_base = message->block ? message->start : message->bytes;
		vectors[i].iov_len = is_long(message) ? SIM_MESSAGE_BEGINNING : message->length;
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	sent = sendmmsg(fd, headers, (unsigned int)count, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EINTR ? 0 : -errno;
	queue->begun = sent && is_long(at(queue, 0));
	while (!queue->begun && sent--)
		pop(queue);
	return 0;
}

int message_queue_flush(struct message_queue *queue, int fd)
{
	int error = 0;

	while (queue->count && !queue->begun && !error)
		error = write_batch(queue, fd);
	if (!queue->count && queue->capacity > KEPT_CAPACITY)
		message_queue_free(queue);
	return error;
}

const struct message *message_queue_begun(const struct message_queue *queue)
{
	return queue->begun ? at(queue, 0) : NULL;
}

void message_queue_fetched(struct message_queue *queue)
{
	pop(queue);
	queue->begun = false;
}

void message_queue_free(struct message_queue *queue)
{
	while (queue->count)
		pop(queue);
	free(queue->ring);
	queue->ring = NULL;
	queue->capacity = 0;
	queue->begun = false;
}
