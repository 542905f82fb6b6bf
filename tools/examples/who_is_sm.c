/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: who-is-sm: prints the port that the local port knows as the master subnet manager, and all
 * other ports where a subnet manager runs. The exit status is 1 when there is no master.
 */
#include <stdio.h>
#include <madring.h>
#include <madring/sa.h>
#include <madring/sweep.h>

#define IS_SM 0x2u /* PortInfo.CapabilityMask (IBA 14.2.5.6) */

int main(void)
{
	struct madring_subnet *subnet = NULL;
	struct madring_fabric *fabric = NULL;
	const struct madring_node_port *port = NULL;
	struct madring_sa_state state = { 0 };
	struct madring_sa *sa = NULL;
	int masters = 0, error = madring_subnet_open(NULL, &subnet);

	if (!error)
		error = madring_sa_open(subnet, NULL, &sa);
	if (!error)
		error = madring_sweep(subnet, NULL, &fabric);
	if (!error)
		madring_sa_get_state(sa, &state);
	while (!error && (port = madring_fabric_port(fabric, port))) {
		/* The other ports of a switch have its LID, too. */
		bool is_end = port->node->type != MADRING_NODE_SWITCH || !port->number;
		bool is_master = is_end && port->lid && port->lid == state.sm_lid;

		masters += is_master;
		if (is_master || (is_end && port->capability_mask & IS_SM))
			printf("%s lid %u %s port %u\n", is_master ? "master" : "other", port->lid,
			       port->node->description, port->number);
	}
	if (error)
		fprintf(stderr, "who-is-sm: %s\n", madring_error_text(error));
	madring_sa_close(sa);
	madring_subnet_close(subnet);
	madring_fabric_free(fabric);
	return error ? 2 : masters == 0;
}
