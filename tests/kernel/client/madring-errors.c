/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a ring, a port and agents, as the options say, and prints which call failed and by which
 * error, as "madring_port_open: EACCES"; or "none". Then what the library says of it, and of
 * flags which it has.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include <madring.h>

#include "../common/number.h"

enum { KEY_BEST_EFFORT = 256, KEY_SMALL, KEY_AGAIN };

struct wanted {
	struct madring_config ring;
	struct madring_agent_config agent;
	const char *ca_name;
	int port;
	uint32_t agents;
	bool again;
	uint32_t flags_supported;
};

static const struct argp_option options[] = {
	{ "ca", 'C', "NAME", 0, "The device (any)", 0 },
	{ "port", 'P', "NUMBER", 0, "Its port (any)", 0 },
	{ "class", 'c', "CLASS", 0, "Of the agents (0x03)", 0 },
	{ "method", 'm', "METHOD", 0, "That they answer (none)", 0 },
	{ "flags", 'f', "FLAGS", 0, "That they are registered with (none)", 0 },
	{ "agents", 'n', "COUNT", 0, "How many are opened (1)", 0 },
	{ "again", KEY_AGAIN, NULL, 0, "The last one by the port, opened once more", 0 },
	{ "best-effort", KEY_BEST_EFFORT, NULL, 0, "Memory need not be locked", 0 },
	{ "small", KEY_SMALL, NULL, 0, "A ring that takes little memory", 0 },
	{ 0 },
};

static void on_request(const struct madring_received *received)
{
	(void)received;
}

static void take_method(struct madring_agent_config *agent, unsigned long method)
{
	agent->method_mask[method / 64] |= UINT64_C(1) << method % 64;
	agent->receive = on_request;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct wanted *wanted = state->input;

	switch (key) {
	case 'C':
		wanted->ca_name = text;
		return 0;
	case 'P':
		wanted->port = (int)number(text, 0, 1000, state);
		return 0;
	case 'c':
		wanted->agent.mgmt_class = (uint8_t)number(text, 0, 0xff, state);
		return 0;
	case 'm':
		take_method(&wanted->agent, number(text, 0, 127, state));
		return 0;
	case 'f':
		wanted->agent.flags = (uint32_t)number(text, 0, UINT32_MAX, state);
		return 0;
	case 'n':
		wanted->agents = (uint32_t)number(text, 0, 1000, state);
		return 0;
	case KEY_AGAIN:
		wanted->again = true;
		return 0;
	case KEY_BEST_EFFORT:
		wanted->ring.pin = MADRING_PIN_BEST_EFFORT;
		return 0;
	case KEY_SMALL:
		wanted->ring.transactions = 16;
		wanted->ring.reads = 64;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Opens all. Returns the call that failed, or NULL. */
static const char *open_all(struct madring **ring, const struct wanted *wanted, int *error)
{
	struct madring_agent *agent;
	struct madring_port *port;

	*error = madring_open(ring, &wanted->ring);
	if (*error)
		return "madring_open";
	*error = madring_port_open(*ring, wanted->ca_name, wanted->port, NULL, &port);
	for (uint32_t i = 0; !*error && i < wanted->agents; i++) {
		if (wanted->again && i + 1 == wanted->agents)
			*error = madring_port_open(*ring, wanted->ca_name, wanted->port, NULL,
						   &port);
		if (*error)
			break;
		*error = madring_agent_open(port, &wanted->agent, &agent);
		if (*error)
			return "madring_agent_open";
	}
	return *error ? "madring_port_open" : NULL;
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Which call of madring's fails, and by which error.",
	};
	struct wanted wanted = {
		.agent = { .mgmt_class = 0x03,
			   .class_version = 2,
			   .flags_supported = &wanted.flags_supported },
		.agents = 1,
	};
	struct madring *ring = NULL;
	const char *call;
	int error;

	argp_parse(&argp, argc, argv, 0, NULL, &wanted);
	call = open_all(&ring, &wanted, &error);
	if (call)
		printf("%s: %s\n%s\n", call, strerrorname_np(-error), madring_error_text(error));
	else
		printf("none\n");
	if (wanted.flags_supported)
		printf("supported: 0x%x\n", wanted.flags_supported);
	madring_close(ring);
	return EXIT_SUCCESS;
}
