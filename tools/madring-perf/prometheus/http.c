/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "accept.h"
#include "common/clock.h"
#include "common/complain.h"
#include "common/memory.h"
#include "connections.h"
#include "http.h"
#include "mhd.h"
#include "page_response.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/* The most connections, unless the caller says how many. */
#define MAX_CONNECTIONS 2048u

/* The most connections that are accepted before the others are looked at again. */
#define ACCEPTS 64u

/*
 * The send buffer of a connection. The kernel keeps at most twice this of a response. By default it
 * takes some megabytes from the page at once, for a client that reads none of them.
 */
#define SEND_BUFFER_BYTES (128 * 1024)

/* The time for which nothing is accepted when there are too many open files. */
#define PAUSE_MS 100

/* The memory of a connection, for a request's headers and the response's. */
#define CONNECTION_BYTES 8192u

/*
 * The multiple of the idle time that a client may take for a response by reading a byte now and
 * then.
 */
#define PATIENCE 6u

/* The time that clients have to read their responses when the program ends. */
#define FINISH_NS UINT64_C(300000000)

/* The most hang-ups that are taken at once; the next turn takes the others. */
#define HANGUPS 64

enum { ON_ACCEPT, ON_REQUEST, ON_HANGUP, ON_WAKE_UP, REASONS };

struct http {
	struct MHD_Daemon *daemon;
	struct scrapes *scrapes;
	pthread_t thread;
	int listen_fd;
	int hangup_fd;	/* an epoll set of the connections that wait for a page */
	int wake_up_fd; /* an eventfd: set by another thread that has something for this one */
	atomic_bool stopping;
	struct pollfd reasons[REASONS];
	struct connections connections; /* this and all that follows is for the thread alone */
	size_t requests;
	bool paused; /* too many files are open: nothing is accepted for a moment */
};

struct request {
	struct scrape scrape; /* first */
	struct http *http;
	struct MHD_Connection *connection;
	struct connection *entry;
	bool joined;
	bool waiting; /* the connection is suspended, or was until a moment ago */
	bool hung_up; /* the client has hung up while it waited */
};

/*
 * Suspends a request. libmicrohttpd ignores suspended connections, so epoll watches for a hang-up.
 */
static void suspend_request(struct scrape *scrape)
{
	struct request *request = (struct request *)scrape;
	struct http *http = request->http;
	struct epoll_event event = { .events = EPOLLRDHUP, .data.ptr = request };

	mhd.suspend_connection(request->connection);
	connections_set(&http->connections, request->entry, CONNECTION_WAITING);
	request->waiting = true;
	epoll_ctl(http->hangup_fd, EPOLL_CTL_ADD, connection_fd(request->entry), &event);
}

/*
 * Resumes a request, in any thread. libmicrohttpd wakes no thread but its own, so this wakes the
 * server's.
 */
static void resume_request(struct scrape *scrape)
{
	const struct request *request = (const struct request *)scrape;

	mhd.resume_connection(request->connection);
	eventfd_write(request->http->wake_up_fd, 1);
}

/* Ends the waiting of a request, in the server's thread, once its connection was resumed. */
static void wait_no_longer(struct request *request)
{
	if (!request->waiting)
		return;
	request->waiting = false;
	epoll_ctl(request->http->hangup_fd, EPOLL_CTL_DEL, connection_fd(request->entry), NULL);
}

/*
 * Drops the requests of clients that hung up while they waited, unless they have their page by now.
 */
static void take_hangups(struct http *http)
{
	struct epoll_event events[HANGUPS];
	int count = epoll_wait(http->hangup_fd, events, HANGUPS, 0);

	for (int i = 0; i < count; i++) {
		struct request *request = events[i].data.ptr;

		if (!scrapes_leave(http->scrapes, &request->scrape))
			continue;
		request->hung_up = true;
		mhd.resume_connection(request->connection);
	}
}

