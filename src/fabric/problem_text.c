/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes problems in words. */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <madring.h>

#include "graph.h"
#include "problem.h"

static void write_asked(const struct madring_problem *problem, char *text, size_t room)
{
	if (problem->attribute == MADRING_ATTR_PORT_INFO ||
	    problem->attribute == MADRING_ATTR_EXTENDED_PORT_INFO)
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
			 madring_status_text(MADRING_CLASS_SMP, problem->status));
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
