/* SPDX-License-Identifier: BSD-2-Clause */
#include "lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define TIMEOUT_MS 10000

static void build_request(const struct lanes *lanes, const struct measure *measure, uint32_t slot)
{
	struct ib_user_mad *umad = lanes_request(lanes, slot);
	struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = LANES_MGMT_CLASS,
		.class_version = 1,
		.method = MADRING_GET,
		.tid = htobe64(slot),
		.attr_id = htobe16(LANES_ATTRIBUTE),
	};

	umad->agent_id = (uint32_t)lanes->agent[lanes->lane[slot]];
	umad->timeout_ms = (uint32_t)(measure->timeout_ms ? measure->timeout_ms : TIMEOUT_MS);
	umad->length = MADRING_MAD_BYTES;
	umad->addr.lid = htobe16((uint16_t)(measure->first_lid + slot % LANES_DESTINATIONS));
	umad->addr.qpn = htobe32(1);
	umad->addr.qkey = htobe32(0x80010000);
	memcpy(umad->data, &header, sizeof(header));
}

static void open_one(struct lanes *lanes, uint32_t lane, const struct measure *measure,
		     bool nonblocking)
{
	int port = umad_open_port(NULL, 0);
	int agent, fd;

	if (port < 0)
		measure_fail(measure, "umad port", port);
	agent = umad_register(port, LANES_MGMT_CLASS, 1, 0, NULL);
	if (agent < 0)
		measure_fail(measure, "umad agent", agent);
	fd = umad_get_fd(port);
	if (nonblocking && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK))
		measure_fail(measure, "O_NONBLOCK", errno);
	lanes->port[lane] = port;
	lanes->agent[lane] = agent;
	lanes->fd[lane] = fd;
}

void lanes_open(struct lanes *lanes, const struct measure *measure, bool nonblocking)
{
	if (!measure->lanes)
		measure_fail(measure, "lanes", EINVAL);
	*lanes = (struct lanes){ .count = measure->lanes };
	lanes->requests = calloc(measure->in_flight, LANES_MESSAGE_BYTES);
	if (!lanes->requests)
		measure_fail(measure, "requests", ENOMEM);
	if (umad_init() < 0)
		measure_fail(measure, "umad", ENODEV);
	for (uint32_t lane = 0; lane < lanes->count; lane++)
		open_one(lanes, lane, measure, nonblocking);
	for (uint32_t slot = 0; slot < measure->in_flight; slot++) {
		lanes->lane[slot] = (uint8_t)(slot % measure->lanes);
		build_request(lanes, measure, slot);
	}
}

void lanes_close(struct lanes *lanes)
{
	for (uint32_t lane = 0; lane < lanes->count; lane++) {
		umad_unregister(lanes->port[lane], lanes->agent[lane]);
		umad_close_port(lanes->port[lane]);
	}
	free(lanes->requests);
}
