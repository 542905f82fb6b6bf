/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes ports with their lanes. */
#include "api/events.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>

#include "device/lane_adopt.h"

int port_lane_take(const struct madring *ring)
{
	if (!~ring->lanes)
		return -ENOSPC;
	return __builtin_ctzll(~ring->lanes);
}

void port_lane_add(struct madring_port *port, unsigned int lane, int fd)
{
	port->ring->lanes |= UINT64_C(1) << lane;
	port->lanes[port->lane_count].lane = lane;
	port->lanes[port->lane_count].fd = fd;
	port->lane_count++;
}

static int lane_open(struct madring_port *port)
{
	struct madring *ring = port->ring;
	int lane = port_lane_take(ring);
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
		engine_lane_lost(ring->engine, (unsigned int)lane);
		device_lane_close(fd);
		return error;
	}
	port_lane_add(port, (unsigned int)lane, fd);
	return 0;
}

static void lanes_close(struct madring_port *port)
{
	struct madring *ring = port->ring;

	for (unsigned int i = 0; i < port->lane_count; i++) {
		driver_lane_close(ring->driver, port->lanes[i].lane);
		if (!port->is_adopted)
			device_lane_close(port->lanes[i].fd);
		else if (!driver_is_inherited(ring->driver))
			device_lane_release(port->lanes[i].fd, port->adopted);
		ring->lanes &= ~(UINT64_C(1) << port->lanes[i].lane);
	}
}

void port_forget(struct madring_port *port)
{
	if (port->is_adopted)
		adopted_release(port);
	lanes_close(port);
	device_port_forget(&port->device);
	free(port);
}

void port_link(struct madring_port *port)
{
	port->next = port->ring->ports;
	port->ring->ports = port;
}

/* Returns three eighths of the ring's free lanes, which leaves some for other ports. */
static uint32_t default_lanes(const struct madring *ring)
{
	uint32_t left = MADRING_MAX_LANES - (uint32_t)__builtin_popcountll(ring->lanes);

	return left > 2 ? left * 3 / 8 : 1;
}

/* With no more requests in flight than FEW_REQUESTS, there is a lane for so many of them. */
#define REQUESTS_OF_A_LANE 2u
#define FEW_REQUESTS	   32u

static uint32_t choose_lanes(const struct madring *ring, const struct madring_port_config *config)
{
	if (config && config->lanes)
		return config->lanes;
	if (ring->config.lanes)
		return ring->config.lanes;
	if (config && config->in_flight && config->in_flight <= FEW_REQUESTS)
		return (config->in_flight + 1) / REQUESTS_OF_A_LANE;
	return default_lanes(ring);
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

API int madring_port_open_sized(struct madring *ring, const char *ca_name, int portnum,
				const struct madring_port_config *config, size_t config_size,
				struct madring_port **out)
{
	struct madring_port_config filled;
	struct madring_port *port;
	uint32_t lanes;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error && ring_is_foreign(ring))
		error = -EREMOTE;
	if (error)
		return error;
	lanes = choose_lanes(ring, &filled);
	if (lanes > MADRING_MAX_LANES)
		return -EINVAL;
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	port->ring = ring;
	error = device_port_find(ca_name, portnum, &port->device);
	if (!error)
		error = lanes_open(port, lanes);
	if (!error)
		error = capture_add_lanes(port);
	event_port_opened(ca_name, portnum, port, error);
	if (error < 0) {
		port_forget(port);
		return error;
	}
	port_link(port);
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

static struct madring_agent *find_port_agent(const struct madring_port *port, uint32_t number)
{
	struct madring_agent *agent = port->ring->agents[number];

	return agent && agent->port == port && agent != port->others ? agent : NULL;
}

void port_close(struct madring_port *port)
{
	struct madring *ring = port->ring;

	event_port_closes(port);
	port->is_closing = true;
	/* All agents before any is closed: they still sort the MADs of an adopted file. */
	for (uint32_t i = 0; i < ring->config.agents; i++)
		if (find_port_agent(port, i))
			engine_agent_cancel(ring->engine, i);
	if (port->is_adopted)
		adopted_release(port);
	for (uint32_t i = 0; i < ring->config.agents; i++)
		if (find_port_agent(port, i))
			agent_close(find_port_agent(port, i));
	port_unlink(port);
	port_forget(port);
}

API int madring_port_close(struct madring_port *port)
{
	int error = port ? ring_try(port->ring) : 0;

	if (error || !port)
		return error;
	if (port->is_closing)
		return -EBUSY;
	port_close(port);
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
