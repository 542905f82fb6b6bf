/* SPDX-License-Identifier: BSD-2-Clause */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/memory.h"
#include "connections.h"

/*
 * The files that the program may have open besides connections: the device, rings, files to
 * write.
 */
#define OTHER_FILES 128u

/*
 * The bytes that the pages newer than a response's own may take together before the response is
 * ended.
 */
#define NEWER_PAGES_BYTES (UINT64_C(256) << 20)

/* The client at the other end of a connection, for the limit of an address. */
struct peer {
	sa_family_t family;
	uint64_t number; /* an IPv4 address, or the network of an IPv6 address */
};

struct connection {
	TAILQ_ENTRY(connection) entry;
	enum connection_state state;
	int fd;
	struct peer peer;
	uint64_t since_ns;
	uint64_t published; /* memory of all pages, in bytes, when the state began */
};

static struct peer peer_of(const struct sockaddr *address)
{
	struct peer peer = { .family = address->sa_family };
	struct in6_addr ipv6;

	if (address->sa_family == AF_INET) {
		peer.number = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
	} else if (address->sa_family == AF_INET6) {
		ipv6 = ((const struct sockaddr_in6 *)address)->sin6_addr;
		if (IN6_IS_ADDR_V4MAPPED(&ipv6)) {
			peer.family = AF_INET;
			memcpy(&peer.number, &ipv6.s6_addr[12], sizeof(struct in_addr));
		} else {
			memcpy(&peer.number, &ipv6.s6_addr[0], sizeof(peer.number));
		}
	}
	return peer;
}

static bool is_same_peer(const struct peer *a, const struct peer *b)
{
	return a->family == b->family && a->number == b->number;
}

void connections_init(struct connections *connections, size_t limit)
{
	struct rlimit files;

	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < limit + OTHER_FILES)
		limit = files.rlim_cur > 2 * OTHER_FILES ? files.rlim_cur - OTHER_FILES
							 : files.rlim_cur / 2;
	*connections = (struct connections){
		.limit = limit,
		.limit_of_address = (limit + 1) / 2,
	};
	for (unsigned int state = 0; state < CONNECTION_STATES; state++)
		TAILQ_INIT(&connections->in[state]);
}

static void leave_state(struct connections *connections, struct connection *connection)
{
	TAILQ_REMOVE(&connections->in[connection->state], connection, entry);
	connections->open -= connection->state != CONNECTION_ENDING;
}

static void enter_state(struct connections *connections, struct connection *connection,
			enum connection_state state)
{
	connection->state = state;
	connection->since_ns = clock_ns();
	connection->published = connections->published;
	TAILQ_INSERT_TAIL(&connections->in[state], connection, entry);
	connections->open += state != CONNECTION_ENDING;
}

void connections_set(struct connections *connections, struct connection *connection,
		     enum connection_state state)
{
	if (connection->state == CONNECTION_ENDING)
		return;
	leave_state(connections, connection);
	enter_state(connections, connection, state);
}

/*
 * Shuts a connection down. libmicrohttpd then sees the end of the stream, or fails to write, and
 * closes the connection.
 */
static void end_connection(struct connections *connections, struct connection *connection)
{
	shutdown(connection->fd, SHUT_RDWR);
	connections_set(connections, connection, CONNECTION_ENDING);
}

struct connection *connections_find(struct MHD_Connection *connection)
{
	return mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

int connection_fd(const struct connection *connection)
{
	return connection->fd;
}

void connections_set_page(struct connections *connections, uint64_t published)
{
	struct connection_list *answering = &connections->in[CONNECTION_ANSWERING];

	if (published > connections->published)
		connections->published = published;
	while (!TAILQ_EMPTY(answering) &&
	       TAILQ_FIRST(answering)->published + NEWER_PAGES_BYTES < connections->published)
		end_connection(connections, TAILQ_FIRST(answering));
}

bool connections_can_accept(const struct connections *connections)
{
	return connections->open < connections->limit ||
	       !TAILQ_EMPTY(&connections->in[CONNECTION_READING]) ||
	       !TAILQ_EMPTY(&connections->in[CONNECTION_ANSWERING]);
}

static size_t count_from_peer(const struct connections *connections, const struct peer *peer)
{
	const struct connection *entry;
	size_t count = 0;

	for (unsigned int state = 0; state < CONNECTION_ENDING; state++)
		TAILQ_FOREACH (entry, &connections->in[state], entry)
			count += is_same_peer(&entry->peer, peer);
	return count;
}

/*
 * Returns the connection that has been in @state the longest, or NULL. It is from @peer or, if that
 * is NULL, from any address.
 */
static struct connection *find_oldest(const struct connections *connections,
				      enum connection_state state, const struct peer *peer)
{
	struct connection *entry;

	TAILQ_FOREACH (entry, &connections->in[state], entry)
		if (!peer || is_same_peer(&entry->peer, peer))
			return entry;
	return NULL;
}

/*
 * Ends the oldest connection without a complete request, or else the oldest that reads its
 * response. Returns false if there is neither.
 */
static bool end_oldest(struct connections *connections, const struct peer *peer)
{
	struct connection *victim = find_oldest(connections, CONNECTION_READING, peer);

	if (!victim)
		victim = find_oldest(connections, CONNECTION_ANSWERING, peer);
	if (victim)
		end_connection(connections, victim);
	return victim;
}

/*
 * Ends a connection if the newest one, from @peer, has exceeded a limit. connections_make_room()
 * has made room for it when it was accepted, but libmicrohttpd 1.0 starts a connection later than
 * that: all that are accepted at once find room for one.
 */
static void keep_limits(struct connections *connections, const struct peer *peer)
{
	if (count_from_peer(connections, peer) > connections->limit_of_address)
		end_oldest(connections, peer);
	else if (connections->open > connections->limit)
		end_oldest(connections, NULL);
}

void connections_notify(void *context, struct MHD_Connection *connection, void **socket_context,
			enum MHD_ConnectionNotificationCode code)
{
	struct connections *connections = context;
	struct connection *entry = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		leave_state(connections, entry);
		free(entry);
		return;
	}
	entry = memory_get(1, sizeof(*entry));
	entry->fd =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	entry->peer =
		peer_of(mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				->client_addr);
	enter_state(connections, entry, CONNECTION_READING);
	*socket_context = entry;
	keep_limits(connections, &entry->peer);
}

bool connections_make_room(struct connections *connections, const struct sockaddr *address)
{
	struct peer peer;

	if (!address)
		return end_oldest(connections, NULL);
	peer = peer_of(address);
	if (count_from_peer(connections, &peer) >= connections->limit_of_address)
		return end_oldest(connections, &peer);
	if (connections->open >= connections->limit)
		return end_oldest(connections, NULL);
	return true;
}

int connections_end_overdue(struct connections *connections)
{
	uint64_t now = clock_ns(), next_ns = UINT64_MAX;

	for (unsigned int state = 0; state < CONNECTION_STATES; state++) {
		uint64_t patience_ns = connections->patience_ns[state];
		struct connection *entry = TAILQ_FIRST(&connections->in[state]);

		for (; patience_ns && entry; entry = TAILQ_FIRST(&connections->in[state])) {
			if (now < entry->since_ns + patience_ns) {
				if (entry->since_ns + patience_ns < next_ns)
					next_ns = entry->since_ns + patience_ns;
				break;
			}
			end_connection(connections, entry);
		}
	}
	return next_ns == UINT64_MAX ? -1 : clock_ms_until(next_ns);
}
