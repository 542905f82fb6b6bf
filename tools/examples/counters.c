/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: counters: prints the bytes that each port of the fabric has sent and received, as CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <madring.h>
#include <madring/field.h>
#include <madring/subnet.h>
#include <madring/sweep.h>

static int next(void *user, struct madring_batch *batch, struct madring_mad *mad,
		struct madring_send_options *send)
{
	struct madring_fabric *fabric = user;
	static const struct madring_node_port *last; /* that was asked */
	const struct madring_node_port *port = madring_fabric_port(fabric, last);

	(void)batch;
	if (!port)
		return 0;
	last = port;
	send->user = (void *)port;
	madring_gmp_prepare(mad, madring_node_end_port(port->node)->lid, MADRING_GET,
			    MADRING_PORT_COUNTERS_EXTENDED, 0);
	return madring_mad_set_field(mad, "PortSelect", port->number) ?: 1;
}

static void done(void *user, const struct madring_completion *c)
{
	const struct madring_node_port *port = c->user;
	uint64_t sent, received;

	(void)user;
	if (c->status || madring_mad_status(c->mad) ||
	    madring_mad_get_field(c->mad, "PortXmitData", &sent) ||
	    madring_mad_get_field(c->mad, "PortRcvData", &received))
		fprintf(stderr, "%s port %u: no counters\n", port->node->description, port->number);
	else
		printf("%s,%u,%" PRIu64 ",%" PRIu64 "\n", port->node->description, port->number,
		       4 * sent, 4 * received);
}

int main(void)
{
	struct madring_batch_config config = { .next = next, .done = done };
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	struct madring_agent *pma;
	int error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	if (!error)
		error = madring_subnet_agent(subnet, MADRING_CLASS_PMA, &pma);
	config.user = fabric;
	if (!error)
		error = madring_batch_call(pma, &config);
	if (error)
		fprintf(stderr, "counters: %s\n", madring_strerror(error));
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error ? 1 : 0;
}
