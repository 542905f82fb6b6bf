/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/common/seeds.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRONG_USE 2

struct seeds {
	uint64_t first, count;
	bool verbose;
};

/* The command that plays the current seed again; it is ready before a crash. */
static char command[512];

static void write_command(char **argv, int words, uint64_t seed)
{
	size_t length = 0;

	for (int i = 0; i <= words; i++)
		length += (size_t)snprintf(command + length, sizeof(command) - length, "%s ",
					   argv[i]);
	snprintf(command + length, sizeof(command) - length, "--seed %" PRIu64 " --verbose\n",
		 seed);
}

/* Writes with nothing but write(2), which a signal handler may call. */
static _Noreturn void end(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0 ||
	    write(STDERR_FILENO, command, strlen(command)) < 0)
		_exit(2);
	_exit(1);
}

void seeds_fail(void)
{
	fflush(stdout);
	fflush(stderr);
	end("replay: ");
}

static void on_crash(int signal_number)
{
	(void)signal_number;
	end("crashed; replay: ");
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

static void usage(FILE *to)
{
	fprintf(to,
		"usage: %s [--seed N] [--seeds COUNT] [--verbose]\n"
		"  -s, --seed N       the first seed (1)\n"
		"  -n, --seeds COUNT  how many to play, each the one after the last (1)\n"
		"  -v, --verbose      say for each what happened\n"
		"Exit status: 0 when everything held, 1 when not (and how to play that seed "
		"again),\n"
		"2 for a wrong use.\n",
		program_invocation_short_name);
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

static void take_option(struct seeds *seeds, int option)
{
	switch (option) {
	case 's':
		seeds->first = number(optarg);
		break;
	case 'n':
		seeds->count = number(optarg);
		break;
	case 'v':
		seeds->verbose = true;
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(WRONG_USE);
	}
}

static struct seeds parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct seeds seeds = { .first = 1, .count = 1 };
	int option;

	while ((option = getopt_long(argc, argv, "s:n:vh", options, NULL)) != -1)
		take_option(&seeds, option);
	if (optind == argc)
		return seeds;
	usage(stderr);
	exit(WRONG_USE);
}

int seeds_main(int argc, char **argv, int words, seeds_play *play, bool twice)
{
	const struct seeds seeds = parse(argc - words, argv + words);

	expect_crashes();
	for (uint64_t i = 0; i < seeds.count; i++) {
		uint64_t seed = seeds.first + i;
		uint64_t digest;

		write_command(argv, words, seed);
		digest = play(seed, seeds.verbose);
		if (!twice || play(seed, false) == digest)
			continue;
		fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n", seed);
		seeds_fail();
	}
	printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds.count,
	       seeds.first);
	return 0;
}
