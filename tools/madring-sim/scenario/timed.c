/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "scenario/command.h"
#include "scenario/timed.h"

struct timed {
	struct task task;
	struct command command;
	uint64_t period, until;
};

static int take_every(struct parser *parser, struct timing *timing)
{
	if (!take_keyword(parser, "every"))
		return 0;
	timing->later = true;
	if (take_duration(parser, &timing->period))
		return -EINVAL;
	if (timing->period < PERIOD_MIN)
		return refuse(parser->error, "a period must be at least 100us");
	if (!take_keyword(parser, "until"))
		return 0;
	if (take_time(parser, timing->time, &timing->until))
		return -EINVAL;
	if (timing->until < timing->time || !timing->until)
		return refuse(parser->error, "it would end before it begins");
	return 0;
}

int take_timing(struct parser *parser, uint64_t base, struct timing *timing)
{
	*timing = (struct timing){ .time = base };
	parser->usage = "[at TIME] [every PERIOD [until TIME]] COMMAND ARGUMENT...";
	if (take_keyword(parser, "at")) {
		timing->later = true;
		if (take_time(parser, base, &timing->time))
			return -EINVAL;
		if (timing->time < parser->scenario->now)
			return refuse(parser->error, "that time is past");
	}
	return take_every(parser, timing);
}

int take_line_timing(struct parser *parser, uint64_t base, struct timing *timing)
{
	bool at = take_keyword(parser, "at");
	const char *word = peek_word(parser);

	*timing = (struct timing){ .time = base, .later = true };
	parser->usage = "[TIME] [every PERIOD [until TIME]] COMMAND ARGUMENT...";
	if (!at)
		at = word && (*word == '+' || isdigit((unsigned char)*word));
	if (at && take_time(parser, base, &timing->time))
		return -EINVAL;
	return take_every(parser, timing);
}

static void run_timed(struct task *task)
{
	struct timed *timed = (struct timed *)task;
	struct scenario *scenario = task->scenario;
	uint64_t next = task->time + timed->period;

	if (!task->cancelled) {
		int error = command_do(scenario, &timed->command, NULL);

		if (error)
			note_failure(scenario, error);
	}
	if (task->cancelled || !timed->period || (timed->until && next > timed->until))
		task_end(task);
	else
		task_again(task, next);
}

static void free_timed(struct task *task)
{
	struct timed *timed = (struct timed *)task;

	command_free(task->scenario, &timed->command);
	free(timed);
}

/* One that is done once, at its time, changes nothing from then on. */
static uint64_t changes_of(const struct timed *timed)
{
	const struct targets *targets = &timed->command.targets;

	if (!timed->period)
		return 0;
	return changes_a_second(targets->pick ? targets->pick : targets->count, timed->period);
}

int timed_start(struct parser *parser, const struct timing *timing)
{
	struct scenario *scenario = parser->scenario;
	struct timed *timed = calloc(1, sizeof(*timed));
	int error;

	if (!timed)
		return -ENOMEM;
	timed->task.run = run_timed;
	timed->task.free = free_timed;
	timed->period = timing->period;
	timed->until = timing->until;
	error = command_parse(parser, &timed->command);
	timed->task.changes = changes_of(timed);
	if (!error)
		return task_start(scenario, &timed->task, timing->time);
	command_free(scenario, &timed->command);
	free(timed);
	return error;
}
