/* SPDX-License-Identifier: BSD-2-Clause */
/* An open umad file: a socket to its program, and its agents. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "server/device.h"
#include "server/rmpp.h"
#include "server/umad_socket.h"

#define READ_BATCH 64
#define READ_MAX   256 /* of one file, before the others get their turn */

void umad_file_drop_agent(struct server *server, struct umad_file *file, uint32_t id)
{
	struct agent *agent = file->agent[id];

	file->agent[id] = NULL;
	while (agent->outstanding)
		umad_drop_outstanding(server, agent->outstanding);
	rmpp_receive_drop_all(server, agent);
	agent_unregister(agent);
}

void umad_file_close(struct server *server, struct umad_file *file)
{
	for (uint32_t id = 0; id < FILE_AGENTS; id++) {
		if (file->agent[id])
			umad_file_drop_agent(server, file, id);
	}
	message_queue_free(&file->queue);
	source_close(&server->loop, &file->source);
}

void umad_file_expect_long(struct umad_file *file)
{
	int on = 1;

	file->one_by_one = true;
	setsockopt(file->source.fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
}

/* may_have_ended tells whether an empty message may be the end: both look alike to recvmmsg(). */
static bool may_have_ended(int fd)
{
	struct pollfd state = { .fd = fd, .events = POLLRDHUP };

	return poll(&state, 1, 0) > 0 && state.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* read_batch returns the number of messages read, or -errno; -EAGAIN: there are none. */
static int read_batch(struct server *server, struct umad_file *file)
{
	static uint8_t buffer[READ_BATCH][MAD_UMAD_BYTES];
	struct mmsghdr headers[READ_BATCH];
	struct iovec vectors[READ_BATCH];
	int count;

	memset(headers, 0, sizeof(headers));
	for (int i = 0; i < READ_BATCH; i++) {
		vectors[i].iov_base = buffer[i];
		vectors[i].iov_len = sizeof(buffer[i]);
		headers[i].msg_hdr.msg_iov = &vectors[i];
		headers[i].msg_hdr.msg_iovlen = 1;
	}
	count = recvmmsg(file->source.fd, headers, READ_BATCH, MSG_DONTWAIT, NULL);
	if (count < 0)
		return -errno;
	loop_look_at_clock(&server->loop);
	for (int i = 0; i < count; i++) {
		size_t length = headers[i].msg_len;

		if (headers[i].msg_hdr.msg_flags & MSG_TRUNC)
			length = sizeof(buffer[i]) + 1;
		if (!length && may_have_ended(file->source.fd))
			umad_file_expect_long(file);
		else
			umad_written(server, file, buffer[i], length);
	}
	return count;
}

/* read_one returns 1, or -errno; 0: the program has closed the file. */
static int read_one(struct server *server, struct umad_file *file)
{
	static uint8_t buffer[MAD_UMAD_HEADER + SIM_MESSAGE_MAX];
	bool has_ended;
	ssize_t length = long_message_receive(file->source.fd, buffer, sizeof(buffer), MSG_DONTWAIT,
					      &has_ended);

	if (length < 0)
		return (int)length;
	if (has_ended)
		return 0;
	umad_written(server, file, buffer, (size_t)length);
	return 1;
}

/*
 * read_run takes what was written. A program that closes with MADs unread leaves ECONNRESET in
 * front of what it wrote.
 */
static enum read_result read_run(struct server *server, struct umad_file *file)
{
	int count = 0;

	while (count < READ_MAX) {
		int result = file->one_by_one ? read_one(server, file) : read_batch(server, file);

		if (result == -EAGAIN)
			return READ_ALL;
		if (result <= 0 && result != -EINTR && result != -ECONNRESET)
			return READ_ENDED;
		if (result < READ_BATCH && !file->one_by_one)
			return READ_ALL;
		count += result > 0 ? result : 1;
	}
	return READ_MORE;
}

enum read_result umad_file_read(struct server *server, struct umad_file *file)
{
	enum read_result result = read_run(server, file);

	umad_finish_writes(server, file);
	return result;
}

static void close_file(struct loop *loop, struct source *source)
{
	umad_file_close((struct server *)loop, (struct umad_file *)source);
}

static void file_ready(struct loop *loop, struct source *source, uint32_t events)
{
	struct server *server = (struct server *)loop;
	struct umad_file *file = (struct umad_file *)source;

	if (events & EPOLLOUT)
		umad_file_flush(server, file);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && umad_file_read(server, file) == READ_ENDED)
		umad_file_close(server, file);
}

const struct source_type umad_file_type = { .ready = file_ready, .close = close_file };

struct umad_file *umad_file_open(struct server *server, struct device_port *port, int fd,
				 uint64_t cookie)
{
	struct umad_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->source.type = &umad_file_type;
	file->source.fd = fd;
	file->port = port;
	file->cookie = cookie;
	LIST_INIT(&file->unfinished);
	if (!source_add(&server->loop, &file->source, EPOLLIN)) {
		free(file);
		return NULL;
	}
	server->counts.files++;
	return file;
}
