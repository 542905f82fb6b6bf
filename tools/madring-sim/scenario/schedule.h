/* SPDX-License-Identifier: BSD-2-Clause */
/* The tasks of a scenario, each done at its time, and the bounds of a scenario. */
#ifndef SIM_SCENARIO_SCHEDULE_H
#define SIM_SCENARIO_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/types.h"

#define TASKS_MAX   262144
#define TARGETS_MAX 4194304 /* of all tasks */
#define PERIOD_MIN  100000  /* ns */
#define CHANGES_MAX 200000  /* a second, by all tasks: what plays in real time has to keep up */

/* A task that is done at its time; the first member of its owner. */
struct task {
	struct scenario *scenario;
	struct task *next, **link;
	uint64_t time;
	uint64_t changes; /* a second; set before it is started */
	bool canceled;
	/* Does the task, and ends with task_again() or task_end(). */
	void (*run)(struct task *task);
	void (*free)(struct task *task);
};

struct scenario {
	struct scenario_config config;
	struct task *tasks;
	size_t task_count, target_count;
	uint64_t changes;
	uint64_t random;
	uint64_t now;
	int failure;
};

/*
 * task_start takes a task over, whose run and free are set. Returns 0, -ENOMEM or -ENOSPC; after an
 * error the task is freed.
 */
int task_start(struct scenario *scenario, struct task *task, uint64_t time);
/* changes_a_second returns the changes by a task that changes so many targets each period. */
uint64_t changes_a_second(size_t targets, uint64_t period);

void task_again(struct task *task, uint64_t time);
void task_end(struct task *task);

/* cancel_tasks lets tasks end what they have begun, and do nothing else. */
void cancel_tasks(struct scenario *scenario);

/* charge_targets counts so many more targets. Returns false if there would be too many. */
bool charge_targets(struct scenario *scenario, size_t count);

/* note_failure keeps the first failure. */
void note_failure(struct scenario *scenario, int error);

#endif
