/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks each port of a fabric for an attribute, by a batch. */
#include "public.h"

#include <errno.h>
#include <madring/address.h>
#include <madring/names.h>
#include <madring/prepare.h>

#define PORT_SELECT 1 /* the byte of PortSelect in each attribute of a port (IBA 16.1.3) */

struct questions {
	const struct madring_fabric *fabric;
	const struct madring_node_port *next; /* the port to be asked; NULL: all were */
	uint16_t pkey_index;
	uint8_t mgmt_class;
	uint16_t attr_id;
	madring_batch_done done;
	void *user;
};

/* Goes on to the next port that has a LID. */
static void go_on(struct questions *questions)
{
	do
		questions->next = madring_fabric_port(questions->fabric, questions->next);
	while (questions->next && !questions->next->lid);
}

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	struct questions *questions = user;
	const struct madring_node_port *port = questions->next;

	(void)batch;
	if (!port)
		return 0;
	go_on(questions);
	send->user = (void *)port;
	if (questions->mgmt_class == MADRING_CLASS_SMP) {
		madring_smp_prepare(mad, port->lid, MADRING_GET, questions->attr_id, port->number);
		return 1;
	}
	madring_gmp_prepare(mad, port->lid, MADRING_GET, questions->attr_id, 0);
	madring_mad_set_pkey_index(mad, questions->pkey_index);
	((uint8_t *)madring_mad_data(mad))[MADRING_PMA_DATA + PORT_SELECT] = port->number;
	return 1;
}

static void done(void *user, const struct madring_completion *completion)
{
	struct questions *questions = user;

	questions->done(questions->user, completion);
}

int madring_ask_ports(struct madring_subnet *subnet, const struct madring_fabric *fabric,
		      uint8_t mgmt_class, uint16_t attr_id, madring_batch_done callback, void *user)
{
	struct questions questions = {
		.fabric = fabric,
		.pkey_index = madring_subnet_pkey_index(subnet),
		.mgmt_class = mgmt_class,
		.attr_id = attr_id,
		.done = callback,
		.user = user,
	};
	const struct madring_batch_config config = {
		.next = next,
		.done = done,
		.user = &questions,
	};
	struct madring_agent *agent;
	int error;

	if (mgmt_class != MADRING_CLASS_PMA && mgmt_class != MADRING_CLASS_SMP)
		return -EINVAL;
	error = madring_subnet_agent(subnet, mgmt_class, &agent);
	if (error)
		return error;
	go_on(&questions);
	return madring_batch_call(agent, &config);
}
