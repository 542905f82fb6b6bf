/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-model: plays scenarios from seeds, several at a time. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "jobs.h"
#include "play.h"

#define WRONG_USE 2

static const char help[] =
	"Usage: madring-model [options]\n"
	"\n"
	"Plays whole sweeps and collections against a model of a fabric, in virtual time.\n"
	"\n"
	"  -s, --seed N    the first seed (1)\n"
	"  -n, --seeds N   how many to play, each the one after the last (1)\n"
	"  -j, --jobs N    processes that play them (as many as there are processors)\n"
	"  -2, --twice     play each seed twice, and see that the same happens again\n"
	"  -t, --trace     write the scenario and what happens, one seed at a time\n"
	"\n"
	"Exit status: 0 when everything held, 1 when not (and how to play that seed again),\n"
	"2 for a wrong use.\n";

struct arguments {
	struct seeds seeds;
	bool trace;
};

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

static void take_option(struct arguments *arguments, int option)
{
	switch (option) {
	case 's':
		arguments->seeds.first = number(optarg);
		break;
	case 'n':
		arguments->seeds.count = number(optarg);
		break;
	case 'j':
		arguments->seeds.jobs = (unsigned int)number(optarg);
		break;
	case '2':
		arguments->seeds.twice = true;
		break;
	case 't':
		arguments->trace = true;
		break;
	case 'h':
		fputs(help, stdout);
		exit(0);
	default:
		fputs(help, stderr);
		exit(WRONG_USE);
	}
}

static void read_arguments(struct arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "twice", no_argument, NULL, '2' },
		{ "trace", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "s:n:j:2th", options, NULL)) != -1)
		take_option(arguments, option);
	if (optind == argc && arguments->seeds.jobs)
		return;
	fputs(help, stderr);
	exit(WRONG_USE);
}

int main(int argc, char **argv)
{
	struct arguments arguments = {
		.seeds = { .first = 1,
			   .count = 1,
			   .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN) },
	};

	read_arguments(&arguments, argc, argv);
	if (!arguments.trace)
		return jobs_play(&arguments.seeds);
	for (uint64_t i = 0; i < arguments.seeds.count; i++)
		play(arguments.seeds.first + i, true);
	return 0;
}
