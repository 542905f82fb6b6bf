/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine with RMPP of its own, in virtual time, from a seed: long requests and long replies,
 * both ways, through a network that loses, repeats, delays and reorders, and a kernel that lets
 * through what the real one does.
 */
#include "model/common/seeds.h"
#include "segments_world.h"

int main(int argc, char **argv)
{
	static const struct seeds_program program = {
		.about = "Plays the engine with RMPP of its own, in virtual time.\n",
		.play = world_play,
		.twice = true,
	};

	return seeds_main(argc, argv, &program);
}
