/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "fabric/chance.h"
#include "scenario/command.h"
#include "scenario/timed.h"
#include "scenario/words.h"

int scenario_open(struct scenario **opened, const struct scenario_config *config)
{
	struct scenario *scenario = calloc(1, sizeof(*scenario));

	if (!scenario)
		return -ENOMEM;
	scenario->config = *config;
	/* Not the fabric's own draws once more. */
	scenario->random = mix(~config->seed);
	*opened = scenario;
	return 0;
}

void scenario_close(struct scenario *scenario)
{
	if (!scenario)
		return;
	while (scenario->tasks)
		task_end(scenario->tasks);
	free(scenario);
}

int scenario_failure(const struct scenario *scenario)
{
	return scenario->failure;
}

static int obey(struct parser *parser, struct scenario_answer *answer)
{
	struct command command = { 0 };
	int error = command_parse(parser, &command);

	if (!error) {
		error = command_do(parser->scenario, &command, answer);
		if (error)
			refuse_because(parser->error, error);
	}
	command_free(parser->scenario, &command);
	return error;
}

int scenario_do_words(struct scenario *scenario, uint64_t now, const char *const *words,
		      size_t count, struct scenario_answer *answer, struct scenario_error *error)
{
	struct parser parser = {
		.scenario = scenario,
		.words = words,
		.count = count,
		.error = error,
	};
	struct timing timing;
	int result;

	*error = (struct scenario_error){ 0 };
	scenario->now = now;
	result = take_timing(&parser, now, &timing);
	if (result)
		return result;
	parser.answers = answer && !timing.later;
	if (!timing.later)
		return obey(&parser, answer);
	result = timed_start(&parser, &timing);
	return result && !error->text[0] ? refuse_because(error, result) : result;
}

int scenario_do(struct scenario *scenario, uint64_t now, const char *line,
		struct scenario_answer *answer, struct scenario_error *error)
{
	struct words words;
	const char *wrong = words_split(&words, line);

	*error = (struct scenario_error){ 0 };
	if (wrong)
		return refuse(error, "%s", wrong);
	return scenario_do_words(scenario, now, words.word, words.count, answer, error);
}
