/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "directed_route.h"
#include "public.h"

bool route_extend(struct route *to, const struct route *from, uint8_t port)
{
	if (from->hops >= ROUTE_MAX_HOPS)
		return false;
	*to = *from;
	to->port[++to->hops] = port;
	return true;
}

const char route_too_long[] = "a directed route has 63 hops at most";

const char *route_read(struct route *route, const char *text)
{
	*route = (struct route){ 0 };
	if (*text != '0' || (text[1] && text[1] != ','))
		return "a directed route begins with 0, the local node";
	for (text++; *text;) {
		const char *digits = text + 1;
		unsigned long port;
		char *end;

		port = strtoul(digits, &end, 10);
		if (!isdigit((unsigned char)*digits) || (*end && *end != ',') || port < 1 ||
		    port > 254)
			return "a directed route is of ports, 1 to 254, with commas between them";
		if (!route_extend(route, route, (uint8_t)port))
			return route_too_long;
		text = end;
	}
	return NULL;
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

const char *madring_route_text(const uint8_t *path, uint8_t hops,
			       char text[MADRING_ROUTE_TEXT_BYTES])
{
	struct route route = { .hops = hops > ROUTE_MAX_HOPS ? ROUTE_MAX_HOPS : hops };

	memcpy(route.port, path, route.hops + 1u);
	return route_text(&route, text);
}

int madring_route_read(const char *text, uint8_t *path)
{
	struct route route;
	const char *wrong = route_read(&route, text);

	if (wrong)
		return wrong == route_too_long ? -E2BIG : -EINVAL;
	memcpy(path, route.port, sizeof(route.port));
	return route.hops;
}
