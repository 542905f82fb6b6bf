/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ends that speak RMPP over a network that loses, repeats, delays and reorders, in virtual
 * time, from a seed: what is sent comes as it was, once, and both ends are told once.
 */
#include "model/common/seeds.h"
#include "rmpp_world.h"

static uint64_t play_any(uint64_t seed, bool verbose)
{
	return world_play(seed, NULL, verbose);
}

int main(int argc, char **argv)
{
	static const struct seeds_program program = {
		.about =
			"Plays two ends that speak RMPP over a hostile network, in virtual time.\n",
		.play = play_any,
		.twice = true,
	};

	return seeds_main(argc, argv, &program);
}
