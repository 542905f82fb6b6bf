/* SPDX-License-Identifier: BSD-2-Clause */
/* The control socket. Each connection has one command, and ends when its answer is sent. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/ctl_protocol.h"
#include "loop/ctl_socket.h"

#define CLIENTS 16 /* one more, and the oldest has to go */
#define BACKLOG 64

struct ctl_socket {
	struct ctl_config config;
	size_t clients;
	bool is_bound; /* the path of the socket is ours to remove */
};

struct listener {
	struct source source;
	struct ctl_socket *ctl;
};

struct ctl_client {
	struct source source;
	struct ctl_socket *ctl;
	char request[CTL_REQUEST_BYTES];
	size_t received;
	char *reply; /* NULL: the request is still being received */
	size_t reply_bytes, sent;
};

static void client_close(struct loop *loop, struct source *source)
{
	struct ctl_client *client = (struct ctl_client *)source;

	free(client->reply);
	client->reply = NULL;
	client->ctl->clients--;
	source_close(loop, source);
}

/* split returns the number of words of a request; 0: the request is malformed. */
static size_t split(const struct ctl_client *client, const char **words)
{
	const char *at = client->request, *end = at + client->received;
	size_t count = 0;

	if (at == end || end[-1])
		return 0;
	for (; at < end; at += strlen(at) + 1) {
		if (count == CTL_REQUEST_WORDS)
			return 0;
		words[count++] = at;
	}
	return count;
}

static int obey(struct loop *loop, const struct ctl_client *client, FILE *out)
{
	const struct ctl_config *config = &client->ctl->config;
	const char *words[CTL_REQUEST_WORDS];
	size_t count = split(client, words);
	bool json = count && !strcmp(words[0], CTL_AS_JSON);

	if (count < 2 || (!json && strcmp(words[0], CTL_AS_TEXT) != 0)) {
		fputs("not a command", out);
		return CTL_REFUSED;
	}
	/* The events that are due before the command happen before it. */
	fabric_run(loop->fabric, loop->now);
	return config->obey(config->user, words + 1, count - 1, json, out);
}

/* make_reply obeys the command and makes the reply. Returns false if there is no memory. */
static bool make_reply(struct loop *loop, struct ctl_client *client)
{
	FILE *out = open_memstream(&client->reply, &client->reply_bytes);
	int status;

	if (!out)
		return false;
	fputc('0', out);
	status = obey(loop, client, out);
	if (fclose(out) || !client->reply || !client->reply_bytes)
		return false;
	client->reply[0] = (char)('0' + status);
	return true;
}

/* send_reply returns false at the end of the reply. */
static bool send_reply(struct loop *loop, struct ctl_client *client)
{
	ssize_t sent = send(client->source.fd, client->reply + client->sent,
			    client->reply_bytes - client->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	if (sent > 0)
		client->sent += (size_t)sent;
	if (client->sent == client->reply_bytes)
		return false;
	source_set_events(loop, &client->source, EPOLLOUT);
	return true;
}

/* receive_request returns false if the client has gone, or its request is too long. */
static bool receive_request(struct loop *loop, struct ctl_client *client)
{
	size_t room = sizeof(client->request) - client->received;
	ssize_t length;

	if (!room)
		return false;
	length = recv(client->source.fd, client->request + client->received, room, MSG_DONTWAIT);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!length)
		return make_reply(loop, client) && send_reply(loop, client);
	client->received += (size_t)length;
	return true;
}

static void client_ready(struct loop *loop, struct source *source, uint32_t events)
{
	struct ctl_client *client = (struct ctl_client *)source;
	bool goes_on;

	if (client->reply)
		goes_on = !(events & EPOLLERR) && send_reply(loop, client);
	else
		goes_on = receive_request(loop, client);
	if (!goes_on)
		client_close(loop, source);
}

static const struct source_type client_type = { .ready = client_ready, .close = client_close };

