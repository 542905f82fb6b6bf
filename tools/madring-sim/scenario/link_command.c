/* SPDX-License-Identifier: BSD-2-Clause */
/* link: cables taken out, and put in. */
#include <errno.h>

#include "command.h"

static const char *const ways[] = { "down", "up", "flap", NULL };

enum { WAY_DOWN, WAY_UP, WAY_FLAP };

/* Only ports with a cable have become targets. */
static void set_link(struct scenario *scenario, const struct target *target, bool up)
{
	fabric_set_cable(scenario->config.fabric, target->node, target->port, up);
}

static int act_link(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	size_t count = targets_pick(&command->targets, &scenario->random), i;

	(void)answer;
	for (i = 0; i < count; i++)
		set_link(scenario, &command->targets.target[i], command->choice == WAY_UP);
	return 0;
}

static int act_flap(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	(void)answer;
	return flap_start(scenario, command, set_link);
}

int parse_link(struct parser *parser, struct command *command)
{
	int ret = take_links(parser, &command->targets);

	if (!ret)
		ret = take_choice(parser, ways, &command->choice);
	if (ret)
		return ret;
	command->act = act_link;
	if (command->choice != WAY_FLAP)
		return 0;
	command->act = act_flap;
	return take_flap(parser, command);
}
