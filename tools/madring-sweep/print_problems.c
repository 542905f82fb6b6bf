/* SPDX-License-Identifier: BSD-2-Clause */
/* What is missing, for people: one line each, by directed path. */
#include <errno.h>

#include "print.h"

void print_problems(FILE *out, const struct result *result)
{
	const struct problems *problems = &result->discovery->problems;
	char text[PROBLEM_TEXT_BYTES], path[ROUTE_TEXT_BYTES];
	struct route route;

	for (size_t i = 0; i < problems->count; i++) {
		problem_route(problems->list[i], &route);
		fprintf(out, "madring-sweep: DR path %s: %s\n", route_text(&route, path),
			problem_text(problems->list[i], text));
	}
	if (result->error == -ENODEV)
		fprintf(out,
			"madring-sweep: the device is gone: the sweep ended early, with %zu "
			"requests "
			"not answered\n",
			result->discovery->dropped);
	else if (result->error)
		fprintf(out, "madring-sweep: the sweep ended early: %s\n",
			madring_strerror(result->error));
	if (result->interrupted)
		fprintf(out, "madring-sweep: interrupted, with %zu requests not answered\n",
			result->discovery->dropped);
}
