/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "server.h"
#include "device.h"

#define EVENTS	 64
#define PACKETS	 4096 /* out of the fabric, before the programs get their turn */
#define NS_PER_S 1000000000
#define BACKLOG	 1024

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

static int fail(int error, char *why, size_t size, const char *what)
{
	snprintf(why, size, "%s: %s", what, strerror(-error));
	return error;
}

static int listen_at(struct server *server)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/" SIM_SOCKET,
			      server->folder);
	int fd, ret;

	if (length < 0 || (size_t)length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return source_new(server, SOURCE_LISTENER, fd) ? 0 : -ENOMEM;
}

int server_open(struct server **opened, const struct server_config *config, char *why, size_t size)
{
	struct server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return fail(-ENOMEM, why, size, "the server");
	server->fabric = config->fabric;
	server->folder = config->folder;
	server->control = config->control;
	server->start = clock_ns();
	wheel_init(&server->wheel, 0);
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = server->epoll_fd < 0 || server->spare_fd < 0 ? -errno : 0;
	if (ret) {
		fail(ret, why, size, "epoll");
		goto failed;
	}
	ret = hca_open(server, config->node, config->port);
	if (ret) {
		fail(ret, why, size, "the device of the node to attach to");
		goto failed;
	}
	ret = listen_at(server);
	if (ret) {
		fail(ret, why, size,
		     "the socket in the temporary folder, whose place TMPDIR names");
		goto failed;
	}
	ret = ctl_listen(server);
	if (ret) {
		fail(ret, why, size,
		     config->control.path ? config->control.path : "control socket");
		goto failed;
	}
	*opened = server;
	return 0;

failed:
	server_close(server);
	return ret;
}

static void close_issm(struct server *server, struct source *source)
{
	struct device_port *port;
	size_t i;

	for (i = 0; i < server->port_count; i++) {
		port = server->port[i];
		if (!port || port->issm != source)
			continue;
		port->issm = NULL;
		fabric_set_is_sm(server->fabric, port->endpoint, false);
	}
	source_close(server, source);
}

static void close_source(struct server *server, struct source *source)
{
	if (source->kind == SOURCE_UMAD) {
		umad_file_close(server, (struct umad_file *)source);
		return;
	}
	if (source->kind == SOURCE_CTL) {
		ctl_close(server, source);
		return;
	}
	if (source->kind == SOURCE_ISSM) {
		close_issm(server, source);
		return;
	}
	source_close(server, source);
}

void server_close(struct server *server)
{
	size_t i;

	while (server->sources)
		close_source(server, server->sources);
	source_reap(server);
	ctl_unlink(server);
	for (i = 0; i < server->hca_count; i++)
		hca_close(server->hca[i]);
	free(server->hca);
	free(server->port);
	if (server->epoll_fd >= 0)
		close(server->epoll_fd);
	if (server->spare_fd >= 0)
		close(server->spare_fd);
	free(server);
}

int server_watch(struct server *server, int fd, void (*ready)(void *user), void *user)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	watch->source.kind = SOURCE_WATCH;
	watch->source.fd = fd;
	watch->ready = ready;
	watch->user = user;
	if (source_add(server, &watch->source, EPOLLIN))
		return 0;
	free(watch);
	return -ENOMEM;
}

/* Out of file descriptors: the caller is refused, rather than left waiting for ever. */
static void refuse_connection(struct server *server, int listener)
{
	int fd;

	close(server->spare_fd);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int accept_client(struct server *server, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		refuse_connection(server, listener);
	return fd;
}

static void accept_connection(struct server *server, int listener)
{
	int fd = accept_client(server, listener);

	if (fd >= 0)
		source_new(server, SOURCE_CONNECTION, fd);
}

static void file_ready(struct server *server, struct umad_file *file, uint32_t events)
{
	if (events & EPOLLOUT)
		umad_file_flush(server, file);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && umad_file_read(server, file) == READ_ENDED)
		umad_file_close(server, file);
}

static void dispatch(struct server *server, struct source *source, uint32_t events)
{
	struct watch *watch;

	if (source->fd < 0)
		return;
	switch (source->kind) {
	case SOURCE_LISTENER:
		accept_connection(server, source->fd);
		break;
	case SOURCE_WATCH:
		watch = (struct watch *)source;
		watch->ready(watch->user);
		break;
	case SOURCE_CONNECTION:
		control_ready(server, source);
		break;
	case SOURCE_ISSM:
		close_source(server, source);
		break;
	case SOURCE_UMAD:
		file_ready(server, (struct umad_file *)source, events);
		break;
	case SOURCE_CTL_LISTENER:
		ctl_accept(server, source->fd);
		break;
	case SOURCE_CTL:
		ctl_ready(server, source, events);
		break;
	}
}

static void play_fabric(struct server *server)
{
	struct fabric_packet packet;
	struct device_port *port;
	int endpoint, count;

	for (count = 0; count < PACKETS; count++) {
		if (!fabric_receive(server->fabric, server->now, &endpoint, &packet))
			return;
		port = (size_t)endpoint < server->port_count ? server->port[endpoint] : NULL;
		if (port)
			umad_received(server, port, &packet);
	}
}

static void flush_files(struct server *server)
{
	struct umad_file *file;

	while ((file = server->to_flush)) {
		server->to_flush = file->next_to_flush;
		file->to_flush = false;
		if (file->source.fd >= 0 && !file->waits_for_room)
			umad_file_flush(server, file);
	}
}

static int update_sysfs(struct server *server)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < server->port_count && !ret; i++) {
		if (server->port[i])
			ret = sysfs_update(server, server->port[i]);
	}
	return ret;
}

static int wait_for_events(struct server *server, struct epoll_event *events)
{
	uint64_t next = fabric_next_event(server->fabric), tick = wheel_next(&server->wheel), left;
	struct timespec timeout;
	int count;

	if (tick != WHEEL_NEVER && tick * NS_PER_MS < next)
		next = tick * NS_PER_MS;
	server->now = clock_ns() - server->start;
	left = next > server->now ? next - server->now : 0;
	timeout.tv_sec = (time_t)(left / NS_PER_S);
	timeout.tv_nsec = (long)(left % NS_PER_S);
	count = epoll_pwait2(server->epoll_fd, events, EVENTS,
			     next == FABRIC_NEVER ? NULL : &timeout, NULL);
	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	return count;
}

int server_run(struct server *server)
{
	struct epoll_event events[EVENTS];
	int count, i, ret;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	while (!server->stopped) {
		count = wait_for_events(server, events);
		if (count < 0)
			return count;
		server->now = clock_ns() - server->start;
		for (i = 0; i < count; i++)
			dispatch(server, events[i].data.ptr, events[i].events);
		server->now = clock_ns() - server->start;
		umad_expire(server);
		play_fabric(server);
		ret = update_sysfs(server);
		if (ret)
			return ret;
		flush_files(server);
		source_reap(server);
	}
	return 0;
}

void server_stop(struct server *server)
{
	server->stopped = true;
}

void server_report(const struct server *server, struct json_object *report)
{
	counts_report(&server->counts, report);
}
