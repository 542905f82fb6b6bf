/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "command.h"

static const struct verb {
	const char *name;
	command_parse_fn *parse;
	const char *usage;
} verbs[] = {
	{ "set", parse_set, "set NAME VALUE" },
	{ "profile", parse_profile, "profile ideal|real" },
	{ "node", parse_node,
	  "node NAME well|hung|dead|off | service TIME|model | late TIME | stall TIME | "
	  "flap PERIOD [DOWN-TIME [COUNT]]" },
	{ "link", parse_link, "link NODE:PORT up|down | flap PERIOD [DOWN-TIME [COUNT]]" },
	{ "cancel", parse_cancel, "cancel" },
	{ "walk", parse_walk, "walk" },
	{ "show", parse_show, "show model|stats | node NAME | links [NODE:PORT]" },
};

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	return NULL;
}

int command_parse(struct parser *parser, struct command *command)
{
	const struct verb *verb;
	const char *name;
	int ret;

	parser->usage = "COMMAND ARGUMENT...";
	ret = take_word(parser, &name);
	if (ret)
		return ret;
	verb = find_verb(name);
	if (!verb)
		return refuse(parser->error, "%.80s: no such command", name);
	parser->usage = verb->usage;
	ret = verb->parse(parser, command);
	return ret ? ret : take_end(parser);
}

void command_free(struct scenario *scenario, struct command *command)
{
	scenario->target_count -= command->targets.count;
	targets_free(&command->targets);
}

static int act_cancel(struct scenario *scenario, struct command *command,
		      struct scenario_answer *answer)
{
	(void)command;
	(void)answer;
	cancel_tasks(scenario);
	return 0;
}

int parse_cancel(struct parser *parser, struct command *command)
{
	(void)parser;
	command->act = act_cancel;
	return 0;
}
