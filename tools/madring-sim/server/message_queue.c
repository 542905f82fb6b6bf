/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "message_queue.h"

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
	size_t i;

	if (capacity > QUEUE_MAX)
		return -ENOBUFS;
	ring = malloc(capacity * sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (i = 0; i < queue->count; i++)
		ring[i] = *at(queue, i);
	free(queue->ring);
	queue->ring = ring;
	queue->capacity = capacity;
	queue->head = 0;
	return 0;
}

struct message *message_queue_push(struct message_queue *queue)
{
	if (queue->count == queue->capacity && grow(queue))
		return NULL;
	return at(queue, queue->count++);
}

static int write_batch(struct message_queue *queue, int fd)
{
	struct mmsghdr headers[BATCH];
	struct iovec vectors[BATCH];
	size_t count = queue->count < BATCH ? queue->count : BATCH, i;
	int sent;

	memset(headers, 0, count * sizeof(headers[0]));
	for (i = 0; i < count; i++) {
		vectors[i].iov_base = at(queue, i)->bytes;
		vectors[i].iov_len = at(queue, i)->length;
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	sent = sendmmsg(fd, headers, (unsigned int)count, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EINTR ? 0 : -errno;
	queue->head = (queue->head + (size_t)sent) & (queue->capacity - 1);
	queue->count -= (size_t)sent;
	return 0;
}

int message_queue_flush(struct message_queue *queue, int fd)
{
	int ret = 0;

	while (queue->count && !ret)
		ret = write_batch(queue, fd);
	if (!queue->count && queue->capacity > KEPT_CAPACITY)
		message_queue_free(queue);
	return ret;
}

void message_queue_free(struct message_queue *queue)
{
	free(queue->ring);
	memset(queue, 0, sizeof(*queue));
}
