/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include <madring.h>

#include "common/memory.h"
#include "problem.h"

struct problem *problem_add(struct problems *problems, enum problem_kind kind)
{
	struct problem *problem = memory_get(1, sizeof(*problem));

	problem->kind = kind;
	if (problems->count == problems->room) {
		problems->room = problems->room ? problems->room * 2 : 64;
		problems->list = memory_grow(problems->list, problems->room, sizeof(problem));
	}
	problems->list[problems->count++] = problem;
	return problem;
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
	*route = problem->via ? problem->via->route : (struct route){ 0 };
	/* A hop beyond the limit is not walked, and the problem says so. */
	if (problem->exit)
		route_extend(route, route, problem->exit);
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
	if (left->attribute != right->attribute)
		return left->attribute < right->attribute ? -1 : 1;
	return left->modifier < right->modifier ? -1 : left->modifier > right->modifier;
}

void problems_order(struct problems *problems)
{
	if (problems->count)
		qsort(problems->list, problems->count, sizeof(struct problem *), by_place);
}

/* Returns the meaning of a MAD's status field, bits 0 and 1 to 4 (IBA 13.4.7). */
static const char *status_meaning(uint16_t status)
{
	if (status & 1)
		return "busy";
	switch (status >> 2 & 7) {
	case 1:
		return "base or class version not supported";
	case 2:
		return "method not supported";
	case 3:
		return "method and attribute not supported together";
	case 7:
		return "invalid value in attribute or modifier";
	}
	return "see IBA 13.4.7";
}

static void write_asked(const struct problem *problem, char *text, size_t room)
{
	if (problem->attribute == IB_ATTR_PORT_INFO ||
	    problem->attribute == IB_ATTR_MLNX_EXT_PORT_INFO)
		snprintf(text, room, "%s of port %" PRIu32, attribute_name(problem->attribute),
			 problem->modifier & ~PORT_INFO_EXTENDED_SPEEDS);
	else
		snprintf(text, room, "%s", attribute_name(problem->attribute));
}

const char *problem_text(const struct problem *problem, char text[PROBLEM_TEXT_BYTES])
{
	char what[64], route[ROUTE_TEXT_BYTES];

	write_asked(problem, what, sizeof(what));
	switch (problem->kind) {
	case PROBLEM_NO_REPLY:
		if (problem->error == -ETIMEDOUT)
			snprintf(text, PROBLEM_TEXT_BYTES, "%s: no reply", what);
		else
			snprintf(text, PROBLEM_TEXT_BYTES, "%s: %s", what,
				 madring_strerror(problem->error));
		break;
	case PROBLEM_STATUS:
		snprintf(text, PROBLEM_TEXT_BYTES, "%s: error status 0x%04x: %s", what,
			 problem->status, status_meaning(problem->status));
		break;
	case PROBLEM_MALFORMED:
		snprintf(text, PROBLEM_TEXT_BYTES, "%s: malformed reply: %s", what, problem->text);
		break;
	case PROBLEM_LIMIT:
		if (problem->left_out)
			snprintf(text, PROBLEM_TEXT_BYTES, "%s, left out %zu times: %s", what,
				 problem->left_out, problem->text);
		else
			snprintf(text, PROBLEM_TEXT_BYTES, "%s", problem->text);
		break;
	case PROBLEM_CONFLICT:
		snprintf(text, PROBLEM_TEXT_BYTES,
			 "node GUID 0x%016" PRIx64 " (\"%s\") is also at DR path %s (\"%s\"): %s",
			 problem->node->info.node_guid, problem->description,
			 route_text(&problem->node->route, route), problem->node->description,
			 problem->text);
		break;
	}
	return text;
}

void problems_print(FILE *out, const struct problems *problems)
{
	char text[PROBLEM_TEXT_BYTES], path[ROUTE_TEXT_BYTES];
	struct route route;

	for (size_t i = 0; i < problems->count; i++) {
		problem_route(problems->list[i], &route);
		fprintf(out, "%s: DR path %s: %s\n", program_invocation_short_name,
			route_text(&route, path), problem_text(problems->list[i], text));
	}
}
