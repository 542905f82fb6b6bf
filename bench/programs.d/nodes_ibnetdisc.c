/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: nodes-ibnetdisc: as tools/examples/nodes.c, on libibnetdisc. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <infiniband/ibnetdisc.h>

static int find_lid(const ibnd_node_t *node)
{
	if (node->type == IB_NODE_SWITCH)
		return node->smalid;
	for (int p = 1; p <= node->numports; p++)
		if (node->ports[p])
			return node->ports[p]->base_lid;
	return 0;
}

static void print_node(ibnd_node_t *node, void *user)
{
	static const char *const types[] = { "unknown", "ca", "switch", "router" };
	bool is_known = node->type >= IB_NODE_CA && node->type <= IB_NODE_ROUTER;

	(void)user;
	printf("%016" PRIx64 " %s %d %d %s\n", node->guid, types[is_known ? node->type : 0],
	       find_lid(node), node->path_portid.drpath.cnt, node->nodedesc);
}

int main(void)
{
	struct ibnd_config config = { 0 };
	ibnd_fabric_t *fabric = ibnd_discover_fabric(NULL, 0, NULL, &config);

	if (!fabric) {
		fprintf(stderr, "nodes-ibnetdisc: cannot discover the fabric\n");
		return 1;
	}
	ibnd_iter_nodes(fabric, print_node, NULL);
	ibnd_destroy_fabric(fabric);
	return 0;
}
