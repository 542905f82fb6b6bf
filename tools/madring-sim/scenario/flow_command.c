/* SPDX-License-Identifier: BSD-2-Clause */
/* flow and flows: data from ports to LIDs, along the forwarding tables. */
#include "scenario/command.h"

#define PACKET_BYTES 2048
#define PACKET_MIN   16 /* so that no rate of bytes is too high a rate of packets */
#define PACKET_MAX   4096

enum { RATE, SL, PACKET };

static uint16_t lid_of(const struct fabric *fabric, const struct target *target)
{
	struct fabric_port_state state;

	fabric_view_port(fabric, target->node, target->node->type == NODE_SWITCH ? 0 : target->port,
			 &state);
	return state.lid;
}

static int do_flow(struct fabric *fabric, const struct target *target,
		   const struct command *command)
{
	const struct fabric_flow flow = {
		.node = target->node,
		.port = target->port,
		.lid = lid_of(fabric, &command->to),
		.sl = (uint8_t)command->number[SL],
		.bytes_per_second = command->number[RATE],
		.packet_bytes = (uint32_t)command->number[PACKET],
	};

	/* Everybody to one, as a pattern may mean, leaves that one out. */
	return target->node == command->to.node ? 0 : fabric_add_flow(fabric, &flow);
}

/* What leaves a switch of itself leaves its port 0. */
static int check_senders(struct parser *parser, const struct targets *targets)
{
	const struct target *target = targets->target;

	for (size_t i = 0; i < targets->count; i++, target++) {
		if (!target->port != (target->node->type == NODE_SWITCH))
			return refuse(parser->error,
				      "%.80s:%u: no flow can begin here; of a "
				      "switch, at port 0",
				      target->node->id, target->port);
	}
	return 0;
}

/* Its LID is looked up when the flow begins. */
static int take_destination(struct parser *parser, struct command *command)
{
	struct targets to = { 0 };
	int error = take_ports(parser, &to);

	if (error)
		return error;
	parser->scenario->target_count -= to.count;
	command->to = to.target[0];
	if (to.count > 1)
		error = refuse(parser->error, "a flow has one end");
	targets_free(&to);
	return error;
}

static int take_details(struct parser *parser, uint64_t *number)
{
	int error = 0;

	while (!error && peek_word(parser)) {
		if (take_keyword(parser, "sl"))
			error = take_number(parser, 0, FABRIC_VLS - 1, &number[SL]);
		else if (take_keyword(parser, "packet"))
			error = take_number(parser, PACKET_MIN, PACKET_MAX, &number[PACKET]);
		else
			error = take_end(parser);
	}
	return error;
}

int parse_flow(struct parser *parser, struct command *command)
{
	uint64_t *number = command->number;
	int error = take_ports(parser, &command->targets);

	command->each = do_flow;
	number[PACKET] = PACKET_BYTES;
	if (!error)
		error = check_senders(parser, &command->targets);
	if (!error)
		error = take_destination(parser, command);
	if (!error)
		error = take_amount(parser, 4 * FABRIC_MAX_RATE - 1, &number[RATE]);
	return error ? error : take_details(parser, number);
}

static const char *const ways[] = { "lay", "clear", NULL };

enum { WAY_LAY, WAY_CLEAR };

/* Those that lead nowhere now wait for better times. */
static int act_flows(struct scenario *scenario, struct command *command,
		     struct scenario_answer *answer)
{
	int result = 0;

	(void)answer;
	if (command->choice == WAY_LAY)
		result = fabric_lay_flows(scenario->config.fabric);
	else
		fabric_clear_flows(scenario->config.fabric);
	return result < 0 ? result : 0;
}

int parse_flows(struct parser *parser, struct command *command)
{
	command->act = act_flows;
	return take_choice(parser, ways, &command->choice);
}
