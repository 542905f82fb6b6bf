/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/common/seeds.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/common/jobs.h"

#define WRONG_USE    2
#define NS_IN_SECOND 1000000000u

static struct {
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

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: %s [options]\n"
		"\n"
		"%s\n"
		"\n"
		"  -s, --seed N       the first seed (1)\n"
		"  -n, --seeds COUNT  how many to play, each the one after the last (1)\n"
		"  -j, --jobs N       processes that play them (%u); 0: plays them itself, up to "
		"the\n"
		"                     first that fails\n"
		"  -2, --twice        play each seed twice, and see that the same happens again%s\n"
		"  -v, --verbose      say for each what happened, without other processes\n"
		"  -h, --help         show this help\n"
		"\n"
		"Exit status: 0 when everything held, 1 when not (and how to play that seed "
		"again),\n"
		"2 for a wrong use.\n",
		program_invocation_short_name, seeds.program->about, seeds.program->jobs,
		seeds.program->twice ? " (always)" : "");
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-')
		return value;
	fprintf(stderr, "%s: not a number: %s\n", program_invocation_short_name, text);
	exit(WRONG_USE);
}

static void take_option(int option)
{
	switch (option) {
	case 's':
		seeds.first = number(optarg);
		break;
	case 'n':
		seeds.count = number(optarg);
		break;
	case 'j':
		seeds.jobs = (unsigned int)number(optarg);
		break;
	case '2':
		seeds.twice = true;
		break;
	case 'v':
		seeds.verbose = true;
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(WRONG_USE);
	}
}

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "twice", no_argument, NULL, '2' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "s:n:j:2vh", options, NULL)) != -1)
		take_option(option);
	if (optind == argc)
		return;
	usage(stderr);
	exit(WRONG_USE);
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
