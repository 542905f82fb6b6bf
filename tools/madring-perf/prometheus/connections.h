/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connections of the HTTP server: what each client is doing and since when, and which of them
 * are closed when a time or a limit is exceeded. Only the server's thread may use them.
 */
#ifndef PROMETHEUS_CONNECTIONS_H
#define PROMETHEUS_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "mhd.h"

enum connection_state {
	CONNECTION_READING,   /* no complete request since it was accepted or last answered */
	CONNECTION_WAITING,   /* its request waits for a page */
	CONNECTION_ANSWERING, /* the client is to read its response */
	CONNECTION_ENDING,    /* shut down; libmicrohttpd is about to close it */
	CONNECTION_STATES,
};

struct connection;
TAILQ_HEAD(connection_list, connection);

struct connections {
	size_t limit;		 /* the most connections of all addresses together */
	size_t limit_of_address; /* the most of one address, or of one IPv6 network of 64 bits */
	uint64_t patience_ns[CONNECTION_STATES];      /* how long a state may last; 0: for ever */
	struct connection_list in[CONNECTION_STATES]; /* the longest in its state is first */
	size_t open;				      /* connections that are not ending */
	uint64_t published; /* memory of all pages so far: see connections_set_page() */
};

/* Prepares for as many connections as @limit and the limit of open files allow. */
void connections_init(struct connections *connections, size_t limit);

/*
 * Serves as the callback of MHD_OPTION_NOTIFY_CONNECTION, with struct connections as its context.
 */
void connections_notify(void *connections, struct MHD_Connection *connection, void **socket_context,
			enum MHD_ConnectionNotificationCode code);

/* Returns the entry of libmicrohttpd's @connection. */
struct connection *connections_find(struct MHD_Connection *connection);

int connection_fd(const struct connection *connection);

/* Puts a connection into @state. The time of the state begins now, even if it is the same state. */
void connections_set(struct connections *connections, struct connection *connection,
		     enum connection_state state);

/*
 * Notes that a client is given a page. @published is the memory of all pages up to this one, in
 * bytes. Ends the responses that are far behind, which bounds the memory that clients hold by not
 * reading.
 */
void connections_set_page(struct connections *connections, uint64_t published);

/* Returns whether another connection can be accepted, if need be after ending one. */
bool connections_can_accept(const struct connections *connections);

/*
 * Makes room for a connection from @address. If a limit is reached, it ends the connection that has
 * been without a complete request the longest, or else the one that has been reading its response
 * the longest. If the limit is that of an address, it ends a connection of the same address. If
 * @address is NULL, it ends a connection in any case. Returns false if there is no room because all
 * connections that count wait for a page.
 */
bool connections_make_room(struct connections *connections, const struct sockaddr *address);

/*
 * Ends the connections whose state has lasted too long. Returns how many milliseconds remain until
 * the next one is overdue, or -1 if none can be.
 */
int connections_end_overdue(struct connections *connections);

#endif
