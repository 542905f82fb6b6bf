/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <sys/socket.h>

#include "common/clock.h"
#include "common/memory.h"
#include "connections.h"

struct connection {
	LIST_ENTRY(connection) entry;
	int fd; /* open for as long as this is in the list */
	uint64_t since_ns;
};

void connections_init(struct connections *connections)
{
	pthread_mutex_init(&connections->lock, NULL);
	LIST_INIT(&connections->list);
}

void connections_destroy(struct connections *connections)
{
	pthread_mutex_destroy(&connections->lock);
}

static int fd_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static struct connection *begin(struct connections *connections, int fd)
{
	struct connection *entry = memory_get(1, sizeof(*entry));

	entry->fd = fd;
	entry->since_ns = clock_ns();
	pthread_mutex_lock(&connections->lock);
	LIST_INSERT_HEAD(&connections->list, entry, entry);
	pthread_mutex_unlock(&connections->lock);
	return entry;
}

static void end(struct connections *connections, struct connection *entry)
{
	pthread_mutex_lock(&connections->lock);
	LIST_REMOVE(entry, entry);
	pthread_mutex_unlock(&connections->lock);
	free(entry);
}

void connections_notify(void *connections, struct MHD_Connection *connection, void **socket_context,
			enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context = begin(connections, fd_of(connection));
	else
		end(connections, *socket_context);
}

void connections_renew(struct connections *connections, struct MHD_Connection *connection)
{
	struct connection *entry =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			->socket_context;

	pthread_mutex_lock(&connections->lock);
	entry->since_ns = clock_ns();
	pthread_mutex_unlock(&connections->lock);
}

void connections_end_overdue(struct connections *connections, uint64_t patience_ns)
{
	uint64_t now = clock_ns();
	const struct connection *entry;

	pthread_mutex_lock(&connections->lock);
	LIST_FOREACH (entry, &connections->list, entry)
		if (now > entry->since_ns + patience_ns)
			shutdown(entry->fd, SHUT_RDWR);
	pthread_mutex_unlock(&connections->lock);
}
