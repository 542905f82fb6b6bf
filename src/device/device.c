/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include <infiniband/umad_types.h>

/*
 * Why libibumad does not find a port of a device: it says EIO for a number that is not there, and
 * ENODEV when none was given and no port will do.
 */
static int named_error(const char *ca_name, int portnum)
{
	bool found;
	umad_ca_t ca;
	int error;

	memset(&ca, 0, sizeof(ca));
	error = umad_get_ca(ca_name, &ca);
	if (error < 0)
		return error == -ENOENT || error == -ENODEV ? -ENODEV : -EIO;
	found = portnum && portnum < UMAD_CA_MAX_PORTS && ca.ports[portnum];
	umad_release_ca(&ca);
	return found ? -EIO : -ENXIO;
}

/* Without a name libibumad falls back on a default device, whose errors tell nothing. */
static int unnamed_error(void)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	int count = umad_get_cas_names(names, UMAD_MAX_DEVICES);

	for (int i = 0; i < count; i++)
		if (named_error(names[i], 0) == -ENXIO)
			return -ENXIO;
	return -ENODEV;
}

int device_port_find(const char *ca_name, int portnum, struct device_port *port)
{
	umad_port_t found;
	int error;

	if (portnum < 0 || (ca_name && strlen(ca_name) >= UMAD_CA_NAME_LEN))
		return -EINVAL;
	memset(&found, 0, sizeof(found));
	error = umad_get_port(ca_name, portnum, &found);
	if (error < 0)
		return ca_name ? named_error(ca_name, portnum) : unnamed_error();
	memcpy(port->ca_name, found.ca_name, sizeof(port->ca_name));
	port->ca_name[sizeof(port->ca_name) - 1] = '\0';
	port->portnum = found.portnum;
	umad_release_port(&found);
	return 0;
}

/*
 * libibumad says EIO for every failed open, and leaves the cause in errno; EINVAL for a port that
 * has no umad device, which is one that goes just now, or is no InfiniBand port.
 */
static int open_error(int error)
{
	if (error == -EINVAL)
		return -ENODEV;
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

/*
 * The kernel has ENOMEM for a file that has all its agents, too. It looks for a free place before
 * it looks at the OUI: one that cannot be is refused otherwise as long as there is a place. (With
 * flags, libibumad does not try an older kernel's way of registering.)
 */
static bool file_is_full(int fd)
{
	struct umad_reg_attr impossible = {
		.mgmt_class = UMAD_CLASS_PERF_MGMT,
		.mgmt_class_version = 1,
		.flags = UMAD_USER_RMPP,
		.oui = UINT32_MAX,
	};
	uint32_t unused;

	return umad_register2(fd, &impossible, &unused) == ENOMEM;
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
	if (error == EPIPE || error == EIO)
		return -ENODEV;
	return error == ENOMEM && file_is_full(fd) ? -EUSERS : -error;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	umad_unregister(fd, (int)agent_id);
}
