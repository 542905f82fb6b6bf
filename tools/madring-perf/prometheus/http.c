/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <microhttpd.h>

#include "accept.h"
#include "common/complain.h"
#include "common/memory.h"
#include "connections.h"
#include "http.h"

/* More than these wait to be accepted. */
#define MAX_CONNECTIONS 900u

/* For a request's headers and the response's. */
#define CONNECTION_BYTES 8192u

/* Whoever sends or reads a byte now and then has so many times what one may idle. */
#define PATIENCE 6u

/* At the end, how long clients have to read their answers: 300 ms. */
#define FINISH_LOOK_NS 5000000
#define FINISH_LOOKS   60u

struct http {
	struct MHD_Daemon *daemon;
	struct scrapes *scrapes;
	uint64_t patience_ns;
	struct connections connections;
	atomic_uint requests;
};

struct request {
	struct scrape scrape; /* first */
	struct MHD_Connection *connection;
	bool joined;
};

static void suspend(struct scrape *scrape)
{
	MHD_suspend_connection(((struct request *)scrape)->connection);
}

static void resume(struct scrape *scrape)
{
	MHD_resume_connection(((struct request *)scrape)->connection);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      struct MHD_Response *response, const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_line(struct MHD_Connection *connection, unsigned int status,
				   const char *line)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(line), (void *)(uintptr_t)line, MHD_RESPMEM_PERSISTENT);

	return answer(connection, status, response, "text/plain; charset=utf-8");
}

static void release_page(void *page)
{
	exposition_release(page);
}

/* The pieces stay the page's: it is held until the response has gone, to whoever reads it. */
static struct MHD_Response *page_response(struct exposition *page, enum exposition_format format)
{
	struct iovec *pieces = memory_get(exposition_max_pieces(page), sizeof(*pieces));
	size_t count = exposition_pieces(page, format, pieces, NULL);
	struct MHD_IoVec *parts = memory_get(count + 1, sizeof(*parts));
	struct MHD_Response *response;

	for (size_t i = 0; i < count; i++)
		parts[i] = (struct MHD_IoVec){ pieces[i].iov_base, pieces[i].iov_len };
	response = MHD_create_response_from_iovec(parts, (unsigned int)count, release_page,
						  exposition_hold(page));
	if (!response)
		exposition_release(page);
	free(parts);
	free(pieces);
	return response;
}

static enum MHD_Result answer_page(struct request *request)
{
	const char *accept = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);
	enum exposition_format format = accept_format(accept);

	if (!request->scrape.page)
		return answer_line(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "ending\n");
	return answer(request->connection, MHD_HTTP_OK, page_response(request->scrape.page, format),
		      exposition_content_type(format));
}

/* Comes twice when the scrape had to wait. */
static enum MHD_Result metrics(struct http *http, struct request *request)
{
	if (!request->joined) {
		request->joined = true;
		if (!scrapes_join(http->scrapes, &request->scrape))
			return MHD_YES;
	}
	return answer_page(request);
}

static enum MHD_Result healthz(struct http *http, struct MHD_Connection *connection)
{
	if (scrapes_healthy(http->scrapes))
		return answer_line(connection, MHD_HTTP_OK, "ok\n");
	return answer_line(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the last collection could not be made\n");
}

static bool reads(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

static struct request *request_new(struct http *http, struct MHD_Connection *connection)
{
	struct request *request = memory_get(1, sizeof(*request));

	request->scrape.suspend = suspend;
	request->scrape.resume = resume;
	request->connection = connection;
	connections_renew(&http->connections, connection);
	atomic_fetch_add(&http->requests, 1);
	return request;
}

/* Called when the headers are there, again when the request is, and after a suspension. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *body_bytes, void **request)
{
	struct http *http = context;
	bool is_metrics = !strcmp(url, "/metrics");

	(void)version;
	(void)body;
	if (!is_metrics && strcmp(url, "/healthz") != 0)
		return answer_line(connection, MHD_HTTP_NOT_FOUND, "not found\n");
	if (!reads(method))
		return answer_line(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
	if (!*request) {
		*request = request_new(http, connection);
		return MHD_YES;
	}
	if (*body_bytes) { /* of a GET: means nothing */
		*body_bytes = 0;
		return MHD_YES;
	}
	return is_metrics ? metrics(http, *request) : healthz(http, connection);
}

static void completed(void *context, struct MHD_Connection *connection, void **request,
		      enum MHD_RequestTerminationCode how)
{
	struct http *http = context;
	struct request *done = *request;

	(void)how;
	if (!done)
		return;
	connections_renew(&http->connections, connection);
	atomic_fetch_sub(&http->requests, 1);
	exposition_release(done->scrape.page);
	free(done);
	*request = NULL;
}

/* What clients do wrong is theirs; only why the server cannot start is told. */
static void told(void *context, const char *format, va_list arguments)
{
	(void)context;
	(void)format;
	(void)arguments;
}

struct http *http_start(int fd, struct scrapes *scrapes, unsigned int idle_seconds)
{
	struct http *http = memory_get(1, sizeof(*http));

	http->scrapes = scrapes;
	http->patience_ns = idle_seconds * PATIENCE * (uint64_t)1000000000;
	connections_init(&http->connections);
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, told, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_NOTIFY_COMPLETED, completed,
		http, MHD_OPTION_NOTIFY_CONNECTION, connections_notify, &http->connections,
		MHD_OPTION_END);
	if (http->daemon)
		return http;
	complain("cannot start the HTTP server: %s", strerror(errno));
	connections_destroy(&http->connections);
	free(http);
	return NULL;
}

/* Those who wait are to read that there will be no page, if they read. */
static void let_finish(const struct http *http)
{
	const struct timespec pause = { .tv_nsec = FINISH_LOOK_NS };

	for (unsigned int i = 0; i < FINISH_LOOKS && atomic_load(&http->requests); i++)
		nanosleep(&pause, NULL);
}

void http_stop(struct http *http)
{
	int fd = MHD_quiesce_daemon(http->daemon);

	scrapes_stop(http->scrapes);
	let_finish(http);
	MHD_stop_daemon(http->daemon);
	if (fd >= 0)
		close(fd);
	connections_destroy(&http->connections);
	free(http);
}

void http_look(struct http *http)
{
	connections_end_overdue(&http->connections, http->patience_ns);
}
