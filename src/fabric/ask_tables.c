/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the forwarding tables of switches by a batch. The switches that have told how long their
 * tables are take turns, block by block; and another switch is asked for that when none of them has
 * a block left to ask for. So many switches answer at once, and a fabric of long tables does not
 * have all of them begun.
 */
#include "public.h"

#include <errno.h>
#include <stdlib.h>
#include <endian.h>

#include <madring/address.h>
#include <madring/names.h>
#include <madring/prepare.h>

#include "sized/sized.h"
#include "forwarding_table.h"
#include "run_batch.h"

/* A switch that is asked. */
struct asked {
	struct asked *next, **link; /* of all, or of those with blocks to ask for */
	struct madring_table *table;
	uint32_t next_request; /* of table_request_count() */
	uint32_t in_flight;
};

struct madring_reading {
	struct madring_batch *requests;
	const struct madring_fabric *fabric;
	struct madring_ask_tables_config config;
	size_t next_node; /* the place of the one that is asked next */
	/*
	 * The switches with blocks to ask for, in the order of their turns; and all others that
	 * were asked.
	 */
	struct asked *ready, **ready_end;
	struct asked *waiting, **waiting_end;
};

/* Appends a switch to a list that ends at *@end. */
static void append(struct asked ***end, struct asked *asked)
{
	asked->next = NULL;
	asked->link = *end;
	**end = asked;
	*end = &asked->next;
}

/* Takes a switch out of the list that it is in. */
static void take_out(struct madring_reading *reading, struct asked *asked)
{
	*asked->link = asked->next;
	if (asked->next)
		asked->next->link = asked->link;
	if (reading->ready_end == &asked->next)
		reading->ready_end = asked->link;
	if (reading->waiting_end == &asked->next)
		reading->waiting_end = asked->link;
}

/* Returns the next switch to be asked, or NULL after the last one. */
static const struct madring_node *next_switch(struct madring_reading *reading)
{
	const struct madring_ask_tables_config *config = &reading->config;
	const struct madring_node *node;

	if (config->nodes)
		return reading->next_node < config->node_count ? config->nodes[reading->next_node++]
							       : NULL;
	do
		node = madring_fabric_node(reading->fabric, reading->next_node++);
	while (node && node->type != MADRING_NODE_SWITCH);
	return node;
}

/* Writes a request for an attribute of a switch. */
static int write_request(const struct madring_reading *reading, const struct madring_node *node,
			 struct madring_mad *mad, uint16_t attr_id, uint32_t attr_mod)
{
	const struct madring_node_port *port = madring_node_end_port(node);
	uint64_t m_key = node->m_key ? node->m_key : reading->config.m_key;
	int error = 0;

	if (reading->config.directed || !port || !port->lid)
		error = madring_smp_dr_prepare(mad, node->path, node->hops, MADRING_GET, attr_id,
					       attr_mod);
	else
		madring_smp_prepare(mad, port->lid, MADRING_GET, attr_id, attr_mod);
	if (!error)
		madring_smp_set_mkey(mad, m_key);
	return error;
}

/* Asks the switch whose turn it is for its next block. */
static int ask_block(struct madring_reading *reading, struct madring_mad *mad,
		     struct madring_send_options *send)
{
	struct asked *asked = reading->ready;
	struct madring_table *table = asked->table;
	uint32_t request = asked->next_request++;

	asked->in_flight++;
	send->user = asked;
	take_out(reading, asked);
	append(asked->next_request < table_request_count(table) ? &reading->ready_end
								: &reading->waiting_end,
	       asked);
	return write_request(reading, madring_table_node(table), mad, table_attribute(table),
			     table_modifier(table, request));
}

/* Asks a switch how long its table is. */
static int ask_switch(struct madring_reading *reading, const struct madring_node *node,
		      struct madring_mad *mad, struct madring_send_options *send)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return -ENOMEM;
	asked->table = table_new(node, reading->config.kind, -ECANCELED);
	if (!asked->table) {
		free(asked);
		return -ENOMEM;
	}
	asked->in_flight = 1;
	send->user = asked;
	append(&reading->waiting_end, asked);
	return write_request(reading, node, mad, MADRING_ATTR_SWITCH_INFO, 0);
}

static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct madring_reading *reading = user;
	const struct madring_node *node;
	int error;

	(void)batch;
	send->timeout_ms = reading->config.timeout_ms;
	send->retries = reading->config.retries;
	if (reading->ready) {
		error = ask_block(reading, mad, send);
	} else {
		node = next_switch(reading);
		if (!node)
			return 0;
		error = ask_switch(reading, node, mad, send);
	}
	return error ? error : 1;
}

/* Hands a table to the program. The switch is in no list any more. */
static void hand_out(struct madring_reading *reading, struct asked *asked)
{
	struct madring_table *table = asked->table;

	free(asked);
	reading->config.done(reading->config.user, table);
}

/*
 * Returns 0, or why a completion has no attribute. A reply has all bytes of an SMP: madring drops a
 * shorter one.
 */
static int check_reply(const struct madring_completion *completion)
{
	if (completion->status)
		return completion->status;
	return madring_mad_status(completion->mad) ? -EREMOTEIO : 0;
}

