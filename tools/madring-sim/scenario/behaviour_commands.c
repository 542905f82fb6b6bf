/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands set, profile, node and link, which change how links and nodes behave. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "fabric/model.h"
#include "scenario/fabric_command.h"

#define COUNT_MAX UINT32_MAX

/* The M_Key's protection bits (IBA 14.2.4): from 2 on, a Get without the key has no reply. */
#define MKEY_HIDES_ALL	    2
#define MKEY_PROTECTION_MAX 3

static int act_set(struct scenario *scenario, struct command *command,
		   struct scenario_answer *answer)
{
	struct fabric_model model = *fabric_model(scenario->config.fabric);

	(void)answer;
	model_set(&model, &model_numbers[command->choice], command->value);
	return fabric_set_model(scenario->config.fabric, &model);
}

int parse_set(struct parser *parser, struct command *command)
{
	const struct model_number *number;
	const char *name;
	uint64_t whole = 0;
	int error = take_word(parser, &name);

	if (error)
		return error;
	number = model_number_find(name);
	if (!number)
		return refuse(parser->error,
			      "%.80s: no such number of the model; \"show model\" "
			      "shows them",
			      name);
	command->act = act_set;
	command->choice = (size_t)(number - model_numbers);
	if (number->kind == MODEL_PROBABILITY)
		return take_probability(parser, &command->value);
	if (number->kind == MODEL_DURATION)
		error = take_duration(parser, &whole);
	else
		error = take_number(parser, 0, COUNT_MAX, &whole);
	command->value = (double)whole;
	return error;
}

static int act_profile(struct scenario *scenario, struct command *command,
		       struct scenario_answer *answer)
{
	(void)answer;
	return fabric_set_model(scenario->config.fabric,
				command->choice ? &fabric_modelled : &fabric_ideal);
}

int parse_profile(struct parser *parser, struct command *command)
{
	static const char *const profiles[] = { "ideal", "modelled", "real", NULL };

	command->act = act_profile;
	return take_choice(parser, profiles, &command->choice);
}

/* The places of a flap's numbers in a command. */
enum { PERIOD, DOWN_TIME, ROUNDS };

/* A flap: targets that go down and come up again, over and over. */
struct flap {
	struct task task;
	void (*set)(struct scenario *scenario, const struct target *target, bool up);
	uint64_t period, down_time;
	uint64_t rounds; /* that are left; 0: no end */
	bool down;
	size_t count;
	struct target target[];
};

/* take_flap takes "PERIOD [DOWN-TIME [COUNT]]". */
static int take_flap(struct parser *parser, struct command *command)
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
		if (task->canceled) {
			task_end(task);
			return;
		}
		set_all(flap, false);
		task_again(task, task->time + flap->down_time);
		return;
	}
	set_all(flap, true);
	last = task->canceled || flap->rounds == 1;
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

