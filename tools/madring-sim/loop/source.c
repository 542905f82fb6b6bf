/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop/loop.h"
#include "loop/source.h"

bool source_add(struct loop *loop, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event))
		return false;
	source->next = loop->sources;
	if (source->next)
		source->next->link = &source->next;
	source->link = &loop->sources;
	loop->sources = source;
	return true;
}

bool source_new(struct loop *loop, const struct source_type *type, int fd)
{
	struct source *source = calloc(1, sizeof(*source));

	if (source) {
		source->type = type;
		source->fd = fd;
		if (source_add(loop, source, EPOLLIN))
			return true;
		free(source);
	}
	close(fd);
	return false;
}

void source_set_events(struct loop *loop, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &event);
}

int source_release(struct loop *loop, struct source *source)
{
	int fd = source->fd;

	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	*source->link = source->next;
	if (source->next)
		source->next->link = source->link;
	source->link = NULL;
	source->fd = -1;
	source->next = loop->closed;
	loop->closed = source;
	return fd;
}

void source_close(struct loop *loop, struct source *source)
{
	close(source_release(loop, source));
}

void source_reap(struct loop *loop)
{
	struct source *source;

	while ((source = loop->closed)) {
		loop->closed = source->next;
		free(source);
	}
}
