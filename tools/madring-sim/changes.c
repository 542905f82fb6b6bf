/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "changes.h"
#include "common/complain.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_file(struct scenario *scenario, const char *path)
{
	struct scenario_error error;
	int ret = scenario_read(scenario, path, &error);

	if (ret && error.line)
		complain("%s:%u: %s", path, error.line, error.text);
	else if (ret)
		complain("%s: %s", path, error.text);
	return !ret;
}

static bool make_one(struct scenario *scenario, const struct change *change)
{
	const char *const loss[] = { "set", "loss", change->argument };
	const char *const dead[] = { "node", change->argument, "dead" };
	struct scenario_error error;
	const char *option;
	int ret;

	switch (change->kind) {
	case CHANGE_SCENARIO:
		return read_file(scenario, change->argument);
	case CHANGE_LOSS:
		option = "--loss";
		ret = scenario_do_words(scenario, 0, loss, COUNT(loss), NULL, &error);
		break;
	case CHANGE_DEAD:
		option = "--dead";
		ret = scenario_do_words(scenario, 0, dead, COUNT(dead), NULL, &error);
		break;
	default:
		option = change->argument;
		ret = scenario_do(scenario, 0, change->argument, NULL, &error);
		break;
	}
	if (ret)
		complain("%s: %s", option, error.text);
	return !ret;
}

bool changes_make(struct scenario *scenario, const struct options *options)
{
	size_t i;

	for (i = 0; i < options->change_count; i++) {
		if (!make_one(scenario, &options->changes[i]))
			return false;
	}
	return true;
}
