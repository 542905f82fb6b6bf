/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: slow-links: prints the links below the best width or speed that both ends support. */
#include <stdio.h>
#include <madring.h>
#include <madring/sweep.h>

int main(void)
{
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	const struct madring_node_port *port = NULL;
	int slow = 0, error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	while (!error && (port = madring_fabric_link(fabric, port))) {
		if (!madring_link_is_slow(port))
			continue;
		slow++;
		printf("%s port %u - %s port %u: %s %s\n", port->node->description, port->number,
		       port->peer->node->description, port->peer->number,
		       madring_link_width_text(port->width), madring_link_speed_text(port));
	}
	if (error)
		fprintf(stderr, "slow-links: %s\n", madring_error_text(error));
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error ? 2 : slow != 0;
}
