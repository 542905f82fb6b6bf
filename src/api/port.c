/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening and closing a port with its lanes. */
#include "api/events.h"
#include "api/state.h"

#include <errno.h>
#include <stdlib.h>

static int lane_take(struct madring *ring)
{
	if (!~ring->lanes)
		return -ENOSPC;
	return __builtin_ctzll(~ring->lanes);
}

static int lane_open(struct madring_port *port)
{
	struct madring *ring = port->ring;
	int lane = lane_take(ring);
	int fd;
	int error;

	if (lane < 0)
		return lane;
	fd = device_lane_open(&port->device);
	if (fd < 0)
		return fd;
	engine_lane_open(ring->engine, (unsigned int)lane);
	error = driver_lane_open(ring->driver, (unsigned int)lane, fd);
	if (error < 0) {
		device_lane_close(fd);
		return error;
	}
	ring->lanes |= UINT64_C(1) << lane;
	port->lanes[port->lane_count].lane = (unsigned int)lane;
	port->lanes[port->lane_count].fd = fd;
	port->lane_count++;
	return 0;
}

static void lanes_close(struct madring_port *port)
{
	struct madring *ring = port->ring;

	for (unsigned int i = 0; i < port->lane_count; i++) {
		driver_lane_close(ring->driver, port->lanes[i].lane);
		device_lane_close(port->lanes[i].fd);
		ring->lanes &= ~(UINT64_C(1) << port->lanes[i].lane);
	}
}

/* A quarter of those that the ring has left, so that there are some for other ports, too. */
static uint32_t default_lanes(const struct madring *ring)
{
	uint32_t left = MADRING_MAX_LANES - (uint32_t)__builtin_popcountll(ring->lanes);

	return left > 4 ? left / 4 : 1;
}

static int lanes_open(struct madring_port *port, uint32_t count)
{
	while (port->lane_count < count) {
		int error = lane_open(port);

		if (error < 0)
			return error;
	}
	return 0;
}

API int madring_port_open(struct madring *ring, const char *ca_name, int portnum,
			  const struct madring_port_config *config, struct madring_port **out)
{
	uint32_t lanes = config && config->lanes ? config->lanes : ring->config.lanes;
	struct madring_port *port;
	int error;

	if (!lanes)
		lanes = default_lanes(ring);
	if (lanes > MADRING_MAX_LANES || (config && (config->reserved[0] || config->reserved[1])))
		return -EINVAL;
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	port->ring = ring;
	error = device_port_find(ca_name, portnum, &port->device);
	if (!error)
		error = lanes_open(port, lanes);
	if (!error)
		error = capture_port(port);
	event_port_opened(ca_name, portnum, port, error);
	if (error < 0) {
		lanes_close(port);
		device_port_forget(&port->device);
		free(port);
		return error;
	}
	port->next = ring->ports;
	ring->ports = port;
	*out = port;
	return 0;
}

static void port_unlink(struct madring_port *port)
{
	struct madring_port **at = &port->ring->ports;

	while (*at != port)
		at = &(*at)->next;
	*at = port->next;
}

API int madring_port_close(struct madring_port *port)
{
	struct madring *ring;

	if (!port)
		return 0;
	event_port_closes(port);
	ring = port->ring;
	for (uint32_t i = 0; i < ring->config.agents; i++)
		if (ring->agents[i] && ring->agents[i]->port == port)
			madring_agent_close(ring->agents[i]);
	lanes_close(port);
	port_unlink(port);
	device_port_forget(&port->device);
	free(port);
	return 0;
}

API const char *madring_port_ca_name(const struct madring_port *port)
{
	return port->device.ca_name;
}

API int madring_port_number(const struct madring_port *port)
{
	return port->device.portnum;
}
