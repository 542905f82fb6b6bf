/* SPDX-License-Identifier: BSD-2-Clause */
/* A client with one MAD at a time by libibmad's mad_rpc(), as the diagnostic tools do it. */
#include "lanes.h"

#include <infiniband/mad.h>

#define TIMEOUT_MS 10000
/* A call makes write, poll and read when its reply comes. */
#define SYSCALLS 3

int main(int argc, char **argv)
{
	uint8_t reply[MADRING_MAD_BYTES];
	int mgmt_class = LANES_MGMT_CLASS;
	struct ibmad_port *port;
	struct measure measure;
	uint32_t sent = 0;

	measure_options(&measure, "mad_rpc", argc, argv);
	measure.in_flight = 1;
	measure.lanes = 1;
	port = mad_rpc_open_port(NULL, 0, &mgmt_class, 1);
	if (!port)
		measure_fail(&measure, "mad_rpc_open_port", errno);
	do {
		ib_portid_t destination = {
			.lid = measure.first_lid + (int)(sent++ % LANES_DESTINATIONS),
			.qp = 1,
			.qkey = IB_DEFAULT_QP1_QKEY,
		};
		ib_rpc_t rpc = {
			.mgtclass = LANES_MGMT_CLASS,
			.method = IB_MAD_METHOD_GET,
			.attr.id = LANES_ATTRIBUTE,
			.timeout = TIMEOUT_MS,
			.datasz = IB_PC_DATA_SZ,
			.dataoffs = IB_PC_DATA_OFFS,
		};

		if (!mad_rpc(port, &rpc, &destination, NULL, reply))
			measure_fail(&measure, "mad_rpc", errno);
		latency_turn(&measure.latency, 0);
		measure.syscalls += SYSCALLS;
	} while (measure_replies(&measure, 1));
	mad_rpc_close_port(port);
	return measure_report(&measure);
}
