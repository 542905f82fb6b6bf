/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>
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

struct problem *problem_add(struct problems *problems, enum problem_kind kind)
{
	struct problem *problem = calloc(1, sizeof(*problem));

	if (!problem || !has_room(problems)) {
		free(problem);
		problems->is_short = true;
		problem = &problems->spare;
	} else {
		problems->list[problems->count++] = problem;
	}
	problem->kind = kind;
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

/* Returns the kind that programs see. */
static enum madring_problem_kind public_kind(const struct problem *problem)
{
	switch (problem->kind) {
	case PROBLEM_NO_REPLY:
		return MADRING_PROBLEM_NO_REPLY;
	case PROBLEM_STATUS:
		return MADRING_PROBLEM_STATUS;
	case PROBLEM_MALFORMED:
		return MADRING_PROBLEM_MALFORMED;
	case PROBLEM_LIMIT:
		return problem->left_out ? MADRING_PROBLEM_LIMIT : MADRING_PROBLEM_TOO_FAR;
	case PROBLEM_CONFLICT:
		break;
	}
	return MADRING_PROBLEM_CONFLICT;
}

void problem_publish(struct problem *problem)
{
	struct route route;

	problem_route(problem, &route);
	problem->public = (struct madring_problem){
		.kind = public_kind(problem),
		.hops = route.hops,
		.via = problem->via ? &problem->via->public : NULL,
		.exit = problem->exit,
		.attribute = problem->attribute,
		.modifier = problem->modifier,
		.attribute_name = attribute_name(problem->attribute),
		.error = problem->error,
		.status = problem->status,
		.reason = problem->text,
		.left_out = problem->left_out,
		.node = problem->node ? &problem->node->public : NULL,
		.description = problem->description,
	};
	memcpy(problem->public.path, route.port, sizeof(route.port));
}

static void write_asked(const struct madring_problem *problem, char *text, size_t room)
{
	if (problem->attribute == IB_ATTR_PORT_INFO ||
	    problem->attribute == IB_ATTR_MLNX_EXT_PORT_INFO)
		snprintf(text, room, "%s of port %" PRIu32, problem->attribute_name,
			 problem->modifier & ~PORT_INFO_EXTENDED_SPEEDS);
	else
		snprintf(text, room, "%s", problem->attribute_name);
}

static void write_conflict(const struct madring_problem *problem, char *text)
{
	const struct madring_node *node = problem->node;
	char route[MADRING_ROUTE_TEXT_BYTES];

	assert(node);
	snprintf(text, MADRING_PROBLEM_TEXT_BYTES,
		 "node GUID 0x%016" PRIx64 " (\"%s\") is also at DR path %s (\"%s\"): %s",
		 node->guid, problem->description,
		 madring_route_text(node->path, node->hops, route), node->description,
		 problem->reason);
}

/* Says why a request has no reply. */
static const char *why_no_reply(int error)
{
	if (error == -ETIMEDOUT)
		return "no reply";
	return error == -ENETDOWN ? "the link of the local port is down"
				  : madring_error_text(error);
}

const char *madring_problem_text(const struct madring_problem *problem,
				 char text[MADRING_PROBLEM_TEXT_BYTES])
{
	const size_t room = MADRING_PROBLEM_TEXT_BYTES;
	char what[64];

	write_asked(problem, what, sizeof(what));
	switch (problem->kind) {
	case MADRING_PROBLEM_NO_REPLY:
		snprintf(text, room, "%s: %s", what, why_no_reply(problem->error));
		break;
	case MADRING_PROBLEM_STATUS:
		snprintf(text, room, "%s: error status 0x%04x: %s", what, problem->status,
			 status_meaning(problem->status));
		break;
	case MADRING_PROBLEM_MALFORMED:
		snprintf(text, room, "%s: malformed reply: %s", what, problem->reason);
		break;
	case MADRING_PROBLEM_LIMIT:
		snprintf(text, room, "%s, left out %zu times: %s", what, problem->left_out,
			 problem->reason);
		break;
	case MADRING_PROBLEM_TOO_FAR:
		snprintf(text, room, "%s", problem->reason);
		break;
	case MADRING_PROBLEM_CONFLICT:
		write_conflict(problem, text);
		break;
	}
	return text;
}

const char *problem_text(struct problem *problem, char text[PROBLEM_TEXT_BYTES])
{
	problem_publish(problem);
	if (problem->node)
		node_publish(problem->node);
	return madring_problem_text(&problem->public, text);
}
