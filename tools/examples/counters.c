/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: counters: prints the bytes that each port of the fabric has sent and received, as CSV. */
#include <stdio.h>
#include <madring.h>
#include <madring/field.h>
#include <madring/sweep.h>

static void print_counters(void *failed, const struct madring_completion *c)
{
	const struct madring_node_port *port = c->user;
	const char *name = port->node->description, *error = madring_completion_text(c);
	uint64_t sent = 0, received = 0;

	if (!error && (madring_mad_get_field(c->mad, "PortXmitData", &sent) ||
		       madring_mad_get_field(c->mad, "PortRcvData", &received)))
		error = "the reply has no counters";
	if (error)
		*(int *)failed = fprintf(stderr, "%s port %u: %s\n", name, port->number, error);
	else
		printf("%s,%u,%llu,%llu\n", name, port->number, 4ULL * sent, 4ULL * received);
}

int main(void)
{
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	int failed = 0, error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	if (!error)
		error = madring_ask_ports(subnet, fabric, MADRING_CLASS_PMA,
					  MADRING_ATTR_PORT_COUNTERS_EXTENDED, print_counters,
					  &failed);
	if (error)
		fprintf(stderr, "counters: %s\n", madring_error_text(error));
	else if (!madring_fabric_is_complete(fabric))
		failed = fprintf(stderr, "counters: a part of the fabric did not answer\n");
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error || failed;
}
