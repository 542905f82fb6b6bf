/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vhca/record_queue.h"

#define LEAST_ROOM  16384
#define WRITE_BYTES 65536 /* at once */

/* make_room makes room for @length more bytes behind those that wait. */
static bool make_room(struct record_queue *queue, size_t length)
{
	size_t waiting = queue->end - queue->first, room = queue->room ? queue->room : LEAST_ROOM;
	uint8_t *bytes;

	if (queue->room - queue->end >= length)
		return true;
	/* Waiting bytes are moved only if that frees as many. */
	if (queue->first >= waiting && queue->room - waiting >= length) {
		memcpy(queue->bytes, queue->bytes + queue->first, waiting);
		queue->first = 0;
		queue->end = waiting;
		return true;
	}
	while (room - queue->end < length)
		room *= 2;
	bytes = realloc(queue->bytes, room);
	if (!bytes)
		return false;
	queue->bytes = bytes;
	queue->room = room;
	return true;
}

bool record_queue_push(struct record_queue *queue, const struct vhca_record *record, size_t bound)
{
	if (queue->end - queue->first + record->length > bound || !make_room(queue, record->length))
		return false;
	memcpy(queue->bytes + queue->end, record, record->length);
	queue->end += record->length;
	return true;
}

/* run_of returns the length of the whole records that one write takes. */
static size_t run_of(const struct record_queue *queue)
{
	struct vhca_record head;
	size_t length = 0;

	while (queue->first + length < queue->end) {
		memcpy(&head, queue->bytes + queue->first + length, sizeof(head));
		if (length + head.length > WRITE_BYTES)
			break;
		length += head.length;
	}
	return length;
}

/* A record that the device finds malformed would stop all those behind it. */
static void refuse_first(struct record_queue *queue)
{
	struct vhca_record head;

	memcpy(&head, queue->bytes + queue->first, sizeof(head));
	queue->first += head.length;
	queue->refused++;
}

int record_queue_write(struct record_queue *queue, int fd)
{
	while (queue->first < queue->end) {
		ssize_t written = write(fd, queue->bytes + queue->first, run_of(queue));

		if (written > 0)
			queue->first += (size_t)written;
		else if (!written)
			return -EIO;
		else if (errno == EINVAL)
			refuse_first(queue);
		else if (errno != EINTR)
			return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	}
	queue->first = 0;
	queue->end = 0;
	return 0;
}

void record_queue_free(struct record_queue *queue)
{
	free(queue->bytes);
	*queue = (struct record_queue){ 0 };
}
