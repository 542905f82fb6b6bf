/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: slow-links-ibnetdisc: as tools/examples/slow_links.c, on libibnetdisc and libibmad. It
 * knows no 2x, FDR10 and XDR.
 */
#include <stdbool.h>
#include <stdio.h>
#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>

#define HAS_EXTENDED_SPEEDS (1 << 14) /* CapabilityMask: IsExtendedSpeedsSupported */
#define IN_ORDER	    0xf /* the codes that grow with width and speed: that of 2x does not */

static int slow;

static unsigned int get(ibnd_port_t *port, enum MAD_FIELDS field)
{
	return mad_get_field(port->info, 0, field);
}

/* Returns whether a port has extended speeds. A switch says so in its port 0. */
static bool has_extended(ibnd_port_t *port)
{
	ibnd_port_t *port0 = port->node->type == IB_NODE_SWITCH ? port->node->ports[0] : NULL;

	return get(port0 ? port0 : port, IB_PORT_CAPMASK_F) & HAS_EXTENDED_SPEEDS;
}

static unsigned int active_extended(ibnd_port_t *port)
{
	return has_extended(port) ? get(port, IB_PORT_LINK_SPEED_EXT_ACTIVE_F) : 0;
}

/* Returns the highest bit that both ends of a link have in a mask. */
static unsigned int best(ibnd_port_t *port, enum MAD_FIELDS field)
{
	unsigned int mask = get(port, field) & get(port->remoteport, field) & IN_ORDER;

	while (mask & (mask - 1))
		mask &= mask - 1;
	return mask;
}

static bool is_slow(ibnd_port_t *port)
{
	bool both = has_extended(port) && has_extended(port->remoteport);
	unsigned int extended = active_extended(port);

	if ((get(port, IB_PORT_LINK_WIDTH_ACTIVE_F) & IN_ORDER) <
	    best(port, IB_PORT_LINK_WIDTH_SUPPORTED_F))
		return true;
	if (both && extended < best(port, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F))
		return true;
	return !extended &&
	       get(port, IB_PORT_LINK_SPEED_ACTIVE_F) < best(port, IB_PORT_LINK_SPEED_SUPPORTED_F);
}

static void print_slow(ibnd_port_t *port)
{
	bool is_extended = active_extended(port);
	unsigned int width = get(port, IB_PORT_LINK_WIDTH_ACTIVE_F);
	unsigned int speed =
		is_extended ? active_extended(port) : get(port, IB_PORT_LINK_SPEED_ACTIVE_F);
	char width_text[64], speed_text[64];

	slow++;
	mad_dump_val(IB_PORT_LINK_WIDTH_ACTIVE_F, width_text, sizeof(width_text), &width);
	mad_dump_val(is_extended ? IB_PORT_LINK_SPEED_EXT_ACTIVE_F : IB_PORT_LINK_SPEED_ACTIVE_F,
		     speed_text, sizeof(speed_text), &speed);
	printf("%s port %d - %s port %d: %s %s\n", port->node->nodedesc, port->portnum,
	       port->remoteport->node->nodedesc, port->remoteport->portnum, width_text, speed_text);
}

static void visit(ibnd_node_t *node, void *user)
{
	(void)user;
	for (int p = 1; p <= node->numports; p++) {
		ibnd_port_t *port = node->ports[p];

		/* Each link has two ends, and is told of once. */
		if (port && port->remoteport && port < port->remoteport && is_slow(port))
			print_slow(port);
	}
}

int main(void)
{
	struct ibnd_config config = { 0 };
	ibnd_fabric_t *fabric = ibnd_discover_fabric(NULL, 0, NULL, &config);

	if (!fabric) {
		fprintf(stderr, "slow-links-ibnetdisc: cannot discover the fabric\n");
		return 2;
	}
	ibnd_iter_nodes(fabric, visit, NULL);
	ibnd_destroy_fabric(fabric);
	return slow != 0;
}
