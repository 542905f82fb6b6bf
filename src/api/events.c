/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/events.h"
#include "base/debug.h"

#include <inttypes.h>
#include <string.h>

void event_ring_opened(const struct madring *ring, int error)
{
	struct madring_stats stats;

	if (!debug_is(DEBUG_EVENTS))
		return;
	/* libibumad does not know the level that the environment sets. */
	if (debug_is(DEBUG_MADS))
		device_debug(1);
	if (error) {
		debug_say("no ring: %s", madring_error_text(error));
		return;
	}
	madring_get_stats(ring, &stats);
	debug_say("a ring of %u transactions, %" PRIu64 " bytes pinned and %" PRIu64 " not",
		  ring->config.transactions, stats.pool_pinned_bytes, stats.pool_unpinned_bytes);
}

void event_ring_closes(const struct madring *ring)
{
	struct madring_stats stats;

	if (!debug_is(DEBUG_EVENTS))
		return;
	madring_get_stats(ring, &stats);
	debug_say("a ring closes: %" PRIu64 " MADs sent, %" PRIu64 " received, %" PRIu64
		  " transactions, %" PRIu64 " of them outstanding",
		  stats.sent, stats.received, stats.accepted, stats.accepted - stats.completed);
}

void event_port_opened(const char *ca_name, int portnum, const struct madring_port *port, int error)
{
	if (!debug_is(DEBUG_EVENTS))
		return;
	if (error)
		debug_say("no port %s:%d: %s", ca_name ? ca_name : "(any)", portnum,
			  madring_error_text(error));
	else
		debug_say("port %s:%d, %u lanes from %u on", port->device.ca_name,
			  port->device.portnum, port->lane_count, port->lanes[0].lane);
}

void event_port_closes(const struct madring_port *port)
{
	if (debug_is(DEBUG_EVENTS))
		debug_say("port %s:%d closes", port->device.ca_name, port->device.portnum);
}

void event_agent_opened(const struct madring_port *port, const struct madring_agent_config *config,
			int error)
{
	if (debug_is(DEBUG_EVENTS))
		debug_say("port %s:%d: an agent of class 0x%02x, version %u: %s",
			  port->device.ca_name, port->device.portnum, config->mgmt_class,
			  config->class_version, error ? madring_error_text(error) : "registered");
}

void event_agent_closes(const struct madring_agent *agent)
{
	if (debug_is(DEBUG_EVENTS))
		debug_say("port %s:%d: the agent of class 0x%02x, version %u, closes",
			  agent->port->device.ca_name, agent->port->device.portnum,
			  agent->mgmt_class, agent->class_version);
}

void event_capture_opened(const char *path, int error)
{
	if (debug_is(DEBUG_EVENTS))
		debug_say("a capture to %s: %s", path, error ? strerror(-error) : "open");
}

API int madring_debug(int level)
{
	if (level >= 0) {
		debug_set_level(level);
		device_debug(level >= DEBUG_MADS);
	}
	return debug_level();
}
