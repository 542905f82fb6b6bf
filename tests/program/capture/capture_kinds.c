/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: capture-kinds FILE
 *
 * Sends a MAD of each kind, with nothing expected in return, and captures them. Runs under
 * madring-sim.
 */
#include <stdio.h>
#include <stdlib.h>

#include <madring.h>

#define OUI 0x001405

static struct madring *ring;
static struct madring_port *port;

static void check(const char *what, int result)
{
	if (result >= 0)
		return;
	fprintf(stderr, "capture-kinds: %s: %s\n", what, madring_error_text(result));
	exit(EXIT_FAILURE);
}

static struct madring_agent *agent_of(uint8_t mgmt_class, uint8_t version)
{
	const struct madring_agent_config config = {
		.mgmt_class = mgmt_class,
		.class_version = version,
		.oui = mgmt_class >= 0x30 && mgmt_class < 0x50 ? OUI : 0,
	};
	struct madring_agent *agent;

	check("an agent", madring_agent_open(port, &config, &agent));
	return agent;
}

/* Sends a MAD and waits until it is written, so that the MADs are captured in this order. */
static void put(struct madring_agent *agent, struct madring_mad *mad)
{
	const struct madring_send_options how = { .no_reply = true };
	struct madring_completion done;

	check("sending", madring_call(agent, mad, &how, &done));
	check("the request", done.status);
	madring_mad_free(ring, done.request);
}

static void send_smps(void)
{
	static const uint8_t path[] = { 0, 1, 2, 3 };
	struct madring_agent *directed = agent_of(0x81, 1), *routed = agent_of(0x01, 1);
	struct madring_mad *mad = madring_mad_alloc(directed);

	madring_smp_dr_prepare(mad, path, 3, MADRING_GET, 0x0010, 0);
	put(directed, mad);
	mad = madring_mad_alloc(directed);
	madring_smp_dr_prepare(mad, path, 3, MADRING_SET, 0x0015, 1);
	madring_smp_dr_from(mad, 5, 4);
	madring_smp_dr_to(mad, 6);
	madring_smp_set_mkey(mad, 0x1122334455667788);
	put(directed, mad);
	mad = madring_mad_alloc(routed);
	madring_smp_prepare(mad, 7, MADRING_GET, 0x0012, 0);
	put(routed, mad);
}

static void send_gmps(void)
{
	struct madring_agent *sa = agent_of(0x03, 2), *perf = agent_of(0x04, 1);
	struct madring_agent *vendor = agent_of(0x32, 1);
	const struct madring_grh grh = { .gid = { 0xfe, 0x80, [15] = 0x55 }, .hop_limit = 64 };
	struct madring_mad *mad = madring_mad_alloc(sa);

	madring_sa_prepare(mad, 8, 3, MADRING_GET_TABLE, 0x0011, 0, 0);
	put(sa, mad);
	mad = madring_mad_alloc(sa);
	madring_sa_prepare(mad, 8, 3, MADRING_GET, 0x0035, 0, 0x30);
	madring_mad_set_grh(mad, &grh);
	put(sa, mad);
	mad = madring_mad_alloc(perf);
	madring_gmp_prepare(mad, 9, MADRING_GET, 0x0012, 0);
	put(perf, mad);
	mad = madring_mad_alloc(vendor);
	madring_gmp_prepare(mad, 10, MADRING_SEND, 0x0020, 0);
	put(vendor, mad);
	mad = madring_mad_alloc_large(perf);
	madring_gmp_prepare(mad, 11, MADRING_GET, 0x001d, 0);
	put(perf, mad);
}

int main(int argc, char *argv[])
{
	const struct madring_config config = {
		.transactions = 64,
		.reads = 64,
		.large_buffers = 4,
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	check("a ring", madring_open(&ring, &config));
	check("a port", madring_port_open(ring, NULL, 0, NULL, &port));
	check("a capture", madring_capture_open(ring, argv[1], NULL));
	send_smps();
	send_gmps();
	check("closing the capture", madring_capture_close(ring));
	madring_close(ring);
	return 0;
}
