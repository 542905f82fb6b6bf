/* SPDX-License-Identifier: BSD-2-Clause */
/* A directed route: the ports by which it leaves, hop by hop, from the local port. */
#ifndef FABRIC_DIRECTED_ROUTE_H
#define FABRIC_DIRECTED_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_MAX_HOPS	 63  /* IBA 14.2.1.2 */
#define ROUTE_TEXT_BYTES 256 /* "0" and 63 times ",255" */

struct route {
	uint8_t hops;
	uint8_t port[ROUTE_MAX_HOPS + 1]; /* port[0] is not used */
};

/* Makes @to the route @from with a hop out by @port. Returns false if it would be too long. */
bool route_extend(struct route *to, const struct route *from, uint8_t port);

/*
 * Reads a directed path as the diagnostics write it: "0", or "0,1,3". Returns NULL, or what is
 * wrong: `route_too_long`, or another text.
 */
const char *route_read(struct route *route, const char *text);
extern const char route_too_long[];

/* Compares routes by their lengths, then by their ports. */
int route_compare(const struct route *a, const struct route *b);

/* Writes a route as the diagnostics write directed paths: "0,1,3". Returns @text. */
const char *route_text(const struct route *route, char text[ROUTE_TEXT_BYTES]);

#endif
