/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/common/seeds.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WRONG_USE 2

struct seeds {
	uint64_t first, count;
	bool verbose;
};

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

int seeds_main(int argc, char **argv, seeds_play *play, bool twice)
{
	const struct seeds seeds = parse(argc, argv);

	for (uint64_t i = 0; i < seeds.count; i++) {
		uint64_t seed = seeds.first + i;
		uint64_t digest = play(seed, seeds.verbose);

		if (!twice || play(seed, false) == digest)
			continue;
		fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n", seed);
		return 1;
	}
	printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds.count,
	       seeds.first);
	return 0;
}
