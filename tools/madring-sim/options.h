/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#define PROGRAM "madring-sim"

struct options {
	const char *topology; /* one of these two */
	const char *generate;
	const char *attach; /* NULL: the first HCA */
	const char *stats;  /* NULL: none */
	const char **dead;
	size_t dead_count;
	uint64_t seed;
	double loss;
	char **command;
};

/* Prints what is wrong, or what was asked for. -1: go on; else the status to exit with. */
int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

#endif
