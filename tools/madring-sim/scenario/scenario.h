/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scenario changes a fabric while it runs, by commands that are done now or at their time. It is
 * as pure as the fabric: everything happens at the fabric's time, from fabric_run() or in the calls
 * below, and what is random is drawn from the scenario's own seed.
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

#include <stddef.h>

#include "scenario/types.h"

struct scenario;

/* scenario_open returns 0 or -ENOMEM. */
int scenario_open(struct scenario **scenario, const struct scenario_config *config);
void scenario_close(struct scenario *scenario);

/*
 * scenario_read schedules the commands of a file: all of them or, if one is wrong, none. Returns 0
 * or -errno.
 */
int scenario_read(struct scenario *scenario, const char *path, struct scenario_error *error);

/*
 * scenario_do does a command at @now, to which the fabric has been played, or schedules it if the
 * command says so. If @answer is NULL, commands that only answer are wrong. Returns 0 or -errno.
 */
int scenario_do(struct scenario *scenario, uint64_t now, const char *line,
		struct scenario_answer *answer, struct scenario_error *error);

/* scenario_do_words does a command that is split into words. */
int scenario_do_words(struct scenario *scenario, uint64_t now, const char *const *words,
		      size_t count, struct scenario_answer *answer, struct scenario_error *error);

/* scenario_failure returns 0, or the first -errno of a command that failed when its time came. */
int scenario_failure(const struct scenario *scenario);

#endif
