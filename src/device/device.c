/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

/* libibumad says EIO for a port of a given name and number that is not there. */
static int port_error(const char *ca_name, int portnum)
{
	bool found;
	umad_ca_t ca;
	int error;

	memset(&ca, 0, sizeof(ca));
	error = umad_get_ca(ca_name, &ca);
	if (error < 0)
		return error == -ENOENT || error == -ENODEV ? -ENODEV : -EIO;
	found = portnum < UMAD_CA_MAX_PORTS && ca.ports[portnum];
	umad_release_ca(&ca);
	return found ? -EIO : -EINVAL;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	umad_port_t found;
	int error;

	if (portnum < 0 || (ca_name && strlen(ca_name) >= UMAD_CA_NAME_LEN))
		return -EINVAL;
	memset(&found, 0, sizeof(found));
	error = umad_get_port(ca_name, portnum, &found);
	/* Without a name, EIO is from a default device that libibumad falls back on. */
	if (error < 0)
		return error == -EIO && ca_name ? port_error(ca_name, portnum) : -ENODEV;
	memcpy(port->ca_name, found.ca_name, sizeof(port->ca_name));
	port->ca_name[sizeof(port->ca_name) - 1] = '\0';
	port->portnum = found.portnum;
	umad_release_port(&found);
	return 0;
}

/* libibumad says EIO for every failed open, and leaves the cause in errno. */
static int open_error(int error)
{
	if (error != -EIO)
		return error;
	switch (errno) {
	case EPERM:
		return -EACCES;
	case EACCES:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return -errno;
	case ENODEV:
	case ENXIO:
		return -ENODEV;
	default:
		return -EIO;
	}
}

int device_lane_open(const struct device_port *port)
{
	int flags;
	int fd;

	errno = 0;
	fd = umad_open_port(port->ca_name, port->portnum);
	if (fd < 0)
		return open_error(fd);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		umad_close_port(fd);
		return -EIO;
	}
	return fd;
}

void device_lane_close(int fd)
{
	umad_close_port(fd);
}

int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	struct umad_reg_attr attr = {
		.mgmt_class = agent->mgmt_class,
		.mgmt_class_version = agent->class_version,
		.oui = agent->oui,
	};
	/* umad_register2() returns errno values that are positive. */
	int error = umad_register2(fd, &attr, agent_id);

	/* The kernel says EPIPE when the device behind an open file is gone. */
	return error == EPIPE || error == EIO ? -ENODEV : -error;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	umad_unregister(fd, (int)agent_id);
}
