/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "graph.h"
#include "problem.h"

/* Makes room for one more. Returns false when memory is exhausted. */
static bool has_room(struct problems *problems)
{
	size_t room = problems->room ? problems->room * 2 : 64;
	struct problem **list;

	if (problems->count < problems->room)
		return true;
	list = reallocarray(problems->list, room, sizeof(*list));
	if (!list)
		return false;
	problems->list = list;
	problems->room = room;
	return true;
}

struct problem *problem_add(struct problems *problems, enum madring_problem_kind kind)
{
	struct problem *problem = calloc(1, sizeof(*problem));

	if (!problem || !has_room(problems)) {
		free(problem);
		problems->is_short = true;
		problem = &problems->spare;
	} else {
		problems->list[problems->count++] = problem;
	}
	problem->public.kind = kind;
	problem->public.description = problem->description;
	return problem;
}

void problem_set_way(struct problem *problem, struct node *via, uint8_t exit)
{
	problem->via = via;
	problem->public.via = via ? &via->public : NULL;
	problem->public.exit = exit;
	problem_set_route(problem);
}

void problem_set_route(struct problem *problem)
{
	struct route route;

	problem_route(problem, &route);
	problem->public.hops = route.hops;
	memcpy(problem->public.path, route.port, sizeof(problem->public.path));
}

void problems_free(struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		free(problems->list[i]);
	free(problems->list);
	*problems = (struct problems){ 0 };
}

void problem_route(const struct problem *problem, struct route *route)
{
	*route = problem->via ? node_route(problem->via) : (struct route){ 0 };
	/* A hop beyond the limit is not walked, and the problem says so. */
	if (problem->public.exit)
		route_extend(route, route, problem->public.exit);
}

static int by_place(const void *a, const void *b)
{
	const struct problem *left = *(const struct problem *const *)a;
	const struct problem *right = *(const struct problem *const *)b;
	struct route left_route, right_route;
	int order;

	problem_route(left, &left_route);
	problem_route(right, &right_route);
	order = route_compare(&left_route, &right_route);
	if (order)
		return order;
	if (left->public.attribute != right->public.attribute)
		return left->public.attribute < right->public.attribute ? -1 : 1;
	return left->public.modifier < right->public.modifier
		       ? -1
		       : left->public.modifier > right->public.modifier;
}

void problems_order(struct problems *problems)
{
	if (problems->count)
		qsort(problems->list, problems->count, sizeof(struct problem *), by_place);
}
