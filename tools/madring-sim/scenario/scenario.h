/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language that a fabric is changed in while it runs, and the schedule of what is still to be
 * done. It is pure, as the fabric is: all happens at the fabric's time, from fabric_run() or in
 * the calls below; what is random is drawn from the scenario's own seed.
 *
 * A command is a line of words, such as
 *
 *	node 'host-*' service 100us
 *	link 2 of 'leaf-*:*' flap 1s 100ms
 *	at +1s set loss 0.01
 *	every 100ms until 5s node 1 of '*' stall 10ms
 *
 * In a file, each line may begin with its time. madring-sim-scenario(5) has the whole language.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "fabric/fabric.h"

struct scenario;

/* What is wrong with a command; the line that it stands in, 0 when not in a file. */
struct scenario_error {
	unsigned int line;
	char text[240];
};

/* Where a command's answer goes. */
struct scenario_answer {
	FILE *out;
	bool json;
	bool no; /* it is an answer, but not what had to be hoped for */
};

struct scenario_config {
	struct fabric *fabric; /* must outlive it, but not be played any more once it is closed */
	uint64_t seed;
	/* Writes the statistics, for "show stats". 0 or -errno. */
	int (*show_stats)(void *user, FILE *out);
	void *user;
};

/* 0 or -ENOMEM. */
int scenario_open(struct scenario **scenario, const struct scenario_config *config);
void scenario_close(struct scenario *scenario);

/* Schedules the commands of a file: all of them or, when one is wrong, none. 0 or -errno. */
int scenario_read(struct scenario *scenario, const char *path, struct scenario_error *error);

/*
 * Does a command at @now, to which the fabric has been played: or schedules it, when it says
 * so itself. Without an answer's place, commands that only answer are wrong. 0 or -errno.
 */
int scenario_do(struct scenario *scenario, uint64_t now, const char *line,
		struct scenario_answer *answer, struct scenario_error *error);

/* The same of words that have been told apart already. */
int scenario_do_words(struct scenario *scenario, uint64_t now, const char *const *words,
		      size_t count, struct scenario_answer *answer, struct scenario_error *error);

/* The first thing that could not be done when its time had come: 0 or -errno. */
int scenario_failure(const struct scenario *scenario);

#endif