static void take_switch_info(struct madring_reading *reading, struct asked *asked,
			     const void *attribute, int error)
{
	if (error)
		table_set_error(asked->table, error);
	else
		table_set_size(asked->table, attribute);
	if (!table_request_count(asked->table))
		return;
	take_out(reading, asked);
	append(&reading->ready_end, asked);
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct madring_reading *reading = user;
	struct asked *asked = completion->user;
	const struct madring_mad_hdr *request = madring_mad_const_header(completion->request);
	int error = check_reply(completion);
	const void *attribute = NULL;

	if (!error)
		attribute =
			(const uint8_t *)madring_mad_const_data(completion->mad) + MADRING_SMP_DATA;
	asked->in_flight--;
	if (be16toh(request->attr_id) == MADRING_ATTR_SWITCH_INFO)
		take_switch_info(reading, asked, attribute, error);
	else
		table_take_block(asked->table, be32toh(request->attr_mod), attribute, error);
	if (asked->in_flight || asked->next_request < table_request_count(asked->table))
		return;
	take_out(reading, asked);
	hand_out(reading, asked);
}

static void hand_out_all(struct madring_reading *reading, struct asked **list, struct asked ***end)
{
	struct asked *asked = *list;

	*list = NULL;
	*end = list;
	while (asked) {
		struct asked *next = asked->next;

		hand_out(reading, asked);
		asked = next;
	}
}

/*
 * Hands out what is left once the batch was stopped. Without memory, the program gets no table of a
 * switch that was not asked.
 */
static void finish_rest(struct madring_reading *reading)
{
	const struct madring_node *node;

	hand_out_all(reading, &reading->ready, &reading->ready_end);
	hand_out_all(reading, &reading->waiting, &reading->waiting_end);
	while ((node = next_switch(reading))) {
		struct madring_table *table = table_new(node, reading->config.kind, -ECANCELED);

		if (table)
			reading->config.done(reading->config.user, table);
	}
}

static int watch(void *user, struct madring_batch *batch)
{
	struct madring_batch_state state;

	madring_batch_get_state(batch, &state);
	if ((state.canceled || state.deadline_reached || state.error) && !state.in_flight)
		finish_rest(user);
	return MADRING_FOREVER;
}

static bool config_is_valid(const struct madring_ask_tables_config *config)
{
	if (config->kind != MADRING_TABLE_LINEAR && config->kind != MADRING_TABLE_MULTICAST)
		return false;
	if (!config->done || (!config->nodes && config->node_count))
		return false;
	for (size_t i = 0; config->nodes && i < config->node_count; i++)
		if (!config->nodes[i] || config->nodes[i]->type != MADRING_NODE_SWITCH)
			return false;
	return true;
}

static struct madring_reading *new_reading(const struct madring_fabric *fabric,
					   const struct madring_ask_tables_config *config)
{
	struct madring_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->fabric = fabric;
	reading->config = *config;
	reading->ready_end = &reading->ready;
	reading->waiting_end = &reading->waiting;
	return reading;
}

int madring_ask_tables_start_sized(struct madring_subnet *subnet,
				   const struct madring_fabric *fabric,
				   const struct madring_ask_tables_config *theirs,
				   size_t their_size, struct madring_reading **reading)
{
	struct madring_ask_tables_config config;
	struct madring_batch_config batch = { .next = next_request,
					      .done = take_outcome,
					      .watch = watch };
	struct madring_reading *started;
	struct madring_agent *agent;
	int error = sized_take(&config, sizeof(config), theirs, their_size);

	if (error)
		return error;
	if (!config_is_valid(&config))
		return -EINVAL;
	error = madring_subnet_agent(subnet, MADRING_CLASS_SMP, &agent);
	if (error)
		return error;
	started = new_reading(fabric, &config);
	if (!started)
		return -ENOMEM;
	batch.user = started;
	batch.most = config.most;
	batch.deadline_ms = config.deadline_ms;
	error = madring_batch_start(agent, &batch, &started->requests);
	if (error) {
		free(started);
		return error;
	}
	*reading = started;
	return 0;
}

struct madring_batch *madring_ask_tables_requests(const struct madring_reading *reading)
{
	return reading->requests;
}

static void drop_list(struct asked *first)
{
	while (first) {
		struct asked *next = first->next;

		madring_table_free(first->table);
		free(first);
		first = next;
	}
}

int madring_ask_tables_end(struct madring_reading *reading)
{
	int error;

	if (!reading)
		return 0;
	error = madring_batch_end(reading->requests);
	if (error)
		return error;
	drop_list(reading->ready);
	drop_list(reading->waiting);
	free(reading);
	return 0;
}

int madring_ask_tables_sized(struct madring_subnet *subnet, const struct madring_fabric *fabric,
			     const struct madring_ask_tables_config *config, size_t config_size)
{
	struct madring_reading *reading;
	int error = madring_ask_tables_start_sized(subnet, fabric, config, config_size, &reading);
	int again;

	if (error)
		return error;
	error = run_batch(reading->requests);
	again = madring_ask_tables_end(reading);
	return error ? error : again;
}
