/* SPDX-License-Identifier: BSD-2-Clause */
/* What is missing, for people: one line each. */
#include <errno.h>

#include "common/plural.h"
#include "print.h"

void print_problems(FILE *out, const struct result *result)
{
	const char *program = program_invocation_short_name;
	size_t dropped = result->discovery->dropped;

	problems_print(out, &result->discovery->problems);
	if (result->error == -ENODEV)
		fprintf(out,
			"%s: the device is gone: the sweep ended early, with %zu request%s not "
			"answered\n",
			program, dropped, plural(dropped));
	else if (result->error)
		fprintf(out, "%s: the sweep ended early: %s\n", program,
			madring_strerror(result->error));
	if (result->discovery->deadline_reached)
		fprintf(out,
			"%s: the deadline ended the sweep, with %zu request%s not answered; "
			"--deadline allows more time\n",
			program, dropped, plural(dropped));
	if (result->interrupted)
		fprintf(out, "%s: interrupted, with %zu request%s not answered\n", program, dropped,
			plural(dropped));
}
