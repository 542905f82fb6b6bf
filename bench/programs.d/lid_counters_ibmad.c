/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: lid-counters-ibmad LID:PORT...: as tools/examples/lid_counters.c, on libibmad. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/mad.h>

#define TIMEOUT_MS 1000

static void ask(struct ibmad_port *gsi, const char *name)
{
	uint8_t reply[1024] = { 0 };
	uint64_t sent, received;
	ib_portid_t to = { 0 };
	char *rest;
	int lid = (int)strtoul(name, &rest, 0);

	ib_portid_set(&to, lid, 0, 0);
	if (*rest != ':' ||
	    !pma_query_via(reply, &to, atoi(rest + 1), TIMEOUT_MS, IB_GSI_PORT_COUNTERS_EXT, gsi)) {
		fprintf(stderr, "%s: no counters\n", name);
		return;
	}
	mad_decode_field(reply, IB_PC_EXT_XMT_BYTES_F, &sent);
	mad_decode_field(reply, IB_PC_EXT_RCV_BYTES_F, &received);
	printf("%s,%" PRIu64 ",%" PRIu64 "\n", name, 4 * sent, 4 * received);
}

int main(int argc, char **argv)
{
	int classes[] = { IB_PERFORMANCE_CLASS };
	struct ibmad_port *gsi = argc > 1 ? mad_rpc_open_port(NULL, 0, classes, 1) : NULL;

	if (!gsi) {
		fprintf(stderr, "lid-counters-ibmad: cannot open the port\n");
		return EXIT_FAILURE;
	}
	mad_rpc_set_timeout(gsi, TIMEOUT_MS);
	for (int i = 1; i < argc; i++)
		ask(gsi, argv[i]);
	mad_rpc_close_port(gsi);
	return EXIT_SUCCESS;
}
