/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port over a umad file of the program's. One more agent, which the kernel does not know,
 * receives what the file has for the program's own agents.
 */
#include "api/events.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>

#include "device/lane_adopt.h"

static bool is_valid_config(const struct madring_adopt_config *config)
{
	return config->receive && config->receive_queue <= MADRING_MAX_RECEIVED;
}

static bool has_file(const struct madring *ring, int fd)
{
	for (const struct madring_port *port = ring->ports; port; port = port->next)
		for (unsigned int i = 0; i < port->lane_count; i++)
			if (port->lanes[i].fd == fd)
				return true;
	return false;
}

/*
 * Opens the agent that receives what the file has for the program's own agents. Returns 0, -ENOMEM
 * or -ENOSPC.
 */
static int open_others_agent(struct madring_port *port, unsigned int lane,
			     const struct madring_adopt_config *config)
{
	const struct engine_agent_config engine_config = {
		.others = true,
		.inbox = agent_receive_queue(config->receive_queue),
		.inbox_slack = port->ring->config.reads,
		.lane_count = 1,
		.lane = { { .lane = lane, .agent_id = ENGINE_NOBODY } },
	};
	struct madring_agent *others = calloc(1, sizeof(*others));
	int number;

	if (!others)
		return -ENOMEM;
	number = engine_agent_open(port->ring->engine, &engine_config);
	if (number < 0) {
		free(others);
		return number;
	}
	others->ring = port->ring;
	others->port = port;
	others->number = (unsigned int)number;
	others->receive = config->receive;
	others->receive_user = config->receive_user;
	port->ring->agents[number] = others;
	port->others = others;
	return 0;
}

/* Opens the lane after its agent, because MADs may arrive as soon as the lane is open. */
static int lane_adopt(struct madring_port *port, int fd, const struct madring_adopt_config *config)
{
	struct madring *ring = port->ring;
	int lane = port_lane_take(ring);
	int error;

	if (lane < 0)
		return lane;
	engine_lane_open(ring->engine, (unsigned int)lane);
	error = open_others_agent(port, (unsigned int)lane, config);
	if (!error)
		error = driver_lane_open(ring->driver, (unsigned int)lane, fd);
	if (error < 0) {
		engine_lane_lost(ring->engine, (unsigned int)lane);
		return error;
	}
	port_lane_add(port, (unsigned int)lane, fd);
	return 0;
}

static int port_adopt(struct madring_port *port, int fd, const struct madring_adopt_config *config)
{
	int error = device_port_find(config->ca_name, config->portnum, &port->device);

	if (error)
		return error;
	port->adopted = device_lane_adopt(fd, &port->device);
	if (port->adopted < 0)
		return port->adopted;
	error = lane_adopt(port, fd, config);
	if (!error)
		error = capture_add_lanes(port);
	if (error < 0 && !port->lane_count)
		device_lane_release(fd, port->adopted);
	return error;
}

API int madring_port_adopt_sized(struct madring *ring, int fd,
				 const struct madring_adopt_config *config, size_t config_size,
				 struct madring_port **out)
{
	struct madring_adopt_config filled;
	struct madring_port *port;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error && ring_is_foreign(ring))
		error = -EREMOTE;
	if (error)
		return error;
	if (!is_valid_config(&filled))
		return -EINVAL;
	if (has_file(ring, fd))
		return -EALREADY;
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	port->ring = ring;
	port->is_adopted = true;
	error = port_adopt(port, fd, &filled);
	event_port_opened(filled.ca_name, filled.portnum, port, error);
	if (error < 0) {
		port_forget(port);
		return error;
	}
	port_link(port);
	*out = port;
	return 0;
}
