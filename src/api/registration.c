/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent's registrations with the kernel, on the lanes of its port. */
#include "api/handles.h"

#include <errno.h>

#include "device/lane_adopt.h"
#include "device/flags.h"

/* The maximum number of additional registrations on a lane. A umad file has room for 32 agents. */
#define MOST_MORE 12u

static bool has_methods(const struct device_agent *device)
{
	return device->method_mask[0] || device->method_mask[1];
}

/*
 * Returns the lane for an agent with methods. The kernel allows one agent for each class and
 * method, so it is registered on one lane only, and such agents are spread over the lanes.
 */
static unsigned int lane_with_fewest_repliers(const struct madring_port *port)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < port->lane_count; i++)
		if (port->lanes[i].repliers < port->lanes[best].repliers)
			best = i;
	return best;
}

/* Returns why the kernel refuses an agent. The kernel returns EINVAL for every reason. */
static int why_refused(int fd, const struct device_agent *device, uint32_t *flags_supported)
{
	struct device_agent client = *device;
	uint32_t flags = device->flags ? device_flags(fd) : 0;
	uint32_t id;

	if (device->flags & ~flags) {
		if (flags_supported)
			*flags_supported = flags;
		return -ENOPROTOOPT;
	}
	if (!has_methods(device))
		return -EINVAL;
	client.method_mask[0] = 0;
	client.method_mask[1] = 0;
	if (device_agent_register(fd, &client, &id) < 0)
		return -EINVAL;
	device_agent_unregister(fd, id);
	return -EADDRINUSE;
}

static int register_on_lane(struct madring_agent *agent, unsigned int lane,
			    const struct device_agent *device, uint32_t *flags_supported)
{
	int fd = agent->port->lanes[lane].fd;
	struct registration *registration = &agent->registration[agent->registrations];
	int error = device_agent_register(fd, device, &registration->id);

	if (error == -EINVAL)
		return why_refused(fd, device, flags_supported);
	if (error < 0)
		return error;
	registration->lane = lane;
	registration->is_further = false;
	agent->registrations++;
	agent->port->lanes[lane].repliers += has_methods(device);
	return 0;
}

/*
 * Returns how many registrations an agent needs so that all requests of a pinned window are on
 * the wire at once. Other windows follow what the fabric carries.
 */
static unsigned int registrations_wanted(const struct madring_agent *agent,
					 const struct madring_agent_config *config)
{
	uint32_t window = agent_window(config);
	uint32_t wanted;

	if (!config->pin_window || !agent->kernel_limit)
		return 0;
	if (window > agent->ring->config.transactions)
		window = agent->ring->config.transactions;
	wanted = (window + agent->kernel_limit - 1) / agent->kernel_limit;
	return wanted < ENGINE_MOST_REGISTRATIONS ? wanted : ENGINE_MOST_REGISTRATIONS;
}

/*
 * Registers an agent once more on a lane that it has. Returns false if the lane has no place,
 * because a umad file has few, which other agents need, too.
 */
static bool register_once_more(struct madring_agent *agent, unsigned int lane,
			       const struct device_agent *device)
{
	struct port_lane *at = &agent->port->lanes[lane];
	struct registration *registration = &agent->registration[agent->registrations];

	if (at->more == MOST_MORE || device_agent_register(at->fd, device, &registration->id) < 0)
		return false;
	registration->lane = lane;
	registration->is_further = true;
	agent->registrations++;
	at->more++;
	return true;
}

/* Registers an agent on its lanes again until the kernel has room for its pinned window. */
static void register_for_window(struct madring_agent *agent,
				const struct madring_agent_config *config,
				const struct device_agent *device)
{
	unsigned int wanted = registrations_wanted(agent, config);
	unsigned int lanes = agent->registrations;
	struct device_agent client = *device;
	bool has_place = true;

	/* The kernel allows one agent for each method, and the first registration has them. */
	client.method_mask[0] = 0;
	client.method_mask[1] = 0;
	while (has_place && agent->registrations < wanted) {
		has_place = false;
		for (unsigned int i = 0; i < lanes && agent->registrations < wanted; i++)
			has_place |=
				register_once_more(agent, agent->registration[i].lane, &client);
	}
}

static int register_on_lanes(struct madring_agent *agent, const struct device_agent *device,
			     uint32_t *flags_supported)
{
	int error = 0;

	if (has_methods(device))
		return register_on_lane(agent, lane_with_fewest_repliers(agent->port), device,
					flags_supported);
	for (unsigned int lane = 0; !error && lane < agent->port->lane_count; lane++)
		error = register_on_lane(agent, lane, device, flags_supported);
	return error;
}

int agent_register(struct madring_agent *agent, const struct madring_agent_config *config)
{
	const struct device_agent device = {
		.mgmt_class = config->mgmt_class,
		.class_version = config->class_version,
		.oui = config->oui,
		.rmpp_version = config->rmpp ? MADRING_RMPP_VERSION : 0,
		.flags = config->flags | (config->rmpp == MADRING_RMPP_USER ? UMAD_USER_RMPP : 0),
		.method_mask = { config->method_mask[0], config->method_mask[1] },
	};
	int error;

	if (config->flags_supported)
		*config->flags_supported = 0;
	error = register_on_lanes(agent, &device, config->flags_supported);
	if (!error)
		register_for_window(agent, config, &device);
	return error;
}

int agent_adopt(struct madring_agent *agent, uint32_t agent_id)
{
	struct port_lane *lane = &agent->port->lanes[0];
	int error;

	if (engine_has_agent(agent->ring->engine, lane->lane, agent_id))
		return -EALREADY;
	error = device_agent_find(lane->fd, agent_id);
	if (error)
		return error;
	agent->adopted = true;
	agent->registration[0].id = agent_id;
	agent->registrations = 1;
	lane->repliers += agent->receive != NULL;
	return 0;
}

void agent_unregister(struct madring_agent *agent)
{
	while (agent->registrations) {
		const struct registration *last = &agent->registration[--agent->registrations];
		struct port_lane *lane = &agent->port->lanes[last->lane];

		/* A child of fork(2) shares the file with its parent, whose agents must stay. */
		if (!agent->adopted && !driver_is_inherited(agent->ring->driver))
			device_agent_unregister(lane->fd, last->id);
		if (last->is_further)
			lane->more--;
		else
			lane->repliers -= agent->receive != NULL;
	}
}
