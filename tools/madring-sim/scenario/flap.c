/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes down and comes up again, over and over. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/command.h"

enum { PERIOD, DOWN_TIME, ROUNDS };

struct flap {
	struct task task;
	void (*set)(struct scenario *scenario, const struct target *target, bool up);
	uint64_t period, down_time;
	uint64_t rounds; /* that are left; 0: no end */
	bool down;
	size_t count;
	struct target target[];
};

int take_flap(struct parser *parser, struct command *command)
{
	uint64_t *number = command->number;

	if (take_duration(parser, &number[PERIOD]))
		return -EINVAL;
	number[DOWN_TIME] = number[PERIOD] / 2;
	number[ROUNDS] = 0;
	if (peek_word(parser) && take_duration(parser, &number[DOWN_TIME]))
		return -EINVAL;
	if (peek_word(parser) && take_number(parser, 1, UINT32_MAX, &number[ROUNDS]))
		return -EINVAL;
	if (number[PERIOD] < PERIOD_MIN)
		return refuse(parser->error, "a period must be at least 100us");
	if (!number[DOWN_TIME] || number[DOWN_TIME] >= number[PERIOD])
		return refuse(parser->error, "the time down must be shorter than the period");
	return 0;
}

static void set_all(struct flap *flap, bool up)
{
	for (size_t i = 0; i < flap->count; i++)
		flap->set(flap->task.scenario, &flap->target[i], up);
	flap->down = !up;
}

static void run_flap(struct task *task)
{
	struct flap *flap = (struct flap *)task;
	bool last;

	if (!flap->down) {
		if (task->cancelled) {
			task_end(task);
			return;
		}
		set_all(flap, false);
		task_again(task, task->time + flap->down_time);
		return;
	}
	set_all(flap, true);
	last = task->cancelled || flap->rounds == 1;
	flap->rounds -= flap->rounds > 0;
	if (last)
		task_end(task);
	else
		task_again(task, task->time + flap->period - flap->down_time);
}

static void free_flap(struct task *task)
{
	task->scenario->target_count -= ((struct flap *)task)->count;
	free(task);
}

int flap_start(struct scenario *scenario, struct command *command,
	       void (*set)(struct scenario *scenario, const struct target *target, bool up))
{
	size_t count = targets_pick(&command->targets, &scenario->random);
	struct flap *flap;

	if (!charge_targets(scenario, count))
		return -ENOSPC;
	flap = malloc(sizeof(*flap) + count * sizeof(flap->target[0]));
	if (!flap) {
		scenario->target_count -= count;
		return -ENOMEM;
	}
	*flap = (struct flap){
		.task = {
			.run = run_flap,
			.free = free_flap,
			.changes = changes_a_second(2 * count, command->number[PERIOD]),
		},
		.set = set,
		.period = command->number[PERIOD],
		.down_time = command->number[DOWN_TIME],
		.rounds = command->number[ROUNDS],
		.count = count,
	};
	memcpy(flap->target, command->targets.target, count * sizeof(flap->target[0]));
	return task_start(scenario, &flap->task, scenario->now);
}
