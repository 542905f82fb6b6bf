/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: nodes: prints the GUID, type, LID, hops and description of each node. */
#include <stdio.h>
#include <madring.h>
#include <madring/sweep.h>

int main(void)
{
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	const struct madring_node *node;
	int error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	for (size_t i = 0; !error && (node = madring_fabric_node(fabric, i)); i++) {
		const struct madring_node_port *port = madring_node_end_port(node);

		printf("%016llx %s %u %u %s\n", (unsigned long long)node->guid,
		       madring_node_type_text(node->type), port ? port->lid : 0, node->hops,
		       node->description);
	}
	if (error)
		fprintf(stderr, "nodes: %s\n", madring_error_text(error));
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error != 0;
}
