/* SPDX-License-Identifier: BSD-2-Clause */
/* link: cables taken out, and put in. */
#include "scenario/command.h"

static const char *const ways[] = { "down", "up", "flap", NULL };

enum { WAY_DOWN, WAY_UP, WAY_FLAP };

static int set_link(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	return fabric_set_cable(fabric, target->node, target->port, command->choice == WAY_UP);
}

/* Only ports with a cable have become targets. */
static void flap_link(struct scenario *scenario, const struct target *target, bool up)
{
	fabric_set_cable(scenario->config.fabric, target->node, target->port, up);
}

static int act_flap(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	(void)answer;
	return flap_start(scenario, command, flap_link);
}

int parse_link(struct parser *parser, struct command *command)
{
	int error = take_links(parser, &command->targets);

	if (!error)
		error = take_choice(parser, ways, &command->choice);
	if (error)
		return error;
	command->each = set_link;
	if (command->choice != WAY_FLAP)
		return 0;
	command->act = act_flap;
	return take_flap(parser, command);
}
