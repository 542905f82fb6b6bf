/* SPDX-License-Identifier: BSD-2-Clause */
/* What is still to be done, each thing at its time; and what keeps a scenario within bounds. */
#ifndef SIM_SCENARIO_SCHEDULE_H
#define SIM_SCENARIO_SCHEDULE_H

#include "scenario/scenario.h"

#define TASKS_MAX   262144
#define TARGETS_MAX 4194304 /* of all tasks */
#define PERIOD_MIN  100000  /* ns */
#define CHANGES_MAX 200000  /* a second, by all tasks: what plays in real time has to keep up */

/* Done at its time; the first member of what it is about. */
struct task {
	struct scenario *scenario;
	struct task *next, **link;
	uint64_t time;
	uint64_t changes; /* a second; set before it is started */
	bool cancelled;
	/* Either starts itself again by task_again(), or ends by task_end(). */
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

/* Takes the task over; run and free must be set. 0, -ENOMEM or -ENOSPC; then it is freed. */
int task_start(struct scenario *scenario, struct task *task, uint64_t time);
/* Of so many targets, once each period. */
uint64_t changes_a_second(size_t targets, uint64_t period);

void task_again(struct task *task, uint64_t time);
void task_end(struct task *task);

/* Nothing is done any more but what puts an end to what has begun. */
void cancel_tasks(struct scenario *scenario);

/* Whether so many more targets may be kept; they are counted then. */
bool charge_targets(struct scenario *scenario, size_t count);

void note_failure(struct scenario *scenario, int error);

#endif
