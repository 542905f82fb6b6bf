/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "scenario/fabric_command.h"
#include "scenario/scenario.h"

static int act_cancel(struct scenario *scenario, struct command *command,
		      struct scenario_answer *answer)
{
	(void)command;
	(void)answer;
	cancel_tasks(scenario);
	return 0;
}

static int parse_cancel(struct parser *parser, struct command *command)
{
	(void)parser;
	command->act = act_cancel;
	return 0;
}

static const struct verb {
	const char *name;
	command_parse_fn *parse;
	const char *usage;
} verbs[] = {
	{ "set", parse_set, "set NAME VALUE" },
	{ "profile", parse_profile, "profile ideal|modelled" },
	{ "node", parse_node,
	  "node NAME well|hung|dead|off | service TIME|model | late TIME | stall TIME | pause TIME "
	  "| "
	  "flap PERIOD [DOWN-TIME [COUNT]] | mkey KEY [PROTECTION] | pkey INDEX P_KEY" },
	{ "link", parse_link, "link NODE:PORT up|down | flap PERIOD [DOWN-TIME [COUNT]]" },
	{ "traffic", parse_traffic,
	  "traffic NODE:PORT off | xmit-bytes N | rcv-bytes N | xmit-packets N | rcv-packets N | "
	  "xmit-multicasts N | rcv-multicasts N | xmit-wait N | sl N SHARE ..." },
	{ "error", parse_error, "error NODE:PORT COUNTER PER-SECOND" },
	{ "count", parse_count, "count NODE:PORT COUNTER AMOUNT" },
	{ "counter", parse_counter, "counter NODE:PORT COUNTER VALUE" },
	{ "flow", parse_flow, "flow NODE:PORT NODE:PORT BYTES-PER-SECOND [sl N] [packet BYTES]" },
	{ "flows", parse_flows, "flows lay|clear" },
	{ "cancel", parse_cancel, "cancel" },
	{ "walk", parse_walk, "walk" },
	{ "show", parse_show,
	  "show model|stats | node NAME | links [NODE:PORT] | counters NODE:PORT" },
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	return NULL;
}

/* command_parse takes a whole command, which must be freed even after an error. */
static int command_parse(struct parser *parser, struct command *command)
{
	const struct verb *verb;
	const char *name;
	int error;

	parser->usage = "COMMAND ARGUMENT...";
	error = take_word(parser, &name);
	if (error)
		return error;
	verb = find_verb(name);
	if (!verb)
		return refuse(parser->error, "%.80s: no such command", name);
	parser->usage = verb->usage;
	error = verb->parse(parser, command);
	return error ? error : take_end(parser);
}

static int command_do(struct scenario *scenario, struct command *command,
		      struct scenario_answer *answer)
{
	size_t count;
	int error = 0;

	if (command->act)
		return command->act(scenario, command, answer);
	count = targets_pick(&command->targets, &scenario->random);
	for (size_t i = 0; i < count && !error; i++)
		error = command->each(scenario->config.fabric, &command->targets.target[i],
				      command);
	return error;
}

static void command_free(struct scenario *scenario, struct command *command)
{
	scenario->target_count -= command->targets.count;
	targets_free(&command->targets);
}

/* The timing of a command. */
struct timing {
	bool later;
	uint64_t time;
	uint64_t period; /* 0: once */
	uint64_t until;	 /* 0: no end */
};

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

/* Takes "at TIME" and "every PERIOD [until TIME]" where they stand; + is after @base. */
static int take_timing(struct parser *parser, uint64_t base, struct timing *timing)
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

/* Takes the timing of a line in a file, which may begin with its time. */
static int take_line_timing(struct parser *parser, uint64_t base, struct timing *timing)
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

	if (!task->canceled) {
		int error = command_do(scenario, &timed->command, NULL);

		if (error)
			note_failure(scenario, error);
	}
	if (task->canceled || !timed->period || (timed->until && next > timed->until))
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

/* changes_of returns how many changes a second a timed command makes: none, if it is done once. */
static uint64_t changes_of(const struct timed *timed)
{
	const struct targets *targets = &timed->command.targets;

	if (!timed->period)
		return 0;
	return changes_a_second(targets->pick ? targets->pick : targets->count, timed->period);
}

/*
 * start_timed takes the command and schedules it. Returns 0 or -errno; the reason may be written
 * already.
 */
static int start_timed(struct parser *parser, const struct timing *timing)
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

int scenario_open(struct scenario **opened, const struct scenario_config *config)
{
	struct scenario *scenario = calloc(1, sizeof(*scenario));

	if (!scenario)
		return -ENOMEM;
	scenario->config = *config;
	/* The seed differs from the fabric's, which would draw the same numbers. */
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
	result = start_timed(&parser, &timing);
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

struct reader {
	struct scenario *scenario;
	struct scenario_error *error;
	uint64_t time; /* of the line before */
};

static int schedule_line(struct reader *reader, const struct words *words)
{
	struct parser parser = {
		.scenario = reader->scenario,
		.words = words->word,
		.count = words->count,
		.error = reader->error,
	};
	struct timing timing;
	int error = take_line_timing(&parser, reader->time, &timing);

	if (!error)
		error = start_timed(&parser, &timing);
	reader->time = timing.time;
	return error;
}

static int read_line(struct reader *reader, const char *line, size_t length)
{
	struct words words;
	const char *wrong = NULL;

	if (memchr(line, '\0', length))
		wrong = "a NUL byte: not a text file";
	if (!wrong)
		wrong = words_split(&words, line);
	if (wrong)
		return refuse(reader->error, "%s", wrong);
	return words.count ? schedule_line(reader, &words) : 0;
}

/* get_line reads a line without its end. Returns false if the line is too long. */
static bool get_line(FILE *file, char *line, size_t *length)
{
	for (*length = 0; *length < WORDS_LINE; (*length)++) {
		int c = getc(file);

		if (c == EOF || c == '\n') {
			line[*length] = '\0';
			return true;
		}
		line[*length] = (char)c;
	}
	return false;
}

static int read_lines(struct reader *reader, FILE *file)
{
	char line[WORDS_LINE];
	size_t length;
	int error = 0;

	while (!error && !feof(file)) {
		reader->error->line++;
		errno = 0;
		if (!get_line(file, line, &length))
			return refuse(reader->error, "too long a line");
		if (ferror(file)) {
			reader->error->line = 0;
			return errno ? -errno : -EIO;
		}
		error = read_line(reader, line, length);
	}
	return error;
}

int scenario_read(struct scenario *scenario, const char *path, struct scenario_error *error)
{
	struct reader reader = { .scenario = scenario, .error = error };
	FILE *file = fopen(path, "re");
	int result;

	*error = (struct scenario_error){ 0 };
	if (!file)
		return refuse_because(error, -errno);
	result = read_lines(&reader, file);
	fclose(file);
	return result && !error->text[0] ? refuse_because(error, result) : result;
}
