/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to open files, and ioctls on them, which connections start with. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/device.h"
#include "server/umad_socket.h"

#define DRAIN_ROUNDS 256

static struct umad_file *find_file(const struct server *server, uint64_t cookie)
{
	for (struct source *source = server->loop.sources; source; source = source->next) {
		struct umad_file *file = (struct umad_file *)source;

		if (source->type == &umad_file_type && file->cookie == cookie)
			return file;
	}
	return NULL;
}

static void answer(int fd, struct sim_reply *reply, int error)
{
	reply->magic = SIM_MAGIC;
	reply->error = (uint32_t)error;
	send(fd, reply, sizeof(*reply), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* find_port returns the port of umadN or issmN, or NULL. */
static struct device_port *find_port(const struct server *server, const struct sim_request *request)
{
	const struct hca *hca;

	if (request->tree >= server->hca_count)
		return NULL;
	hca = server->hca[request->tree];
	return request->index < hca->port_count ? hca->port[request->index] : NULL;
}

static int find_host(struct server *server, const struct sim_request *request,
		     struct sim_reply *reply)
{
	struct hca *hca;

	if (!memchr(request->host, '\0', sizeof(request->host)))
		return ENODEV;
	hca = hca_of_host(server, request->host);
	if (!hca)
		return errno;
	reply->tree = hca->tree;
	return 0;
}

static int open_umad(struct server *server, int fd, const struct sim_request *request,
		     struct sim_reply *reply)
{
	struct device_port *port = find_port(server, request);

	if (!port)
		return ENODEV;
	if (find_file(server, request->cookie))
		return EINVAL;
	socket_raise_buffers(fd);
	if (!umad_file_open(server, port, fd, request->cookie))
		return ENOMEM;
	reply->port = port->hca->node->type == NODE_SWITCH ? SIM_SWITCH_PORT : port->number;
	return 0;
}

static void close_issm(struct loop *loop, struct source *source)
{
	struct server *server = (struct server *)loop;

	for (size_t i = 0; i < server->port_count; i++) {
		struct device_port *port = server->port[i];

		if (!port || port->issm != source)
			continue;
		port->issm = NULL;
		fabric_set_is_sm(loop->fabric, port->endpoint, false);
	}
	source_close(loop, source);
}

/*
 * issm_ready closes an issm file. A program sends nothing over it, so an event means that the
 * program has gone.
 */
static void issm_ready(struct loop *loop, struct source *source, uint32_t events)
{
	(void)events;
	close_issm(loop, source);
}

static const struct source_type issm_type = { .ready = issm_ready, .close = close_issm };

/* open_issm opens an issm file, which one subnet manager at a time may hold. */
static int open_issm(struct server *server, struct source *source,
		     const struct sim_request *request)
{
	struct device_port *port = find_port(server, request);

	if (!port || !port_has_qp(port, 0))
		return ENODEV;
	if (port->issm)
		return EAGAIN;
	port->issm = source;
	fabric_set_is_sm(server->loop.fabric, port->endpoint, true);
	source->type = &issm_type;
	return 0;
}

/* Registers an agent on a umad file, with the errors of the kernel. Returns 0 or an errno. */
static int register_agent(struct server *server, struct umad_file *file,
			  const struct sim_request *request, struct sim_reply *reply)
{
	uint32_t id = 0;
	int error;

	if (request->flags & ~(uint32_t)UMAD_USER_RMPP) {
		reply->flags = UMAD_USER_RMPP;
		return EINVAL;
	}
	while (id < FILE_AGENTS && file->agent[id])
		id++;
	if (id == FILE_AGENTS)
		return request->qpn > 1 ? EINVAL : ENOMEM;
	if (request->qpn <= 1 && !port_has_qp(file->port, request->qpn))
		return EPROTONOSUPPORT;
	error = agent_register(&file->port->agents, file, id, request, &file->agent[id]);
	if (error)
		return -error;
	if (request->kind == SIM_REGISTER_AGENT2 && !file->used)
		file->has_pkey_index = true;
	file->used = true;
	if (agent_leaves_rmpp(file->agent[id]))
		umad_file_expect_long(file);
	server->counts.agents++;
	reply->agent_id = id;
	return 0;
}

static int unregister_agent(struct server *server, struct umad_file *file, uint32_t id)
{
	if (id >= FILE_AGENTS || !file->agent[id])
		return EINVAL;
	umad_file_drop_agent(server, file, id);
	return 0;
}

/* find_agent returns the error of a write by an agent. */
static int find_agent(const struct umad_file *file, uint32_t id)
{
	if (id >= FILE_AGENTS)
		return EINVAL;
	return file->agent[id] ? 0 : EIO;
}

static int enable_pkey(struct umad_file *file)
{
	if (file->used)
		return EINVAL;
	file->has_pkey_index = true;
	return 0;
}

/* MADs that were written before the ioctl are sent before it takes effect. */
static int file_ioctl(struct server *server, const struct sim_request *request,
		      struct sim_reply *reply)
{
	struct umad_file *file = find_file(server, request->cookie);
	int round = 0;

	if (!file)
		return ENOTTY;
	while (umad_file_read(server, file) == READ_MORE && round < DRAIN_ROUNDS)
		round++;
	switch (request->kind) {
	case SIM_ENABLE_PKEY:
		return enable_pkey(file);
	case SIM_REGISTER_AGENT:
	case SIM_REGISTER_AGENT2:
		return register_agent(server, file, request, reply);
	case SIM_UNREGISTER_AGENT:
		return unregister_agent(server, file, request->agent_id);
	case SIM_FIND_AGENT:
		return find_agent(file, request->agent_id);
	default:
		return ENOTTY;
	}
}

/*
 * send_message sends a message over a connection that has nothing else to say. Returns 0 or an
 * errno.
 */
static int send_message(int fd, const void *message, size_t length)
{
	if (send(fd, message, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length)
		return 0;
	return -long_message_send(fd, message, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* fetch_error returns ib_umad's error if there is no room for a message longer than a MAD. */
static int fetch_error(const struct umad_file *file, const struct message *message, size_t room)
{
	if (!message)
		return EAGAIN;
	if (room >= message->length)
		return 0;
	return room < umad_file_header_bytes(file) + MAD_BYTES ? EINVAL : ENOSPC;
}

static void fetch(struct server *server, int fd, const struct sim_request *request)
{
	struct umad_file *file = find_file(server, request->cookie);
	const struct message *message = file ? message_queue_begun(&file->queue) : NULL;
	int error = file ? fetch_error(file, message, request->room) : ENOTTY;
	struct sim_reply reply = { 0 };

	answer(fd, &reply, error);
	if (error == ENOSPC)
		send_message(fd, message_start(message), SIM_MESSAGE_BEGINNING);
	if (error || send_message(fd, message_start(message), message->length))
		return;
	message_queue_fetched(&file->queue);
	umad_file_flush(server, file);
}

/* Reads the request of a program that has connected, and answers it. */
static void connection_ready(struct loop *loop, struct source *source, uint32_t events)
{
	struct server *server = (struct server *)loop;
	struct sim_reply reply = { 0 };
	struct sim_request request;
	ssize_t length = recv(source->fd, &request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
	int error, fd;

	(void)events;
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length != sizeof(request) || request.magic != SIM_MAGIC) {
		source_close(&server->loop, source);
		return;
	}
	if (request.kind == SIM_OPEN_ISSM) {
		error = open_issm(server, source, &request);
		answer(source->fd, &reply, error);
		if (error)
			source_close(&server->loop, source);
		return;
	}
	fd = source_release(&server->loop, source);
	if (request.kind == SIM_FETCH) {
		fetch(server, fd, &request);
		close(fd);
		return;
	}
	if (request.kind == SIM_OPEN_UMAD)
		error = open_umad(server, fd, &request, &reply);
	else if (request.kind == SIM_FIND_HOST)
		error = find_host(server, &request, &reply);
	else
		error = file_ioctl(server, &request, &reply);
	answer(fd, &reply, error);
	if (request.kind != SIM_OPEN_UMAD || error)
		close(fd);
}

const struct source_type connection_type = { .ready = connection_ready, .close = source_close };
