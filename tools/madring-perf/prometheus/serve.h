/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a collector that runs for long: it collects when a client asks, or at an interval. */
#ifndef PROMETHEUS_SERVE_H
#define PROMETHEUS_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "exposition.h"
#include "http.h"

struct serve_options {
	const char *listen;	   /* as listen_on() takes it; NULL: no server */
	const char *textfile;	   /* NULL: none */
	uint64_t interval_ns;	   /* 0: at each scrape; without a server, once */
	struct http_limits limits; /* limits of the HTTP server */
};

/* The source of the pages. */
struct serve_source {
	void *context;
	/*
	 * Makes a collection, and a page of it even if that failed. Sets @made if the collection
	 * was made. Ends early when interrupted().
	 */
	struct exposition *(*collect)(void *context, bool *made);
	/* Reads again what was read from files. */
	void (*reload)(void *context);
};

/*
 * Serves until SIGINT or SIGTERM; SIGHUP makes it reload. The source calls interrupt_watch() with
 * each ring that it opens. Returns 0, or -1 with a message written: it could not start; or, where
 * it collects once, the collection was not made or the file not written.
 */
int serve(const struct serve_options *options, const struct serve_source *source);

#endif
