/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes captures. The tap passes MADs to the interface of their lane's port. */
#include "api/events.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t real_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the attributes of a port; if they cannot be read, only its name and number. */
static struct madring_ca_port *read_attributes(const struct device_port *device)
{
	struct madring_ca_port *port;

	if (!madring_ca_port_get(device->ca_name, device->portnum, &port))
		return port;
	port = calloc(1, sizeof(*port));
	if (!port)
		return NULL;
	memcpy(port->ca_name, device->ca_name, sizeof(device->ca_name));
	port->number = (unsigned int)device->portnum;
	return port;
}

int capture_add_lanes(struct madring_port *port)
{
	struct madring *ring = port->ring;
	struct madring_ca_port *attributes;
	int interface;

	if (!ring->capture)
		return 0;
	attributes = read_attributes(&port->device);
	if (!attributes)
		return -ENOMEM;
	interface = capture_add_port(ring->capture, attributes);
	if (interface < 0) {
		madring_ca_port_release(attributes);
		return interface;
	}
	for (unsigned int i = 0; i < port->lane_count; i++)
		ring->interface[port->lanes[i].lane] = interface;
	return 0;
}

static int capture_ports(struct madring *ring)
{
	int error = 0;

	for (struct madring_port *port = ring->ports; port && !error; port = port->next)
		error = capture_add_lanes(port);
	return error;
}

API int madring_capture_open_sized(struct madring *ring, const char *path,
				   const struct madring_capture_config *config, size_t config_size)
{
	struct madring_capture_config filled;
	int error = sized_take(&filled, sizeof(filled), config, config_size);

	if (!error && ring_is_foreign(ring))
		error = -EREMOTE;
	if (error)
		return error;
	if (ring->capture)
		return -EALREADY;
	error = capture_open(&ring->capture, path, &filled, real_time_ns() - driver_clock());
	event_capture_opened(path, error);
	if (error)
		return error;
	for (unsigned int lane = 0; lane < MADRING_MAX_LANES; lane++)
		ring->interface[lane] = -1;
	error = capture_ports(ring);
	if (error) {
		madring_capture_close(ring);
		return error;
	}
	tap_update(ring);
	return 0;
}

API int madring_capture_close(struct madring *ring)
{
	struct capture *capture = ring->capture;

	if (ring_is_foreign(ring))
		return -EREMOTE;
	if (!capture)
		return -ENOENT;
	ring->capture = NULL;
	tap_update(ring);
	if (!driver_is_inherited(ring->driver))
		return capture_close(capture);
	capture_discard(capture);
	return -EREMOTE;
}

API int madring_capture_get_state_sized(const struct madring *ring,
					struct madring_capture_state *state, size_t state_size)
{
	struct madring_capture_state own;

	if (!ring->capture)
		return -ENOENT;
	capture_state(ring->capture, &own);
	sized_give(state, state_size, &own, sizeof(own));
	return 0;
}
