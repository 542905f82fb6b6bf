/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "scenario/schedule.h"

#define NS_PER_S 1000000000

void note_failure(struct scenario *scenario, int error)
{
	if (!scenario->failure)
		scenario->failure = error;
}

uint64_t changes_a_second(size_t targets, uint64_t period)
{
	return (targets ? targets : 1) * NS_PER_S / period;
}

static void run_task(struct fabric *fabric, void *user)
{
	struct task *task = user;

	(void)fabric;
	task->scenario->now = task->time;
	task->run(task);
}

static int plan(struct task *task, uint64_t time)
{
	struct scenario *scenario = task->scenario;

	task->time = time > scenario->now ? time : scenario->now;
	return fabric_at(scenario->config.fabric, task->time, run_task, task);
}

int task_start(struct scenario *scenario, struct task *task, uint64_t time)
{
	int error = -ENOSPC;

	task->scenario = scenario;
	if (scenario->task_count < TASKS_MAX && task->changes <= CHANGES_MAX - scenario->changes)
		error = plan(task, time);
	if (error) {
		task->free(task);
		return error;
	}
	scenario->task_count++;
	scenario->changes += task->changes;
	task->next = scenario->tasks;
	if (task->next)
		task->next->link = &task->next;
	task->link = &scenario->tasks;
	scenario->tasks = task;
	return 0;
}

void task_again(struct task *task, uint64_t time)
{
	int error = plan(task, time);

	if (!error)
		return;
	note_failure(task->scenario, error);
	task_end(task);
}

void task_end(struct task *task)
{
	*task->link = task->next;
	if (task->next)
		task->next->link = task->link;
	task->scenario->task_count--;
	task->scenario->changes -= task->changes;
	task->free(task);
}

void cancel_tasks(struct scenario *scenario)
{
	for (struct task *task = scenario->tasks; task; task = task->next)
		task->canceled = true;
}

bool charge_targets(struct scenario *scenario, size_t count)
{
	if (count > TARGETS_MAX - scenario->target_count)
		return false;
	scenario->target_count += count;
	return true;
}
