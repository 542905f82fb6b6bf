/* SPDX-License-Identifier: BSD-2-Clause */
/* A parsed command, which may be done any number of times. */
#ifndef SIM_FABRIC_COMMAND_H
#define SIM_FABRIC_COMMAND_H

#include "fabric/traffic.h"
#include "scenario/parser.h"
#include "scenario/schedule.h"
#include "scenario/targets.h"

#define COMMAND_NUMBERS 4

/* A command. One of act and each is set; they return 0 or -errno. */
struct command {
	int (*act)(struct scenario *scenario, struct command *command,
		   struct scenario_answer *answer);
	/* Changes one target; it is called for each of them. */
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

/* A command_parse_fn takes the words behind the first one. Returns 0, or -errno with the reason. */
typedef int command_parse_fn(struct parser *parser, struct command *command);

command_parse_fn parse_set, parse_profile, parse_node, parse_link;
command_parse_fn parse_traffic, parse_error, parse_count, parse_counter, parse_flow, parse_flows;
command_parse_fn parse_walk, parse_show;

#endif
