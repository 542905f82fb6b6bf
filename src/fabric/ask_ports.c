/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks each port of a fabric for attributes, by a batch. */
#include "public.h"

#include <errno.h>
#include <stdlib.h>

#include <madring/address.h>
#include <madring/names.h>
#include <madring/prepare.h>

#include "sized/sized.h"
#include "run_batch.h"

/* The bytes of PortSelect and of CounterSelect in attributes of a port (IBA 16.1.3). */
#define PORT_SELECT    1
#define COUNTER_SELECT 2

#define ALL_PORTS 255

struct madring_questions {
	struct madring_batch *requests;
	const struct madring_fabric *fabric;
	const struct madring_node_port *port; /* the one to be asked; NULL: all were */
	size_t attribute;		      /* to be asked for */
	uint16_t pkey_index;
	struct madring_ask_ports_config config;
};

/*
 * Returns whether a port is asked: it has a LID, and with .all_ports it is the first of its node
 * that has one.
 */
static bool is_asked(const struct madring_questions *questions,
		     const struct madring_node_port *port)
{
	if (!port->lid)
		return false;
	for (unsigned int i = 0; questions->config.all_ports && i < port->number; i++) {
		const struct madring_node_port *before = madring_node_port_by_number(port->node, i);

		if (before && before->found && before->lid)
			return false;
	}
	return true;
}

static void go_to_next_port(struct madring_questions *questions)
{
	questions->attribute = 0;
	do
		questions->port = madring_fabric_port(questions->fabric, questions->port);
	while (questions->port && !is_asked(questions, questions->port));
}

static void write_request(const struct madring_questions *questions, struct madring_mad *mad)
{
	const struct madring_ask_ports_config *config = &questions->config;
	const struct madring_node_port *port = questions->port;
	uint16_t attr_id = config->attributes[questions->attribute];
	uint8_t *attribute = (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA;

	if (config->mgmt_class == MADRING_CLASS_SMP) {
		madring_smp_prepare(mad, port->lid, MADRING_GET, attr_id, port->number);
		return;
	}
	madring_gmp_prepare(mad, port->lid, MADRING_GET, attr_id, 0);
	madring_mad_set_pkey_index(mad, questions->pkey_index);
	attribute[PORT_SELECT] = config->all_ports ? ALL_PORTS : port->number;
	attribute[COUNTER_SELECT] = (uint8_t)(config->counter_select >> 8);
	attribute[COUNTER_SELECT + 1] = (uint8_t)config->counter_select;
}

static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct madring_questions *questions = user;

	(void)batch;
	if (!questions->port)
		return MADRING_BATCH_FINISHED;
	send->user = (void *)questions->port;
	send->timeout_ms = questions->config.timeout_ms;
	send->retries = questions->config.retries;
	write_request(questions, mad);
	if (++questions->attribute == questions->config.attribute_count)
		go_to_next_port(questions);
	return 1;
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct madring_questions *questions = user;

	questions->config.done(questions->config.user, completion);
}

static bool config_is_valid(const struct madring_ask_ports_config *config)
{
	bool is_smp = config->mgmt_class == MADRING_CLASS_SMP;

	if (!is_smp && config->mgmt_class != MADRING_CLASS_PMA)
		return false;
	return config->attributes && config->attribute_count && config->done &&
	       !(is_smp && config->all_ports);
}

int madring_ask_ports_start_sized(struct madring_subnet *subnet,
				  const struct madring_fabric *fabric,
				  const struct madring_ask_ports_config *theirs, size_t their_size,
				  struct madring_questions **questions)
{
	struct madring_ask_ports_config config;
	struct madring_batch_config batch = { .next = next_request, .done = take_outcome };
	struct madring_questions *started;
	struct madring_agent *agent;
	int error = sized_take(&config, sizeof(config), theirs, their_size);

	if (error)
		return error;
	if (!config_is_valid(&config))
		return -EINVAL;
	error = madring_subnet_agent(subnet, config.mgmt_class, &agent);
	if (error)
		return error;
	started = calloc(1, sizeof(*started));
	if (!started)
		return -ENOMEM;
	started->fabric = fabric;
	started->pkey_index = madring_subnet_pkey_index(subnet);
	started->config = config;
	go_to_next_port(started);
	batch.user = started;
	batch.most = config.most;
	batch.deadline_ms = config.deadline_ms;
	error = madring_batch_start(agent, &batch, &started->requests);
	if (error) {
		free(started);
		return error;
	}
	*questions = started;
	return 0;
}

struct madring_batch *madring_ask_ports_requests(const struct madring_questions *questions)
{
	return questions->requests;
}

int madring_ask_ports_end(struct madring_questions *questions)
{
	int error;

	if (!questions)
		return 0;
	error = madring_batch_end(questions->requests);
	if (error)
		return error;
	free(questions);
	return 0;
}

int madring_ask_ports(struct madring_subnet *subnet, const struct madring_fabric *fabric,
		      uint8_t mgmt_class, uint16_t attr_id, madring_batch_done callback, void *user)
{
	const struct madring_ask_ports_config config = {
		.mgmt_class = mgmt_class,
		.attributes = &attr_id,
		.attribute_count = 1,
		.done = callback,
		.user = user,
	};
	struct madring_questions *questions;
	int error = madring_ask_ports_start(subnet, fabric, &config, &questions), again;

	if (error)
		return error;
	error = run_batch(questions->requests);
	again = madring_ask_ports_end(questions);
	return error ? error : again;
}
