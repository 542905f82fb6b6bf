/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/common/seeds.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"
#include "model/common/jobs.h"

#define NS_IN_SECOND 1000000000u

#define OPTION_STRUCT struct seeds

static struct seeds {
	const struct seeds_program *program;
	char **argv;
	uint64_t first, count;
	unsigned int jobs;
	bool twice, verbose;
	uint64_t current;
	bool is_job; /* another process waits for this one, and writes the command */
} seeds = { .first = 1, .count = 1 };

/* The command that plays the current seed again; it is ready before a crash. */
static char command[512];

static void write_command(uint64_t seed)
{
	size_t length = 0;

	for (int i = 0; i <= seeds.program->words; i++)
		length += (size_t)snprintf(command + length, sizeof(command) - length, "%s ",
					   seeds.argv[i]);
	snprintf(command + length, sizeof(command) - length, "--seed %" PRIu64 " --verbose\n",
		 seed);
}

/* Writes with nothing but write(2), which a signal handler may call. */
static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void on_crash(int signal_number)
{
	(void)signal_number;
	write_text("crashed; replay: ");
	write_text(command);
	_exit(1);
}

static void expect_crashes(void)
{
	signal(SIGABRT, on_crash);
#ifndef __SANITIZE_ADDRESS__ /* which says more */
	signal(SIGSEGV, on_crash);
	signal(SIGBUS, on_crash);
	signal(SIGFPE, on_crash);
#endif
}

static void tell_failed(uint64_t seed)
{
	if (!seeds.program) /* what failed was not played from a seed */
		return;
	write_command(seed);
	fprintf(stderr, "replay: %s", command);
}

static _Noreturn void end_seed(void)
{
	if (!seeds.is_job)
		tell_failed(seeds.current);
	_exit(1);
}

void seeds_fail(uint64_t now, const char *format, ...)
{
	char text[512];
	va_list arguments;

	fflush(stdout);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* A single write keeps the line in one piece: other processes write there, too. */
	dprintf(STDERR_FILENO, "seed %" PRIu64 ", at %" PRIu64 ".%09" PRIu64 " s: %s\n",
		seeds.current, now / NS_IN_SECOND, now % NS_IN_SECOND, text);
	end_seed();
}

static const struct option_entry entries[] = {
	{ 's', "seed", "N", "the first seed; default 1", OPTION_NUMBER(first, 0, UINT64_MAX) },
	{ 'n', "seeds", "COUNT", "how many to play, each the one after the last; default 1",
	  OPTION_NUMBER(count, 0, UINT64_MAX) },
	{ 'j', "jobs", "N",
	  "processes that play them; 0: plays them itself, up to the first that fails",
	  OPTION_NUMBER(jobs, 0, UINT32_MAX) },
	{ '2', "twice", NULL, "play each seed twice, and see that the same happens again",
	  OPTION_FLAG(twice) },
	{ 'v', "verbose", NULL, "say for each what happened, without other processes",
	  OPTION_FLAG(verbose) },
	OPTION_END,
};

static void read_options(int argc, char **argv)
{
	const struct option_table table = {
		.usage = seeds.program->about,
		.notes = "Exit status: 0 when everything held, 1 when not (and how to play that "
			 "seed\n"
			 "again), 2 for a wrong use.\n",
		.entries = entries,
	};
	int first = option_table_read(&table, &seeds, "", argc, argv);

	if (first < argc)
		option_refuse(argv[first], "an argument too many");
}

static void play_seed(uint64_t seed)
{
	uint64_t digest;

	seeds.current = seed;
	digest = seeds.program->play(seed, seeds.verbose);
	if (!seeds.twice || seeds.program->play(seed, false) == digest)
		return;
	fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n", seed);
	end_seed();
}

static void play_in_job(uint64_t seed)
{
	seeds.is_job = true;
	play_seed(seed);
}

static void play_all(void)
{
	expect_crashes();
	for (uint64_t i = 0; i < seeds.count; i++) {
		write_command(seeds.first + i);
		play_seed(seeds.first + i);
	}
}

int seeds_main(int argc, char **argv, const struct seeds_program *program)
{
	seeds.program = program;
	seeds.argv = argv;
	seeds.jobs = program->jobs;
	seeds.twice = program->twice;
	read_options(argc - program->words, argv + program->words);
	if (!seeds.jobs || seeds.verbose)
		play_all();
	else if (!jobs_play(&(struct jobs){ .first = seeds.first,
					    .count = seeds.count,
					    .processes = seeds.jobs,
					    .play = play_in_job,
					    .tell_failed = tell_failed }))
		return 1;
	printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds.count,
	       seeds.first);
	return 0;
}