static void close_oldest(struct loop *loop)
{
	struct source *oldest = NULL;

	for (struct source *source = loop->sources; source; source = source->next) {
		if (source->type == &client_type)
			oldest = source;
	}
	if (oldest)
		client_close(loop, oldest);
}

/* Accepts a client. The oldest one has to go if there are too many. */
static void listener_ready(struct loop *loop, struct source *source, uint32_t events)
{
	struct ctl_socket *ctl = ((struct listener *)source)->ctl;
	int fd = loop_accept(loop, source->fd);
	struct ctl_client *client;

	(void)events;
	if (fd < 0)
		return;
	if (ctl->clients == CLIENTS)
		close_oldest(loop);
	client = calloc(1, sizeof(*client));
	if (client) {
		client->source.type = &client_type;
		client->source.fd = fd;
		client->ctl = ctl;
		if (source_add(loop, &client->source, EPOLLIN)) {
			ctl->clients++;
			return;
		}
	}
	free(client);
	close(fd);
}

static const struct source_type listener_type = { .ready = listener_ready, .close = source_close };

static int bind_private(int fd, const struct sockaddr_un *address)
{
	mode_t mask = umask(S_IRWXG | S_IRWXO);
	int error = bind(fd, (const struct sockaddr *)address, sizeof(*address)) ? -errno : 0;

	umask(mask);
	return error;
}

/* is_abandoned tells whether nobody listens any more at a socket, as when its server was killed. */
static bool is_abandoned(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool refused;

	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static bool is_socket(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISSOCK(status.st_mode);
}

/* add_listener takes the fd over. */
static int add_listener(struct ctl_socket *ctl, struct loop *loop, int fd)
{
	struct listener *listener = calloc(1, sizeof(*listener));

	if (listener) {
		listener->source.type = &listener_type;
		listener->source.fd = fd;
		listener->ctl = ctl;
		if (source_add(loop, &listener->source, EPOLLIN))
			return 0;
		free(listener);
	}
	close(fd);
	return -ENOMEM;
}

/*
 * Listens at a path, and replaces a socket that no simulator listens at any more. Returns 0 or a
 * negative errno.
 */
static int listen_at(struct ctl_socket *ctl, struct loop *loop, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(path);
	int fd, error;

	if (length >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, length);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	error = bind_private(fd, &address);
	if (error == -EADDRINUSE && is_socket(path) && is_abandoned(&address) && !unlink(path))
		error = bind_private(fd, &address);
	ctl->is_bound = !error;
	if (!error && listen(fd, BACKLOG))
		error = -errno;
	if (!error)
		return add_listener(ctl, loop, fd);
	close(fd);
	return error;
}

/*
 * link_from makes a link in the folder, where all processes that the command starts find the
 * socket.
 */
static int link_from(const char *in_folder, const char *path)
{
	char *target = realpath(path, NULL);
	int error = target && !symlink(target, in_folder) ? 0 : -errno;

	free(target);
	return error;
}

static int listen_for_commands(struct ctl_socket *ctl, struct loop *loop)
{
	const char *chosen = ctl->config.path;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/" SIM_CONTROL, loop->folder);
	error = listen_at(ctl, loop, chosen ? chosen : path);
	return error || !chosen ? error : link_from(path, chosen);
}

int ctl_open(struct ctl_socket **opened, struct loop *loop, const struct ctl_config *config,
	     char *why, size_t size)
{
	struct ctl_socket *ctl = calloc(1, sizeof(*ctl));
	int error = -ENOMEM;

	*opened = ctl;
	if (ctl) {
		ctl->config = *config;
		error = listen_for_commands(ctl, loop);
	}
	if (error)
		loop_explain(error, why, size, config->path ? config->path : "control socket");
	return error;
}

void ctl_close(struct ctl_socket *ctl)
{
	if (ctl && ctl->is_bound && ctl->config.path)
		unlink(ctl->config.path);
	free(ctl);
}
