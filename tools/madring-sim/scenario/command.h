/* SPDX-License-Identifier: BSD-2-Clause */
/* A command that has been understood, and may be done any number of times. */
#ifndef SIM_SCENARIO_COMMAND_H
#define SIM_SCENARIO_COMMAND_H

#include "fabric/traffic.h"
#include "scenario/parser.h"
#include "scenario/schedule.h"
#include "scenario/targets.h"

#define COMMAND_NUMBERS 4

/* One of these two is set; they return 0 or -errno. */
struct command {
	/* Commands that only answer are given an answer's place. */
	int (*act)(struct scenario *scenario, struct command *command,
		   struct scenario_answer *answer);
	/* For each of the targets. */
	int (*each)(struct fabric *fabric, const struct target *target,
		    const struct command *command);
	struct targets targets;
	struct target to;
	size_t choice;
	uint64_t number[COMMAND_NUMBERS];
	double value;
	enum fabric_counter counter;
	struct fabric_traffic traffic;
};

/* Each takes what stands behind its first word. 0, or -errno with the reason. */
typedef int command_parse_fn(struct parser *parser, struct command *command);

command_parse_fn parse_set, parse_profile, parse_node, parse_link;
command_parse_fn parse_traffic, parse_error, parse_count, parse_counter, parse_flow, parse_flows;
command_parse_fn parse_cancel, parse_walk, parse_show;

/* Takes a whole command; it must be freed even when this fails. */
int command_parse(struct parser *parser, struct command *command);
int command_do(struct scenario *scenario, struct command *command, struct scenario_answer *answer);
void command_free(struct scenario *scenario, struct command *command);

/* flap.c: PERIOD [DOWN-TIME [COUNT]] */
int take_flap(struct parser *parser, struct command *command);

/* Begins to take all targets down and up again. */
int flap_start(struct scenario *scenario, struct command *command,
	       void (*set)(struct scenario *scenario, const struct target *target, bool up));

#endif
