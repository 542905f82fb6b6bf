/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: rates SECONDS: prints each second how many bytes each port has sent and received in it, as
 * CSV: second, node, port, sent, received.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <madring.h>
#include <madring/field.h>
#include <madring/sweep.h>

struct counts {
	unsigned long second; /* of the last reading; 0: none yet */
	uint64_t sent, received;
};

struct job {
	struct counts (*counts)[256]; /* of each node and port */
	unsigned long second;
};

static void on_counters(void *user, const struct madring_completion *c)
{
	struct job *job = user;
	const struct madring_node_port *port = c->user;
	struct counts *last = &job->counts[madring_node_place(port->node)][port->number];
	struct counts now = { .second = job->second };
	const char *error = madring_completion_text(c);

	if (error || madring_mad_get_field(c->mad, "PortXmitData", &now.sent) ||
	    madring_mad_get_field(c->mad, "PortRcvData", &now.received)) {
		fprintf(stderr, "%s port %u: %s\n", port->node->description, port->number,
			error ? error : "the reply has no counters");
		return;
	}
	/* A port that missed a reading has no rate for one second. */
	if (last->second && last->second + 1 == now.second)
		printf("%lu,%s,%u,%llu,%llu\n", now.second - 1, port->node->description,
		       port->number, 4ULL * (now.sent - last->sent),
		       4ULL * (now.received - last->received));
	*last = now;
}

int main(int argc, char **argv)
{
	unsigned long seconds = argc == 2 ? strtoul(argv[1], NULL, 0) : 1;
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	struct job job = { 0 };
	int error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	if (!error)
		job.counts = calloc(madring_fabric_node_count(fabric), sizeof(*job.counts));
	if (!error && !job.counts)
		error = -ENOMEM;
	while (!error && job.second++ <= seconds) {
		error = madring_ask_ports(subnet, fabric, MADRING_CLASS_PMA,
					  MADRING_ATTR_PORT_COUNTERS_EXTENDED, on_counters, &job);
		fflush(stdout);
		if (job.second <= seconds)
			sleep(1);
	}
	if (error)
		fprintf(stderr, "rates: %s\n", madring_error_text(error));
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	free(job.counts);
	return error != 0;
}
