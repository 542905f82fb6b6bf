/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "loop/ctl_protocol.h"
#include "loop/epoll_wait_ns.h"
#include "loop/loop.h"

#define EVENTS	 64
#define PACKETS	 4096 /* out of the fabric, before the programs get their turn */
#define NS_PER_S 1000000000

struct watch {
	struct source source;
	void (*ready)(void *user);
	void *user;
};

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void loop_look_at_clock(struct loop *loop)
{
	loop->now = clock_ns() - loop->start;
}

int loop_explain(int error, char *why, size_t size, const char *what)
{
	snprintf(why, size, "%s: %s", what, strerror(-error));
	return error;
}

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

int loop_open(struct loop *loop, const struct face *face, const struct loop_config *config,
	      char *why, size_t size)
{
	loop->face = face;
	loop->fabric = config->fabric;
	loop->folder = config->folder;
	loop->start = clock_ns();
	loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0 || loop->spare_fd < 0)
		return loop_explain(-errno, why, size, "epoll");
	return 0;
}

void loop_close(struct loop *loop)
{
	while (loop->sources)
		loop->sources->type->close(loop, loop->sources);
	source_reap(loop);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	if (loop->spare_fd >= 0)
		close(loop->spare_fd);
	loop->face->close(loop);
}

static void watch_ready(struct loop *loop, struct source *source, uint32_t events)
{
	struct watch *watch = (struct watch *)source;

	(void)loop;
	(void)events;
	watch->ready(watch->user);
}

int loop_watch(struct loop *loop, int fd, void (*ready)(void *user), void *user)
{
	static const struct source_type type = { .ready = watch_ready, .close = source_close };
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	watch->source.type = &type;
	watch->source.fd = fd;
	watch->ready = ready;
	watch->user = user;
	if (source_add(loop, &watch->source, EPOLLIN))
		return 0;
	free(watch);
	return -ENOMEM;
}

/*
 * refuse_connection refuses a connection, rather than leave it waiting for ever, when descriptors
 * run out.
 */
static void refuse_connection(struct loop *loop, int listener)
{
	int fd;

	close(loop->spare_fd);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int loop_accept(struct loop *loop, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		refuse_connection(loop, listener);
	if (fd >= 0 && !peer_is_trusted(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void dispatch(struct loop *loop, struct source *source, uint32_t events)
{
	/* The source was closed after the event was taken. */
	if (source->fd < 0)
		return;
	source->type->ready(loop, source, events);
}

static void play_fabric(struct loop *loop)
{
	struct fabric_packet packet;
	int endpoint;

	for (int count = 0; count < PACKETS; count++) {
		if (!fabric_receive(loop->fabric, loop->now, &endpoint, &packet))
			return;
		loop->face->receive(loop, endpoint, &packet);
	}
}

static uint64_t next_event(struct loop *loop)
{
	uint64_t next = fabric_next_event(loop->fabric), own;

	if (!loop->face->next)
		return next;
	own = loop->face->next(loop);
	return own < next ? own : next;
}

static int wait_for_events(struct loop *loop, struct epoll_event *events)
{
	uint64_t next = next_event(loop), left;
	struct timespec timeout;
	int count;

	loop_look_at_clock(loop);
	left = next > loop->now ? next - loop->now : 0;
	timeout.tv_sec = (time_t)(left / NS_PER_S);
	timeout.tv_nsec = (long)(left % NS_PER_S);
	count = epoll_wait_ns(loop->epoll_fd, events, EVENTS,
			      next == FABRIC_NEVER ? NULL : &timeout);
	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	return count;
}

int loop_run(struct loop *loop)
{
	struct epoll_event events[EVENTS];
	int error;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (!loop->stopped && !loop->failure) {
		int count = wait_for_events(loop, events);

		if (count < 0)
			return count;
		loop_look_at_clock(loop);
		for (int i = 0; i < count; i++)
			dispatch(loop, events[i].data.ptr, events[i].events);
		loop_look_at_clock(loop);
		/*
		 * The fabric comes before timeouts, so that a late loop does not take a MAD that is
		 * here for lost.
		 */
		play_fabric(loop);
		if (loop->face->expire)
			loop->face->expire(loop);
		error = loop->face->settle(loop);
		if (error)
			return error;
		source_reap(loop);
	}
	return loop->stopped ? 0 : loop->failure;
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}

void loop_fail(struct loop *loop, int error)
{
	loop->failure = error;
}
