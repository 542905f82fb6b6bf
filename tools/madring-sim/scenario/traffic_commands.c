/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands that move counters. traffic, error, count and counter move the counters of ports;
 * flow and flows send data from ports to LIDs, along the forwarding tables.
 */
#include <errno.h>
#include <string.h>

#include "scenario/fabric_command.h"

#define SHARE_MAX     255
#define MAX_BYTE_RATE (4 * FABRIC_MAX_RATE - 1)
#define MIN_RATE      0x1p-24

static const struct rate {
	const char *name;
	size_t offset;
	uint64_t max;
} rates[] = {
	{ "xmit-bytes", offsetof(struct fabric_traffic, xmit_bytes), MAX_BYTE_RATE },
	{ "rcv-bytes", offsetof(struct fabric_traffic, rcv_bytes), MAX_BYTE_RATE },
	{ "xmit-packets", offsetof(struct fabric_traffic, xmit_packets), FABRIC_MAX_RATE },
	{ "rcv-packets", offsetof(struct fabric_traffic, rcv_packets), FABRIC_MAX_RATE },
	{ "xmit-multicasts", offsetof(struct fabric_traffic, xmit_multicasts), FABRIC_MAX_RATE },
	{ "rcv-multicasts", offsetof(struct fabric_traffic, rcv_multicasts), FABRIC_MAX_RATE },
	{ "xmit-wait", offsetof(struct fabric_traffic, xmit_wait), FABRIC_MAX_RATE },
};

static const struct rate *find_rate(const char *name)
{
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (!strcmp(rates[i].name, name))
			return &rates[i];
	}
	return NULL;
}

static int take_share(struct parser *parser, struct fabric_traffic *traffic)
{
	uint64_t sl, share;

	if (take_number(parser, 0, FABRIC_VLS - 1, &sl) ||
	    take_number(parser, 0, SHARE_MAX, &share))
		return -EINVAL;
	traffic->share[sl] = (uint8_t)share;
	return 0;
}

static int take_rate(struct parser *parser, struct fabric_traffic *traffic)
{
	const struct rate *rate;
	const char *name;

	if (take_keyword(parser, "sl"))
		return take_share(parser, traffic);
	if (take_word(parser, &name))
		return -EINVAL;
	rate = find_rate(name);
	if (!rate)
		return refuse(parser->error, "%.80s: unknown; usage: %s", name, parser->usage);
	return take_amount(parser, rate->max, (uint64_t *)((char *)traffic + rate->offset));
}

static int do_traffic(struct fabric *fabric, const struct target *target,
		      const struct command *command)
{
	return fabric_set_traffic(fabric, target->node, target->port, &command->traffic);
}

int parse_traffic(struct parser *parser, struct command *command)
{
	struct fabric_traffic *traffic = &command->traffic;
	int error = take_ports(parser, &command->targets);

	command->each = do_traffic;
	if (error || take_keyword(parser, "off"))
		return error;
	do {
		error = take_rate(parser, traffic);
	} while (!error && peek_word(parser));
	if (!error && (traffic->xmit_multicasts > traffic->xmit_packets ||
		       traffic->rcv_multicasts > traffic->rcv_packets))
		error = refuse(parser->error, "more multicasts than packets");
	return error;
}

static int take_counter(struct parser *parser, enum fabric_counter *counter)
{
	const char *name;
	int error = take_word(parser, &name);

	if (error)
		return error;
	if (fabric_counter_of(name, counter))
		return 0;
	return refuse(parser->error,
		      "%.80s: no such counter; their names are those that perfquery prints", name);
}

/* take_port_counter takes the port and the counter. */
static int take_port_counter(struct parser *parser, struct command *command)
{
	int error = take_ports(parser, &command->targets);

	return error ? error : take_counter(parser, &command->counter);
}

static int do_error(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	return fabric_set_error_rate(fabric, target->node, target->port, command->counter,
				     command->value);
}

int parse_error(struct parser *parser, struct command *command)
{
	int error = take_port_counter(parser, command);

	command->each = do_error;
	if (!error)
		error = take_real(parser, (double)FABRIC_MAX_RATE, &command->value);
	if (!error && command->value > 0 && command->value < MIN_RATE)
		error = refuse(parser->error, "less than once in 2^24 seconds");
	return error;
}

static int do_count(struct fabric *fabric, const struct target *target,
		    const struct command *command)
{
	return fabric_count(fabric, target->node, target->port, command->counter,
			    command->number[0]);
}

int parse_count(struct parser *parser, struct command *command)
{
	int error = take_port_counter(parser, command);

	command->each = do_count;
	return error ? error : take_amount(parser, UINT64_MAX, &command->number[0]);
}

static int do_counter(struct fabric *fabric, const struct target *target,
		      const struct command *command)
{
	return fabric_set_counter(fabric, target->node, target->port, command->counter,
				  command->number[0]);
}

int parse_counter(struct parser *parser, struct command *command)
{
	int error = take_port_counter(parser, command);

	command->each = do_counter;
	return error ? error : take_amount(parser, UINT64_MAX, &command->number[0]);
}

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

	/* A pattern of senders may match the receiver, which has no flow to itself. */
	return target->node == command->to.node ? 0 : fabric_add_flow(fabric, &flow);
}

/* check_senders checks the senders of a flow. A switch sends its own packets from port 0. */
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

/* take_destination takes the destination of a flow. Its LID is looked up when the flow begins. */
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

static const char *const flows_ways[] = { "lay", "clear", NULL };

enum { FLOWS_LAY, FLOWS_CLEAR };

/*
 * act_flows lays the flows anew, or clears them. Flows without a route wait until flows are laid
 * again.
 */
static int act_flows(struct scenario *scenario, struct command *command,
		     struct scenario_answer *answer)
{
	int result = 0;

	(void)answer;
	if (command->choice == FLOWS_LAY)
		result = fabric_lay_flows(scenario->config.fabric);
	else
		fabric_clear_flows(scenario->config.fabric);
	return result < 0 ? result : 0;
}

int parse_flows(struct parser *parser, struct command *command)
{
	command->act = act_flows;
	return take_choice(parser, flows_ways, &command->choice);
}
