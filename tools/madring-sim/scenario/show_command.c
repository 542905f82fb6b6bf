/* SPDX-License-Identifier: BSD-2-Clause */
/* show: what is now. */
#include "scenario/command.h"
#include "scenario/show.h"

static const char *const things[] = { "model", "stats", "node", "links", "counters", NULL };

enum { SHOW_MODEL, SHOW_STATS, SHOW_NODE, SHOW_LINKS, SHOW_COUNTERS };

static int act_show(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	static show_fn *const show[][2] = {
		[SHOW_MODEL] = { show_model_text, show_model_json },
		[SHOW_NODE] = { show_nodes_text, show_nodes_json },
		[SHOW_LINKS] = { show_links_text, show_links_json },
		[SHOW_COUNTERS] = { show_counters_text, show_counters_json },
	};
	struct targets shown = command->targets;

	if (command->choice == SHOW_STATS)
		return scenario->config.show_stats(scenario->config.user, answer->out);
	shown.count = targets_pick(&command->targets, &scenario->random);
	return show[command->choice][answer->json](scenario->config.fabric, &shown, answer->out);
}

static int take_shown_links(struct parser *parser, struct command *command)
{
	static const char *const all[] = { "*:*" };
	struct parser everything = *parser;

	if (peek_word(parser))
		return take_links(parser, &command->targets);
	everything.words = all;
	everything.count = 1;
	everything.next = 0;
	return take_links(&everything, &command->targets);
}

int parse_show(struct parser *parser, struct command *command)
{
	int error;

	if (!parser->answers)
		return refuse(parser->error, "show: there is nobody to answer to");
	error = take_choice(parser, things, &command->choice);
	if (error)
		return error;
	command->act = act_show;
	if (command->choice == SHOW_NODE)
		return take_nodes(parser, &command->targets);
	if (command->choice == SHOW_LINKS)
		return take_shown_links(parser, command);
	if (command->choice == SHOW_COUNTERS)
		return take_ports(parser, &command->targets);
	if (command->choice == SHOW_STATS && !parser->scenario->config.show_stats)
		return refuse(parser->error, "show stats: there are none");
	return 0;
}