static enum MHD_Result answer_request(struct request *request, unsigned int status,
				      struct MHD_Response *response, const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	result = mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (result && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		result = mhd.add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (result && status == MHD_HTTP_BAD_REQUEST)
		result = mhd.add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	/* If there was no memory for a header, libmicrohttpd closes the connection. */
	if (result)
		result = mhd.queue_response(request->connection, status, response);
	mhd.destroy_response(response);
	connections_set(&request->http->connections, request->entry, CONNECTION_ANSWERING);
	return result;
}

static enum MHD_Result answer_line(struct request *request, unsigned int status, const char *line)
{
	struct MHD_Response *response = mhd.create_response_from_buffer(
		strlen(line), (void *)(uintptr_t)line, MHD_RESPMEM_PERSISTENT);

	return answer_request(request, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result answer_page(struct request *request)
{
	const char *accept = mhd.lookup_connection_value(request->connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);
	enum exposition_format format = accept_format(accept);

	if (!request->scrape.page)
		return answer_line(request, MHD_HTTP_SERVICE_UNAVAILABLE, "ending\n");
	connections_set_page(&request->http->connections, request->scrape.published);
	return answer_request(request, MHD_HTTP_OK, page_response(request->scrape.page, format),
			      exposition_content_type(format));
}

/* Handles a request for /metrics. It is called twice when the scrape had to wait. */
static enum MHD_Result handle_metrics(struct request *request)
{
	if (!request->joined) {
		request->joined = true;
		if (!scrapes_join(request->http->scrapes, &request->scrape))
			return MHD_YES;
	}
	wait_no_longer(request);
	return request->hung_up ? MHD_NO : answer_page(request);
}

static enum MHD_Result handle_healthz(struct request *request)
{
	if (scrapes_healthy(request->http->scrapes))
		return answer_line(request, MHD_HTTP_OK, "ok\n");
	return answer_line(request, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the last collection could not be made\n");
}

static bool is_reading(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

/* The counts of the headers that a request may have only once. */
struct once {
	unsigned int hosts;
	unsigned int lengths; /* Content-Length and Transfer-Encoding together */
};

static enum MHD_Result count_once(void *context, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	struct once *once = context;

	(void)kind;
	(void)value;
	once->hosts += !strcasecmp(name, MHD_HTTP_HEADER_HOST);
	once->lengths += !strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) ||
			 !strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING);
	return MHD_YES;
}

/*
 * Returns whether two programs could read the request in two ways. RFC 9112 wants it refused then.
 */
static bool is_ambiguous(struct MHD_Connection *connection)
{
	struct once once = { 0 };

	mhd.get_connection_values(connection, MHD_HEADER_KIND, count_once, &once);
	return once.hosts > 1 || once.lengths > 1;
}

static struct request *request_new(struct http *http, struct MHD_Connection *connection)
{
	struct request *request = memory_get(1, sizeof(*request));

	request->scrape.suspend = suspend_request;
	request->scrape.resume = resume_request;
	request->http = http;
	request->connection = connection;
	request->entry = connections_find(connection);
	http->requests++;
	return request;
}

/*
 * Handles a request. It is called when the headers are there, again when the request is, and after
 * a suspension.
 */
static enum MHD_Result handle_request(void *context, struct MHD_Connection *connection,
				      const char *url, const char *method, const char *version,
				      const char *body, size_t *body_bytes, void **request)
{
	bool is_metrics = !strcmp(url, "/metrics"), is_new = !*request;

	(void)version;
	(void)body;
	if (is_new)
		*request = request_new(context, connection);
	if (is_new && is_ambiguous(connection))
		return answer_line(*request, MHD_HTTP_BAD_REQUEST, "ambiguous headers\n");
	if (!is_metrics && strcmp(url, "/healthz") != 0)
		return answer_line(*request, MHD_HTTP_NOT_FOUND, "not found\n");
	if (!is_reading(method))
		return answer_line(*request, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
	if (is_new)
		return MHD_YES;
	if (*body_bytes) { /* of a GET: means nothing */
		*body_bytes = 0;
		return MHD_YES;
	}
	return is_metrics ? handle_metrics(*request) : handle_healthz(*request);
}

static void end_request(void *context, struct MHD_Connection *connection, void **request,
			enum MHD_RequestTerminationCode how)
{
	struct http *http = context;
	struct request *done = *request;

	(void)connection;
	(void)how;
	if (!done)
		return;
	wait_no_longer(done);
	connections_set(&http->connections, done->entry, CONNECTION_READING);
	http->requests--;
	exposition_release(done->scrape.page);
	free(done);
	*request = NULL;
}

/* Drops a message of libmicrohttpd: its messages are about wrong requests. */
static void ignore_message(void *context, const char *format, va_list arguments)
{
	(void)context;
	(void)format;
	(void)arguments;
}

/* Ends a connection when there are too many open files. New clients wait until it is closed. */
static void note_accept_error(struct http *http, int error)
{
	if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM)
		return;
	connections_make_room(&http->connections, NULL);
	http->paused = true;
}

static void accept_clients(struct http *http)
{
	static const int send_buffer = SEND_BUFFER_BYTES;
	struct connections *connections = &http->connections;

	for (unsigned int i = 0; i < ACCEPTS && connections_can_accept(connections); i++) {
		struct sockaddr_storage storage = { 0 };
		struct sockaddr *address = (struct sockaddr *)&storage;
		socklen_t length = sizeof(storage);
		int fd = accept4(http->listen_fd, address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			note_accept_error(http, errno);
			return;
		}
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
		if (connections_make_room(connections, address))
			mhd.add_connection(http->daemon, fd, address, length);
		else
			close(fd);
	}
}

/* Returns the smaller of two times in milliseconds; -1 means for ever. */
static int sooner_ms(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static int wait_ms(struct http *http)
{
	int ms = connections_end_overdue(&http->connections);
	MHD_UNSIGNED_LONG_LONG daemon_ms;

	if (mhd.get_timeout(http->daemon, &daemon_ms) == MHD_YES)
		ms = sooner_ms(ms, daemon_ms < INT_MAX ? (int)daemon_ms : INT_MAX);
	return http->paused ? sooner_ms(ms, PAUSE_MS) : ms;
}

/* Waits until there is something to do, and does it. */
static void run_turn(struct http *http, int longest_ms)
{
	struct pollfd *reasons = http->reasons;
	bool accepts = !http->paused && connections_can_accept(&http->connections);
	int ms = sooner_ms(wait_ms(http), longest_ms);
	eventfd_t count;

	http->paused = false;
	reasons[ON_ACCEPT].events = accepts ? POLLIN : 0;
	if (poll(reasons, REASONS, ms) > 0) {
		if (reasons[ON_ACCEPT].revents)
			accept_clients(http);
		if (reasons[ON_HANGUP].revents)
			take_hangups(http);
		if (reasons[ON_WAKE_UP].revents)
			eventfd_read(http->wake_up_fd, &count);
	}
	mhd.run(http->daemon);
}

/*
 * Runs the server, when the program ends, until the clients that wait have been told that there
 * will be no page, or until FINISH_NS have passed.
 */
static void finish_requests(struct http *http)
{
	uint64_t end = clock_ns() + FINISH_NS;

	http->reasons[ON_ACCEPT].fd = -1;
	while (http->requests && clock_ns() < end)
		run_turn(http, clock_ms_until(end));
}

static void *run_server(void *context)
{
	struct http *http = context;

	while (!atomic_load(&http->stopping))
		run_turn(http, -1);
	finish_requests(http);
	return NULL;
}

static struct MHD_Daemon *start_daemon(struct http *http, unsigned int idle_seconds)
{
	/* libmicrohttpd counts the connections that are ending, too. */
	unsigned int limit = (unsigned int)http->connections.limit + 2 * ACCEPTS;

	return mhd.start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
					MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
				0, NULL, NULL, handle_request, http, MHD_OPTION_EXTERNAL_LOGGER,
				ignore_message, NULL, MHD_OPTION_CONNECTION_LIMIT, limit,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
				MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
				end_request, http, MHD_OPTION_NOTIFY_CONNECTION, connections_notify,
				&http->connections, MHD_OPTION_END);
}

static void watch_file(struct http *http, int reason, int fd)
{
	http->reasons[reason] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Starts the server's thread. Returns 0, or a positive errno. */
static int start_server(struct http *http, unsigned int idle_seconds)
{
	if (http->hangup_fd < 0 || http->wake_up_fd < 0)
		return EMFILE;
	http->daemon = start_daemon(http, idle_seconds);
	if (!http->daemon)
		return errno;
	watch_file(http, ON_ACCEPT, http->listen_fd);
	watch_file(http, ON_REQUEST,
		   mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
	watch_file(http, ON_HANGUP, http->hangup_fd);
	watch_file(http, ON_WAKE_UP, http->wake_up_fd);
	return pthread_create(&http->thread, NULL, run_server, http);
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Frees the server, whose thread has ended, or was never started. */
static void http_free(struct http *http)
{
	if (http->daemon)
		mhd.stop_daemon(http->daemon);
	close_if_open(http->hangup_fd);
	close_if_open(http->wake_up_fd);
	close(http->listen_fd);
	free(http);
}

struct http *http_start(int fd, struct scrapes *scrapes, const struct http_limits *limits)
{
	uint64_t idle_ns = limits->idle_seconds * NS_PER_SECOND;
	struct http *http;
	int error;

	if (mhd_load()) {
		close(fd);
		return NULL;
	}
	http = memory_get(1, sizeof(*http));
	http->scrapes = scrapes;
	http->listen_fd = fd;
	http->hangup_fd = epoll_create1(EPOLL_CLOEXEC);
	http->wake_up_fd = eventfd(0, EFD_CLOEXEC);
	connections_init(&http->connections,
			 limits->connections ? limits->connections : MAX_CONNECTIONS);
	http->connections.patience_ns[CONNECTION_READING] = idle_ns;
	http->connections.patience_ns[CONNECTION_ANSWERING] = idle_ns * PATIENCE;
	error = start_server(http, limits->idle_seconds);
	if (!error)
		return http;
	complain("cannot start the HTTP server: %s", strerror(error));
	http_free(http);
	return NULL;
}

void http_stop(struct http *http)
{
	scrapes_stop(http->scrapes);
	atomic_store(&http->stopping, true);
	eventfd_write(http->wake_up_fd, 1);
	pthread_join(http->thread, NULL);
	http_free(http);
}
