/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/device.h"
#include "server/server.h"

#define BACKLOG 1024

static struct server *server_of(struct loop *loop)
{
	return (struct server *)loop;
}

static void listener_ready(struct loop *loop, struct source *listener, uint32_t events)
{
	int fd = loop_accept(loop, listener->fd);

	(void)events;
	if (fd >= 0)
		source_new(loop, &connection_type, fd);
}

static int listen_at(struct loop *loop)
{
	static const struct source_type type = { .ready = listener_ready, .close = source_close };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/" SIM_SOCKET,
			      loop->folder);
	int fd;

	if (length < 0 || (size_t)length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, BACKLOG)) {
		int error = -errno;

		close(fd);
		return error;
	}
	return source_new(loop, &type, fd) ? 0 : -ENOMEM;
}

static uint64_t server_next(struct loop *loop)
{
	uint64_t tick = wheel_next(&server_of(loop)->wheel);

	return tick == WHEEL_NEVER ? FABRIC_NEVER : tick * NS_PER_MS;
}

static void server_expire(struct loop *loop)
{
	umad_expire(server_of(loop));
}

static void server_receive(struct loop *loop, int endpoint, const struct fabric_packet *packet)
{
	struct server *server = server_of(loop);
	struct device_port *port =
		(size_t)endpoint < server->port_count ? server->port[endpoint] : NULL;

	if (port && packet->dqp && port->gsi)
		port = port->gsi;
	if (port)
		umad_received(server, port, packet);
}

static int update_sysfs(struct server *server)
{
	int error = 0;

	for (size_t i = 0; i < server->hca_count; i++) {
		const struct hca *hca = server->hca[i];

		for (size_t port = 0; port < hca->port_count && !error; port++)
			error = sysfs_update(server, hca->port[port]);
	}
	return error;
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

static int server_settle(struct loop *loop)
{
	int error = update_sysfs(server_of(loop));

	if (!error)
		flush_files(server_of(loop));
	return error;
}

static void server_report(const struct loop *loop, struct json_writer *writer)
{
	counts_report(&((const struct server *)loop)->counts, writer);
}

static void server_close(struct loop *loop)
{
	struct server *server = server_of(loop);

	for (size_t i = 0; i < server->hca_count; i++)
		hca_close(server->hca[i]);
	free(server->hca);
	free(server->port);
	free(server);
}

static const struct face face = {
	.next = server_next,
	.expire = server_expire,
	.receive = server_receive,
	.settle = server_settle,
	.report = server_report,
	.close = server_close,
};

int server_open(struct server **opened, const struct server_config *config, char *why, size_t size)
{
	struct server *server = calloc(1, sizeof(*server));
	int error;

	if (!server)
		return loop_explain(-ENOMEM, why, size, "the server");
	server->planes = config->planes;
	wheel_init(&server->wheel, 0);
	server->kernel = config->kernel;
	if (!server->kernel.version)
		server->kernel.version = kernel_find(KERNEL_DEFAULT);
	if (!server->kernel.recv_queue_size)
		server->kernel.recv_queue_size = KERNEL_RECV_QUEUE_DEFAULT;
	error = loop_open(&server->loop, &face, &config->loop, why, size);
	if (error)
		goto failed;
	error = sysfs_create_kernel(server);
	if (!error)
		error = hca_open(server, config->place.node, config->place.port);
	if (error) {
		loop_explain(error, why, size, "the device of the node to attach to");
		goto failed;
	}
	error = listen_at(&server->loop);
	if (error) {
		loop_explain(error, why, size,
			     "the socket in the temporary folder, whose place TMPDIR names");
		goto failed;
	}
	*opened = server;
	return 0;

failed:
	loop_close(&server->loop);
	return error;
}

struct loop *server_loop(struct server *server)
{
	return &server->loop;
}
