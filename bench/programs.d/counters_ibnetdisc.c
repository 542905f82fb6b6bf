/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: counters-ibnetdisc: as tools/examples/counters.c, on libibnetdisc and libibmad. */
#include <inttypes.h>
#include <stdio.h>
#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>

#define TIMEOUT_MS 1000

static struct ibmad_port *gsi;
static int failed;

static void print_counters(ibnd_node_t *node, ibnd_port_t *port)
{
	int lid = node->type == IB_NODE_SWITCH ? node->smalid : port->base_lid;
	uint8_t reply[1024] = { 0 };
	uint64_t sent, received;
	ib_portid_t to = { 0 };

	ib_portid_set(&to, lid, 0, 0);
	if (!pma_query_via(reply, &to, port->portnum, TIMEOUT_MS, IB_GSI_PORT_COUNTERS_EXT, gsi)) {
		failed =
			fprintf(stderr, "%s port %d: no counters\n", node->nodedesc, port->portnum);
		return;
	}
	mad_decode_field(reply, IB_PC_EXT_XMT_BYTES_F, &sent);
	mad_decode_field(reply, IB_PC_EXT_RCV_BYTES_F, &received);
	printf("%s,%d,%" PRIu64 ",%" PRIu64 "\n", node->nodedesc, port->portnum, 4 * sent,
	       4 * received);
}

static void visit(ibnd_node_t *node, void *user)
{
	(void)user;
	for (int p = node->type == IB_NODE_SWITCH ? 0 : 1; p <= node->numports; p++)
		if (node->ports[p])
			print_counters(node, node->ports[p]);
}

int main(void)
{
	int classes[] = { IB_SMI_CLASS, IB_SMI_DIRECT_CLASS, IB_SA_CLASS, IB_PERFORMANCE_CLASS };
	struct ibnd_config config = { 0 };
	ibnd_fabric_t *fabric = ibnd_discover_fabric(NULL, 0, NULL, &config);

	gsi = mad_rpc_open_port(NULL, 0, classes, 4);
	if (!fabric || !gsi) {
		fprintf(stderr, "counters-ibnetdisc: cannot discover the fabric\n");
		return 1;
	}
	mad_rpc_set_timeout(gsi, TIMEOUT_MS);
	ibnd_iter_nodes(fabric, visit, NULL);
	mad_rpc_close_port(gsi);
	ibnd_destroy_fabric(fabric);
	return failed != 0;
}
