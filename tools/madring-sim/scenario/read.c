/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of commands. */
#include <errno.h>
#include <string.h>

#include "scenario/command.h"
#include "scenario/timed.h"
#include "scenario/words.h"

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
		error = timed_start(&parser, &timing);
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

/* A line without its end, and a NUL behind it. False: it is too long. */
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
