/* SPDX-License-Identifier: BSD-2-Clause */
/* node: how a node behaves. */
#include "scenario/command.h"

static const char *const ways[] = { "well", "hung",  "dead", "off", "service",
				    "late", "stall", "flap", NULL };

enum { WAY_WELL, WAY_HUNG, WAY_DEAD, WAY_OFF, WAY_SERVICE, WAY_LATE, WAY_STALL, WAY_FLAP };

static int set_node(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	static const enum fabric_health health[] = {
		[WAY_WELL] = FABRIC_WELL,
		[WAY_HUNG] = FABRIC_HUNG,
		[WAY_DEAD] = FABRIC_DEAD,
		[WAY_OFF] = FABRIC_OFF,
	};
	const struct topology_node *node = target->node;
	size_t way = command->choice;
	uint64_t ns = command->number[0];

	if (way == WAY_SERVICE)
		fabric_set_service(fabric, node, ns);
	else if (way == WAY_LATE)
		fabric_set_lateness(fabric, node, ns);
	else if (way == WAY_STALL)
		fabric_stall(fabric, node, ns);
	else
		fabric_set_health(fabric, node, health[way]);
	return 0;
}

static void flap_node(struct scenario *scenario, const struct target *target, bool up)
{
	fabric_set_health(scenario->config.fabric, target->node, up ? FABRIC_WELL : FABRIC_OFF);
}

static int act_flap(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	(void)answer;
	return flap_start(scenario, command, flap_node);
}

int parse_node(struct parser *parser, struct command *command)
{
	int error = take_nodes(parser, &command->targets);

	if (!error)
		error = take_choice(parser, ways, &command->choice);
	if (error)
		return error;
	command->each = set_node;
	switch (command->choice) {
	case WAY_SERVICE:
		if (!take_keyword(parser, "model"))
			return take_duration(parser, &command->number[0]);
		command->number[0] = FABRIC_AS_MODEL;
		return 0;
	case WAY_LATE:
	case WAY_STALL:
		return take_duration(parser, &command->number[0]);
	case WAY_FLAP:
		command->act = act_flap;
		return take_flap(parser, command);
	default:
		return 0;
	}
}
