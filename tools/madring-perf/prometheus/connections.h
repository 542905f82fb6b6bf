/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connections of the HTTP server: what each client is doing and since when, and which of them
 * are closed when a time or a limit is exceeded. For the server's thread alone.
 */
#ifndef PROMETHEUS_CONNECTIONS_H
#define PROMETHEUS_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <microhttpd.h>

enum connection_state {
	CONNECTION_READING,   /* no complete request yet: since it was accepted or last answered */
	CONNECTION_WAITING,   /* the request waits for a page */
	CONNECTION_ANSWERING, /* the client is to read its answer */
	CONNECTION_ENDING,    /* shut down; libmicrohttpd is about to close it */
	CONNECTION_STATES,
};

struct connection;
TAILQ_HEAD(connection_list, connection);

struct connections {
	size_t limit;		 /* of all addresses */
	size_t limit_of_address; /* of one address, or one IPv6 network of 64 bits */
	uint64_t patience_ns[CONNECTION_STATES];      /* how long a state may last; 0: for ever */
	struct connection_list in[CONNECTION_STATES]; /* the first is in its state the longest */
	size_t open;				      /* all but those that are ending */
	uint64_t published; /* memory of all pages, as connections_set_page() is told */
};

/* Prepares for as many connections as @limit and the limit of open files allow. */
void connections_init(struct connections *connections, size_t limit);

/* A callback for MHD_OPTION_NOTIFY_CONNECTION, with struct connections as its context. */
void connections_notify(void *connections, struct MHD_Connection *connection, void **socket_context,
			enum MHD_ConnectionNotificationCode code);

/* Returns the entry of a connection. */
struct connection *connections_find(struct MHD_Connection *connection);

int connection_fd(const struct connection *connection);

/* Notes that a connection is in another state from now on, or in the same state once more. */
void connections_set(struct connections *connections, struct connection *connection,
		     enum connection_state state);

/*
 * Notes that a client is given a page. @published: the memory of all pages until and with this one,
 * in bytes. Answers that are far behind are ended, which bounds the memory that clients can hold by
 * not reading.
 */
void connections_set_page(struct connections *connections, uint64_t published);

/* Returns whether another connection can be accepted, if one has to be ended for it. */
bool connections_can_accept(const struct connections *connections);

/*
 * Makes room for a connection from @address. Where a limit is reached, it ends the connection that
 * has been without a complete request the longest, else the one that has been reading its answer
 * the longest: of the same address if that address has too many. If @address is NULL, it ends such
 * a connection in any case.
 * Returns false if there is no room: all connections that count wait for a page.
 */
bool connections_make_room(struct connections *connections, const struct sockaddr *address);

/*
 * Ends the connections whose state has lasted too long. Returns how many milliseconds remain until
 * the next one has, or -1: none can.
 */
int connections_end_overdue(struct connections *connections);

#endif
