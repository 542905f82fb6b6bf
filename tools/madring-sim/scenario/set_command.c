/* SPDX-License-Identifier: BSD-2-Clause */
/* set and profile: the model of all links and nodes. */
#include "fabric/model.h"
#include "scenario/command.h"

#define QUEUE_MAX UINT32_MAX

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
		error = take_number(parser, 0, QUEUE_MAX, &whole);
	command->value = (double)whole;
	return error;
}

static int act_profile(struct scenario *scenario, struct command *command,
		       struct scenario_answer *answer)
{
	(void)answer;
	return fabric_set_model(scenario->config.fabric,
				command->choice ? &fabric_real : &fabric_ideal);
}

int parse_profile(struct parser *parser, struct command *command)
{
	static const char *const profiles[] = { "ideal", "real", NULL };

	command->act = act_profile;
	return take_choice(parser, profiles, &command->choice);
}