/* Begins to take all targets down and up again. */
static int start_flap(struct scenario *scenario, struct command *command,
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

/* The words of a node command: first the node's healths, then these. */
enum {
	NODE_SERVICE = FABRIC_HEALTHS,
	NODE_LATE,
	NODE_STALL,
	NODE_PAUSE,
	NODE_FLAP,
	NODE_MKEY,
	NODE_PKEY,
	NODE_WAYS,
};

static int take_node_way(struct parser *parser, size_t *way)
{
	const char *ways[NODE_WAYS + 1] = {
		[NODE_SERVICE] = "service", [NODE_LATE] = "late", [NODE_STALL] = "stall",
		[NODE_PAUSE] = "pause",	    [NODE_FLAP] = "flap", [NODE_MKEY] = "mkey",
		[NODE_PKEY] = "pkey",
	};

	for (size_t i = 0; i < FABRIC_HEALTHS; i++)
		ways[i] = fabric_health_name((enum fabric_health)i);
	return take_choice(parser, ways, way);
}

/* Changes a node as the command's choice says. Returns 0 or a negative errno. */
static int set_node(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	const struct topology_node *node = target->node;
	size_t way = command->choice;
	uint64_t ns = command->number[0];

	if (way == NODE_SERVICE)
		fabric_set_service(fabric, node, ns);
	else if (way == NODE_LATE)
		fabric_set_lateness(fabric, node, ns);
	else if (way == NODE_STALL)
		fabric_stall(fabric, node, ns);
	else if (way == NODE_PAUSE)
		fabric_pause(fabric, node, ns);
	else if (way == NODE_MKEY)
		fabric_set_mkey(fabric, node, command->number[0], (uint32_t)command->number[1]);
	else if (way == NODE_PKEY)
		return fabric_set_pkey(fabric, node, (unsigned int)command->number[0],
				       (uint16_t)command->number[1]);
	else
		fabric_set_health(fabric, node, (enum fabric_health)way);
	return 0;
}

static void flap_node(struct scenario *scenario, const struct target *target, bool up)
{
	fabric_set_health(scenario->config.fabric, target->node, up ? FABRIC_WELL : FABRIC_OFF);
}

static int act_node_flap(struct scenario *scenario, struct command *command,
			 struct scenario_answer *answer)
{
	(void)answer;
	return start_flap(scenario, command, flap_node);
}

/* take_mkey takes "KEY [PROTECTION]". */
static int take_mkey(struct parser *parser, uint64_t number[])
{
	int error = take_key(parser, UINT64_MAX, &number[0]);

	number[1] = MKEY_HIDES_ALL;
	if (!error && peek_word(parser))
		error = take_number(parser, 0, MKEY_PROTECTION_MAX, &number[1]);
	return error;
}

/* take_pkey takes "INDEX P_KEY". */
static int take_pkey(struct parser *parser, uint64_t number[])
{
	int error = take_number(parser, 0, FABRIC_PKEYS - 1, &number[0]);

	return error ? error : take_key(parser, UINT16_MAX, &number[1]);
}

int parse_node(struct parser *parser, struct command *command)
{
	int error = take_nodes(parser, &command->targets);

	if (!error)
		error = take_node_way(parser, &command->choice);
	if (error)
		return error;
	command->each = set_node;
	switch (command->choice) {
	case NODE_SERVICE:
		if (!take_keyword(parser, "model"))
			return take_duration(parser, &command->number[0]);
		command->number[0] = FABRIC_AS_MODEL;
		return 0;
	case NODE_LATE:
	case NODE_STALL:
	case NODE_PAUSE:
		return take_duration(parser, &command->number[0]);
	case NODE_FLAP:
		command->act = act_node_flap;
		return take_flap(parser, command);
	case NODE_MKEY:
		return take_mkey(parser, command->number);
	case NODE_PKEY:
		return take_pkey(parser, command->number);
	default:
		return 0;
	}
}

static const char *const link_ways[] = { "down", "up", "flap", NULL };

enum { LINK_DOWN, LINK_UP, LINK_FLAP };

static int set_link(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	return fabric_set_cable(fabric, target->node, target->port, command->choice == LINK_UP);
}

/* flap_link plugs or unplugs the cable of a target. Only ports with a cable have become targets. */
static void flap_link(struct scenario *scenario, const struct target *target, bool up)
{
	fabric_set_cable(scenario->config.fabric, target->node, target->port, up);
}

static int act_link_flap(struct scenario *scenario, struct command *command,
			 struct scenario_answer *answer)
{
	(void)answer;
	return start_flap(scenario, command, flap_link);
}

int parse_link(struct parser *parser, struct command *command)
{
	int error = take_links(parser, &command->targets);

	if (!error)
		error = take_choice(parser, link_ways, &command->choice);
	if (error)
		return error;
	command->each = set_link;
	if (command->choice != LINK_FLAP)
		return 0;
	command->act = act_link_flap;
	return take_flap(parser, command);
}
