/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "scenario/fabric_command.h"

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
	{ "traffic", parse_traffic,
	  "traffic NODE:PORT off | xmit-bytes N | rcv-bytes N | xmit-packets N | rcv-packets N | "
	  "xmit-multicasts N | rcv-multicasts N | xmit-wait N | sl N SHARE ..." },
	{ "error", parse_error, "error NODE:PORT COUNTER PER-SECOND" },
	{ "count", parse_count, "count NODE:PORT COUNTER AMOUNT" },
	{ "counter", parse_counter, "counter NODE:PORT COUNTER VALUE" },
	{ "flow", parse_flow, "flow NODE:PORT NODE:PORT BYTES-PER-SECOND [sl N] [packet BYTES]" },
	{ "flows", parse_flows, "flows lay|clear" },
	{ "cancel", parse_cancel, "cancel" },
	{ "walk", parse_walk, "walk" },
	{ "show", parse_show,
	  "show model|stats | node NAME | links [NODE:PORT] | counters NODE:PORT" },
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	return NULL;
}

int command_parse(struct parser *parser, struct command *command)
{
	const struct verb *verb;
	const char *name;
	int error;

	parser->usage = "COMMAND ARGUMENT...";
	error = take_word(parser, &name);
	if (error)
		return error;
	verb = find_verb(name);
	if (!verb)
		return refuse(parser->error, "%.80s: no such command", name);
	parser->usage = verb->usage;
	error = verb->parse(parser, command);
	return error ? error : take_end(parser);
}

int command_do(struct scenario *scenario, struct command *command, struct scenario_answer *answer)
{
	size_t count;
	int error = 0;

	if (command->act)
		return command->act(scenario, command, answer);
	count = targets_pick(&command->targets, &scenario->random);
	for (size_t i = 0; i < count && !error; i++)
		error = command->each(scenario->config.fabric, &command->targets.target[i],
				      command);
	return error;
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
