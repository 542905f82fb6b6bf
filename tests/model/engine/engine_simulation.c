/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pure engine against a hostile network, in virtual time, from a seed: every transaction
 * is followed independently, and every promise of the engine is checked at every step.
 */
#include "model/common/seeds.h"
#include "engine_world.h"

static uint64_t play(uint64_t seed, bool verbose)
{
	world_play(seed, verbose);
	return 0; /* that it is the same again is not looked at */
}

int main(int argc, char **argv)
{
	static const struct seeds_program program = {
		.about = "Plays the engine against a hostile network, in virtual time.\n",
		.play = play,
	};

	return seeds_main(argc, argv, &program);
}
