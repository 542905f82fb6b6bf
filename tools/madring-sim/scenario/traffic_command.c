/* SPDX-License-Identifier: BSD-2-Clause */
/* traffic, error, count and counter: what moves the counters of ports. */
#include <errno.h>
#include <string.h>

#include "scenario/command.h"

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

/* What all commands about one counter begin with. */
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
