/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits to be read from a umad file. */
#include <errno.h>
#include <sys/epoll.h>

#include "device.h"

struct message *umad_file_push(struct server *server, struct umad_file *file, size_t bound)
{
	struct message *message = NULL;

	if (file->queue.count < bound)
		message = message_queue_push(&file->queue);
	if (!message) {
		server->counts.overflowed++;
		return NULL;
	}
	if (!file->to_flush) {
		file->to_flush = true;
		file->next_to_flush = server->to_flush;
		server->to_flush = file;
	}
	return message;
}

/* A reader that has gone is noticed when its socket is read. */
void umad_file_flush(struct server *server, struct umad_file *file)
{
	int ret = message_queue_flush(&file->queue, file->source.fd);
	bool waits = ret == -EAGAIN;

	if (ret && !waits)
		message_queue_free(&file->queue);
	if (waits == file->waits_for_room)
		return;
	file->waits_for_room = waits;
	source_set_events(server, &file->source, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}
