/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "device.h"

bool source_add(struct server *server, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, source->fd, &event))
		return false;
	source->next = server->sources;
	if (source->next)
		source->next->link = &source->next;
	source->link = &server->sources;
	server->sources = source;
	return true;
}

bool source_new(struct server *server, enum source_kind kind, int fd)
{
	struct source *source = calloc(1, sizeof(*source));

	if (source) {
		source->kind = kind;
		source->fd = fd;
		if (source_add(server, source, EPOLLIN))
			return true;
		free(source);
	}
	close(fd);
	return false;
}

void source_set_events(struct server *server, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, source->fd, &event);
}

int source_release(struct server *server, struct source *source)
{
	int fd = source->fd;

	epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	*source->link = source->next;
	if (source->next)
		source->next->link = source->link;
	source->link = NULL;
	source->fd = -1;
	source->next = server->closed;
	server->closed = source;
	return fd;
}

void source_close(struct server *server, struct source *source)
{
	close(source_release(server, source));
}

void source_reap(struct server *server)
{
	struct source *source;

	while ((source = server->closed)) {
		server->closed = source->next;
		free(source);
	}
}
