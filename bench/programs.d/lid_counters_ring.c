/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: lid-counters-ring LID:PORT...: as tools/examples/lid_counters.c, on libmadring's ring
 * alone: without batches, names and field tables.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

/* IBA 16.1.4.11, PortCountersExtended: offsets in the data of a PerfMgt MAD. */
#define PORT_COUNTERS_EXTENDED 0x001d
#define PERF_DATA	       64
#define PORT_SELECT	       (PERF_DATA + 1)
#define PORT_XMIT_DATA	       (PERF_DATA + 8)
#define PORT_RCV_DATA	       (PERF_DATA + 16)

static uint64_t get_be64(const struct madring_mad *mad, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const uint8_t *)madring_mad_data(mad) + offset, sizeof(value));
	return be64toh(value);
}

static void print_counters(const struct madring_completion *c)
{
	const char *name = c->user;

	if (c->status)
		fprintf(stderr, "%s: %s\n", name, madring_error_text(c->status));
	else if (madring_mad_status(c->mad))
		fprintf(stderr, "%s: status 0x%04x\n", name, madring_mad_status(c->mad));
	else
		printf("%s,%" PRIu64 ",%" PRIu64 "\n", name, 4 * get_be64(c->mad, PORT_XMIT_DATA),
		       4 * get_be64(c->mad, PORT_RCV_DATA));
}

/* Sends one request. Returns -EAGAIN when there is no buffer, or no transaction, for it. */
static int ask(struct madring *ring, struct madring_agent *pma, char *name)
{
	struct madring_send_options send = { .callback = print_counters, .user = name };
	struct madring_mad *mad;
	char *rest;
	uint16_t lid = (uint16_t)strtoul(name, &rest, 0);
	int error;

	if (*rest != ':')
		return -EDESTADDRREQ;
	mad = madring_mad_alloc(pma);
	if (!mad)
		return -EAGAIN;
	madring_gmp_prepare(mad, lid, MADRING_GET, PORT_COUNTERS_EXTENDED, 0);
	((uint8_t *)madring_mad_data(mad))[PORT_SELECT] = (uint8_t)strtoul(rest + 1, NULL, 0);
	error = madring_send(pma, mad, &send);
	if (error)
		madring_mad_free(ring, mad);
	return error;
}

/* Asks all ports, as many at once as there are buffers for. */
static int ask_all(struct madring *ring, struct madring_agent *pma, char **names)
{
	int error = 0;

	while (!error && (*names || madring_outstanding(ring))) {
		while (*names && !(error = ask(ring, pma, *names)))
			names++;
		if (!error || error == -EAGAIN)
			error = madring_run(ring, -1);
		if (error > 0)
			error = 0;
	}
	return error;
}

int main(int argc, char **argv)
{
	struct madring_agent_config config = { .mgmt_class = MADRING_CLASS_PMA,
					       .class_version = 1 };
	struct madring *ring = NULL;
	struct madring_port *port;
	struct madring_agent *pma;
	int error = argc > 1 ? madring_open(&ring, NULL) : -EDESTADDRREQ;

	if (!error)
		error = madring_port_open(ring, NULL, 0, NULL, &port);
	if (!error)
		error = madring_agent_open(port, &config, &pma);
	if (!error)
		error = ask_all(ring, pma, argv + 1);
	madring_close(ring);
	if (error)
		fprintf(stderr, "lid-counters-ring: %s\n", madring_error_text(error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
