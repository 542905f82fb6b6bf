/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: hosts-gone-ibnetdisc FILE: as tools/examples/hosts_gone.c, on libibnetdisc. FILE is of
 * ibnetdiscover --cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <infiniband/ibnetdisc.h>

static int gone;

static void look_for(ibnd_node_t *node, void *now)
{
	if (ibnd_find_node_guid(now, node->guid))
		return;
	gone++;
	printf("%016" PRIx64 " %s\n", node->guid, node->nodedesc);
}

int main(int argc, char **argv)
{
	struct ibnd_config config = { 0 };
	ibnd_fabric_t *old = argc == 2 ? ibnd_load_fabric(argv[1], 0) : NULL;
	ibnd_fabric_t *now;

	if (!old) {
		fprintf(stderr, "hosts-gone-ibnetdisc: %s\n",
			argc == 2 ? "cannot load the fabric" : "usage: hosts-gone-ibnetdisc FILE");
		return 2;
	}
	now = ibnd_discover_fabric(NULL, 0, NULL, &config);
	if (now)
		ibnd_iter_nodes_type(old, look_for, IB_NODE_CA, now);
	else
		fprintf(stderr, "hosts-gone-ibnetdisc: cannot discover the fabric\n");
	if (now)
		ibnd_destroy_fabric(now);
	ibnd_destroy_fabric(old);
	return now ? gone != 0 : 2;
}
