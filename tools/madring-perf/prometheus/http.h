/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HTTP server: /metrics, which is a scrape, and /healthz. It runs in a thread of its own, so
 * that no client, however slow, holds a collection up.
 */
#ifndef PROMETHEUS_HTTP_H
#define PROMETHEUS_HTTP_H

#include "scrapes.h"

struct http;

struct http_limits {
	/*
	 * The time that a client may take to send all of a request, and for which it may read
	 * nothing of its response. It may take six times as long to read all of the response.
	 */
	unsigned int idle_seconds;
	/*
	 * The most connections; one address has half of them. 0: 2,048, or as many as open files
	 * allow.
	 */
	unsigned int connections;
};

/*
 * Serves on a socket that listens, which is closed by http_stop(), or on failure.
 * Returns NULL with a message written when it cannot.
 */
struct http *http_start(int fd, struct scrapes *scrapes, const struct http_limits *limits);

/* Stops @scrapes, and ends every connection. */
void http_stop(struct http *http);

#endif
