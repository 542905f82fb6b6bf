/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rmpp-table RECORDS PPM [OPTIONS]: one message of so many records of 112 bytes, as the SA sends
 * them, where so many packets of a million are lost; with the options of rmpp-simulation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/common/seeds.h"
#include "rmpp_world.h"

#define HEADER_BYTES 56
#define RECORD_BYTES 112

static struct scenario table = { .exchanges = 1, .delay_ns = 20000, .whole = true };

static uint64_t play_table(uint64_t seed, bool verbose)
{
	return world_play(seed, &table, verbose);
}

int main(int argc, char **argv)
{
	static const struct seeds_program program = {
		.about = "Plays one long message, of which some packets are lost, in virtual "
			 "time.\n",
		.play = play_table,
		.words = 2,
	};

	if (argc < 3) {
		fputs("usage: rmpp-table RECORDS PPM [options of rmpp-simulation]\n", stderr);
		return 2;
	}
	table.longest = HEADER_BYTES + strtoull(argv[1], NULL, 0) * RECORD_BYTES;
	table.loss = (uint32_t)strtoul(argv[2], NULL, 0);
	return seeds_main(argc, argv, &program);
}
