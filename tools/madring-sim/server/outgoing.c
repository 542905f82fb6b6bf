/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits to be read from a umad file. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "server/device.h"

static void flush_later(struct server *server, struct umad_file *file)
{
	if (file->to_flush)
		return;
	file->to_flush = true;
	file->next_to_flush = server->to_flush;
	server->to_flush = file;
}

struct message *umad_file_push(struct server *server, struct umad_file *file, size_t bound)
{
	struct message *message = NULL;

	if (file->queue.count < bound)
		message = message_queue_push(&file->queue);
	if (!message) {
		server->counts.overflowed++;
		return NULL;
	}
	flush_later(server, file);
	return message;
}

bool umad_file_push_block(struct server *server, struct umad_file *file, uint8_t *block,
			  uint8_t *start, uint32_t length)
{
	struct message_queue *queue = &file->queue;

	if (queue->count >= FILE_RECEIVED ||
	    !message_queue_push_block(queue, block, start, length)) {
		server->counts.overflowed++;
		free(block);
		return false;
	}
	flush_later(server, file);
	return true;
}

/* A reader that has gone is noticed when its socket is read. */
void umad_file_flush(struct server *server, struct umad_file *file)
{
	int error = message_queue_flush(&file->queue, file->source.fd);
	bool waits = error == -EAGAIN;

	if (error && !waits) {
		server->counts.unread += file->queue.count;
		message_queue_free(&file->queue);
	}
	if (waits == file->waits_for_room)
		return;
	file->waits_for_room = waits;
	source_set_events(&server->loop, &file->source, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}
