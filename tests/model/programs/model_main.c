/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>

#include "model/common/seeds.h"
#include "play.h"

int main(int argc, char **argv)
{
	const struct seeds_program program = {
		.about = "Plays whole sweeps and collections against a model of a fabric, in "
			 "virtual time.",
		.play = play,
		.jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
	};

	return seeds_main(argc, argv, &program);
}
