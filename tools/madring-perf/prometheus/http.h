/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HTTP server: /metrics, which is a scrape, and /healthz. It runs in a thread of its own, so
 * that no client, however slow, holds a collection up.
 */
#ifndef PROMETHEUS_HTTP_H
#define PROMETHEUS_HTTP_H

#include "scrapes.h"

struct http;

/*
 * Serves on a socket that listens, which is closed by http_stop(), or on failure.
 * @idle_seconds: how long a client may do nothing, neither send its request nor read its answer;
 * and a sixth of what it may take for both.
 * Returns NULL with a message written when it cannot.
 */
struct http *http_start(int fd, struct scrapes *scrapes, unsigned int idle_seconds);

/* Ends the connections of those who take too long: to be called every few seconds. */
void http_look(struct http *http);

/* Stops @scrapes, and ends every connection. */
void http_stop(struct http *http);

#endif
