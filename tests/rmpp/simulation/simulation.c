/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ends that speak RMPP over a network that loses, repeats, delays and reorders, in virtual
 * time, from a seed: what is sent comes as it was, once, and both ends are told once.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

static const char usage[] =
	"usage: rmpp-simulation [--seed N] [--seeds COUNT] [--verbose] [--table RECORDS --loss "
	"PPM]\n"
	"  -s, --seed N         the first seed (1)\n"
	"  -n, --seeds COUNT    how many to play, each twice, each the one after the last (1)\n"
	"  -t, --table RECORDS  one message of so many records of 112 bytes\n"
	"  -l, --loss PPM       with --table: how many of a million packets are lost (0)\n"
	"  -v, --verbose        say for each what happened\n"
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
	fprintf(stderr, "rmpp-simulation: not a number: %s\n", text);
	exit(2);
}

static void report(const struct world *world)
{
	const struct rmpp_stats *a = rmpp_stats(world->end[0].rmpp);
	const struct rmpp_stats *b = rmpp_stats(world->end[1].rmpp);

	printf("seed %" PRIu64 ": %u exchanges in %.6f s, %" PRIu64 " packets, %" PRIu64 " lost; "
	       "%" PRIu64 " messages sent, %" PRIu64 " not; %" PRIu64 " received, %" PRIu64
	       " not; %" PRIu64 " segments, %" PRIu64 " again, %" PRIu64 " in vain; %" PRIu64
	       " ACKs, %" PRIu64 " refusals\n",
	       world->seed, world->started, (double)(world->told_at - world->config.now) / 1e9,
	       world->packets, world->lost, a->sent + b->sent, a->send_failed + b->send_failed,
	       a->received + b->received, a->receive_failed + b->receive_failed,
	       a->segments + b->segments, a->resent + b->resent, a->repeated_in + b->repeated_in,
	       a->acks + b->acks, a->refusals + b->refusals);
}

/* Returns a digest of all that was written, and when. */
static uint64_t play(uint64_t seed, const struct scenario *scenario, bool verbose)
{
	struct world world;

	world_open(&world, seed, scenario);
	world_play(&world);
	if (verbose)
		report(&world);
	world_close(&world);
	return world.digest;
}

static void play_table(uint64_t seed, uint64_t records, uint64_t loss)
{
	struct scenario scenario = {
		.exchanges = 1,
		.delay_ns = 20000,
		.loss = (uint32_t)loss,
	};

	scenario.longest = 56 + records * 112;
	scenario.whole = true;
	play(seed, &scenario, true);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "table", required_argument, NULL, 't' },
		{ "loss", required_argument, NULL, 'l' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t seed = 1, seeds = 1, table = 0, loss = 0;
	bool verbose = false;
	int option;

	while ((option = getopt_long(argc, argv, "s:n:t:l:vh", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seed = number(optarg);
			break;
		case 'n':
			seeds = number(optarg);
			break;
		case 't':
			table = number(optarg);
			break;
		case 'l':
			loss = number(optarg);
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
		if (table) {
			play_table(seed + i, table, loss);
		} else if (play(seed + i, NULL, verbose) != play(seed + i, NULL, false)) {
			fprintf(stderr, "seed %" PRIu64 ": not the same when played again\n",
				seed + i);
			return 1;
		}
	}
	printf("%" PRIu64 " seeds from %" PRIu64 " on: everything held\n", seeds, seed);
	return 0;
}
