/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of a scenario, and its output. */
#ifndef SIM_SCENARIO_TYPES_H
#define SIM_SCENARIO_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/fabric.h"

/* The error of a command. */
struct scenario_error {
	unsigned int line; /* in the file; 0: not in a file */
	char text[240];
};

/* The place that a command's answer is written to. */
struct scenario_answer {
	FILE *out;
	bool json;
	bool no; /* the command was done, and the answer is no */
};

struct scenario_config {
	struct fabric *fabric; /* must outlive the scenario, but not be played after it is closed */
	uint64_t seed;
	/* Writes the statistics, for "show stats". Returns 0 or -errno. */
	void (*show_stats)(void *user, FILE *out);
	void *user;
};

#endif
