/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "route.h"

bool route_extend(struct route *to, const struct route *from, uint8_t port)
{
	if (from->hops >= ROUTE_MAX_HOPS)
		return false;
	*to = *from;
	to->port[++to->hops] = port;
	return true;
}

int route_compare(const struct route *a, const struct route *b)
{
	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	return memcmp(a->port + 1, b->port + 1, a->hops);
}

const char *route_text(const struct route *route, char text[ROUTE_TEXT_BYTES])
{
	char *end = text + sprintf(text, "0");

	for (unsigned int hop = 1; hop <= route->hops; hop++)
		end += sprintf(end, ",%u", route->port[hop]);
	return text;
}
