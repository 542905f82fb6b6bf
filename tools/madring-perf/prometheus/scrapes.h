/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meeting of the clients that ask for a page with the thread that makes it. One collection is
 * made at a time, however many clients ask: a client that asks meanwhile gets the page of that
 * collection.
 */
#ifndef PROMETHEUS_SCRAPES_H
#define PROMETHEUS_SCRAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "exposition.h"

struct scrapes;

/* A client that asks for a page. */
struct scrape {
	struct scrape *next;
	struct exposition *page;		/* its own hold of it; NULL: there will be none */
	uint64_t published;			/* memory of all pages up to this one, in bytes */
	void (*suspend)(struct scrape *scrape); /* it will have to wait */
	void (*resume)(struct scrape *scrape);	/* it has waited; its page is set */
};

/*
 * Opens scrapes. With @on_demand a page is made when a client asks; else each client gets the last
 * page. Returns 0, or -errno.
 */
int scrapes_open(struct scrapes **scrapes, bool on_demand);

/* Closes scrapes. No client may be waiting; see scrapes_stop(). */
void scrapes_close(struct scrapes *scrapes);

/*
 * Asks for a page, in any thread. Returns true if @scrape->page is set, or false if the scrape was
 * suspended.
 */
bool scrapes_join(struct scrapes *scrapes, struct scrape *scrape);

/*
 * Withdraws a scrape that scrapes_join() suspended: @scrape gets no page, and is not resumed.
 * Returns false if it has been resumed already.
 */
bool scrapes_leave(struct scrapes *scrapes, struct scrape *scrape);

/* Returns whether the last collection was made, or none was yet; in any thread. */
bool scrapes_healthy(struct scrapes *scrapes);

/* Returns a file that is readable when a client waits for a page. */
int scrapes_fd(const struct scrapes *scrapes);

/* Gives @page, whose hold is taken over, to all clients that wait. */
void scrapes_publish(struct scrapes *scrapes, struct exposition *page, bool healthy);

/* Ends the pages: clients that wait, or ask from now on, get none. */
void scrapes_stop(struct scrapes *scrapes);

#endif
