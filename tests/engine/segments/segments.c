/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine with RMPP of its own, in virtual time, from a seed: long requests and long replies,
 * both ways, through a network that loses, repeats, delays and reorders, and a kernel that lets
 * through what the real one does.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

static const char usage[] =
	"usage: engine-segments [--seed N] [--seeds COUNT] [--verbose]\n"
	"  -s, --seed N       the first seed (1)\n"
	"  -n, --seeds COUNT  how many to play, each twice, each the one after the last (1)\n"
	"  -v, --verbose      say for each what happened\n"
	"Exit status: 0 when everything held, 1 when not (and how to play that seed again),\n"
	"2 for a wrong use.\n";

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!errno && end != text && !*end && *text != '-')
		return value;
	fprintf(stderr, "engine-segments: not a number: %s\n", text);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t seed = 1, seeds = 1;
	bool verbose = false;
	int option;

	while ((option = getopt_long(argc, argv, "s:n:vh", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = number(optarg);
			break;
		case 'n':
			seeds = number(optarg);
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		return 2;
	}
	for (uint64_t i = 0; i < seeds; i++) {
		if (world_play(seed + i, verbose) == world_play(seed + i, false))
			continue;
		fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n", seed + i);
		return 1;
	}
	printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds, seed);
	return 0;
}
