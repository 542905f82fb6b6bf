/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is connected to the HTTP server, and since when with the same matter. A client that is heard
 * of now and then is never idle, and could stay for ever: each may hold a page of its own, and no
 * more than so many can be connected.
 */
#ifndef PROMETHEUS_CONNECTIONS_H
#define PROMETHEUS_CONNECTIONS_H

#include <pthread.h>
#include <stdint.h>
#include <sys/queue.h>
#include <microhttpd.h>

struct connection;

struct connections {
	pthread_mutex_t lock;
	LIST_HEAD(, connection) list;
};

void connections_init(struct connections *connections);

/* All have to be closed. */
void connections_destroy(struct connections *connections);

/* For MHD_OPTION_NOTIFY_CONNECTION, with struct connections as its context. */
void connections_notify(void *connections, struct MHD_Connection *connection, void **socket_context,
			enum MHD_ConnectionNotificationCode code);

/* A request has come, or was answered: a new matter. */
void connections_renew(struct connections *connections, struct MHD_Connection *connection);

/* Shuts out, in any thread, those who have taken longer than so long. */
void connections_end_overdue(struct connections *connections, uint64_t patience_ns);

#endif
