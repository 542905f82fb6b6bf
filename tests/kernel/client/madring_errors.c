/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a ring, a port and agents, as the options say, and prints which call failed and by which
 * error, as "madring_port_open: EACCES"; or "none". Then what the library says of it, and of
 * flags which it has.
 */
#include <stdio.h>
#include <stdlib.h>

#include <madring.h>

#include "common/option_table.h"

#define OPTION_STRUCT struct wanted

struct wanted {
	struct madring_config ring;
	struct madring_agent_config agent;
	const char *ca_name;
	int port;
	uint32_t agents;
	bool again;
	uint32_t flags_supported;
};

static void on_request(const struct madring_received *received)
{
	(void)received;
}

static void take_method(void *field, const char *option, const char *text)
{
	struct madring_agent_config *agent = field;
	uint64_t method = option_number(option, text, 0, 127);

	agent->method_mask[method / 64] |= UINT64_C(1) << method % 64;
	agent->receive = on_request;
}

static void take_best_effort(void *wanted, const char *option, const char *text)
{
	(void)option;
	(void)text;
	((struct wanted *)wanted)->ring.pin = MADRING_PIN_BEST_EFFORT;
}

static void take_small(void *wanted, const char *option, const char *text)
{
	(void)option;
	(void)text;
	((struct wanted *)wanted)->ring.transactions = 16;
	((struct wanted *)wanted)->ring.reads = 64;
}

static const struct option_entry entries[] = {
	{ 'C', "ca", "NAME", "the device; default: any", OPTION_TEXT(ca_name) },
	{ 'P', "port", "NUMBER", "its port; default: any", OPTION_NUMBER(port, 0, 1000) },
	{ 'c', "class", "CLASS", "of the agents; default 0x03",
	  OPTION_NUMBER(agent.mgmt_class, 0, 0xff) },
	{ 'm', "method", "METHOD", "that they answer; default: none",
	  OPTION_BY(take_method, agent) },
	{ 'f', "flags", "FLAGS", "that they are registered with; default: none",
	  OPTION_NUMBER(agent.flags, 0, UINT32_MAX) },
	{ 'n', "agents", "COUNT", "how many are opened; default 1",
	  OPTION_NUMBER(agents, 0, 1000) },
	{ 0, "again", NULL, "the last one by the port, opened once more", OPTION_FLAG(again) },
	{ 0, "best-effort", NULL, "memory need not be locked", OPTION_CALL(take_best_effort) },
	{ 0, "small", NULL, "a ring that takes little memory", OPTION_CALL(take_small) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Which call of madring's fails, and by which error.\n",
	.notes = "",
	.entries = entries,
};

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
	struct wanted wanted = {
		.agent = { .mgmt_class = 0x03,
			   .class_version = 2,
			   .flags_supported = &wanted.flags_supported },
		.agents = 1,
	};
	struct madring *ring = NULL;
	const char *call;
	int error;

	option_table_read(&table, &wanted, "", argc, argv);
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
