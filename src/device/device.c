/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/umad_types.h>

/* A device that is removed loses its file just before it is no longer known; on a busy machine
   others may run between the two. */
#define MOMENTS	  50
#define MOMENT_NS 2000000

static int file_error(const struct device_port *port)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	char path[PATH_MAX];

	for (unsigned int i = 0; i < MOMENTS; i++) {
		nanosleep(&moment, NULL);
		if (device_umad_path(port, path, sizeof(path)))
			return -ENODEV;
	}
	return -EIO;
}

/*
 * libibumad says EIO for every failed open, and leaves the cause in errno; EINVAL for a port that
 * has no umad device, which is one that goes just now, or is no InfiniBand port.
 */
static int open_error(const struct device_port *port, int error)
{
	/* Also of what it reads before. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return -errno;
	if (error == -EINVAL)
		return -ENODEV;
	if (error != -EIO)
		return error;
	switch (errno) {
	case ENOENT:
		return file_error(port);
	case EPERM:
	case EACCES:
		return -EACCES;
	case ENODEV:
	case ENXIO:
		return -ENODEV;
	default:
		return -EIO;
	}
}

/*
 * `open_port_0` opens a switch's only port as umad_open_port(3) would. That function takes 0 for
 * any port and reads the attributes of all, which is not safe: see attributes.h.
 */
static int open_port_0(const struct device_port *port)
{
	char path[PATH_MAX];
	int fd;

	if (device_umad_path(port, path, sizeof(path)))
		return -EINVAL;
	fd = open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return -EIO;
	if (!ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL))
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

int device_lane_open(const struct device_port *port)
{
	int flags;
	int fd;

	errno = 0;
	fd = port->portnum ? umad_open_port(port->ca_name, port->portnum) : open_port_0(port);
	if (fd < 0)
		return open_error(port, fd);
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

ssize_t device_read(int fd, struct ib_user_mad *umad, size_t bytes)
{
	ssize_t length = read(fd, umad, bytes);

	return length < 0 ? -errno : length;
}

ssize_t device_write(int fd, const struct ib_user_mad *umad, size_t bytes)
{
	ssize_t length = write(fd, umad, bytes);

	return length < 0 ? -errno : length;
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

bool device_is_gone(int fd)
{
	struct pollfd state = { .fd = fd };

	return poll(&state, 1, 0) > 0;
}

int device_agent_register(int fd, const struct device_agent *agent, uint32_t *agent_id)
{
	struct umad_reg_attr attr = {
		.mgmt_class = agent->mgmt_class,
		.mgmt_class_version = agent->class_version,
		.oui = agent->oui,
		.rmpp_version = agent->rmpp_version,
		.flags = agent->flags,
		.method_mask = { agent->method_mask[0], agent->method_mask[1] },
	};
	/* umad_register2() returns errno values that are positive. */
	int error = umad_register2(fd, &attr, agent_id);

	/* The kernel says EPIPE when the device behind an open file is gone. */
	if (error == EPIPE || (error == EIO && device_is_gone(fd)))
		return -ENODEV;
	return error == ENOMEM && file_is_full(fd) ? -EUSERS : -error;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	umad_unregister(fd, (int)agent_id);
}
