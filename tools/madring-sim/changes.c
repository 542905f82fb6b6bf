/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "changes.h"
#include "common/complain.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_file(struct scenario *scenario, const char *path)
{
	struct scenario_error error;
	int result = scenario_read(scenario, path, &error);

	if (result && error.line)
		complain("%s:%u: %s", path, error.line, error.text);
	else if (result)
		complain("%s: %s", path, error.text);
	return !result;
}

static bool make_one(struct scenario *scenario, const struct change *change)
{
	const char *const loss[] = { "set", "loss", change->argument };
	const char *const dead[] = { "node", change->argument, "dead" };
	struct scenario_error error;
	const char *option;
	int result;

	switch (change->kind) {
	case CHANGE_SCENARIO:
		return read_file(scenario, change->argument);
	case CHANGE_LOSS:
		option = "--loss";
		result = scenario_do_words(scenario, 0, loss, COUNT(loss), NULL, &error);
		break;
	case CHANGE_DEAD:
		option = "--dead";
		result = scenario_do_words(scenario, 0, dead, COUNT(dead), NULL, &error);
		break;
	default:
		option = change->argument;
		result = scenario_do(scenario, 0, change->argument, NULL, &error);
		break;
	}
	if (result)
		complain("%s: %s", option, error.text);
	return !result;
}

bool changes_make(struct scenario *scenario, const struct options *options)
{
	for (size_t i = 0; i < options->change_count; i++) {
		if (!make_one(scenario, &options->changes[i]))
			return false;
	}
	return true;
}
