/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a query. */

#include <madring/names.h>

#include "discovery.h"

void query_route(const struct query *query, struct route *route)
{
	*route = query->via && !query->lid ? node_route(query->via) : (struct route){ 0 };
	if (query->exit && (!query->lid || query->is_beyond))
		route_extend(route, route, query->exit);
	if (query->back) {
		route_extend(route, route, (uint8_t)query->modifier);
		route_extend(route, route, query->back);
	}
}

uint8_t query_class(const struct query *query)
{
	return query->lid && !query->back && !query->is_beyond ? MADRING_CLASS_SMP
							       : MADRING_CLASS_SMP_DIRECTED;
}
