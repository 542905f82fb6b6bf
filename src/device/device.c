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

#include <madring/names.h>

#include "device/sysfs.h"

/*
 * The number of checks whether a device is being removed. Its file vanishes just before its
 * attributes; on a busy machine other programs may run in between.
 */
#define REMOVAL_CHECKS	 50
#define REMOVAL_CHECK_NS 2000000

static int missing_file_error(const struct device_port *port)
{
	const struct timespec pause = { .tv_nsec = REMOVAL_CHECK_NS };
	char path[PATH_MAX];

	for (unsigned int i = 0; i < REMOVAL_CHECKS; i++) {
		nanosleep(&pause, NULL);
		if (device_umad_path(port, path, sizeof(path)))
			return -ENODEV;
	}
	return -EIO;
}

/* Returns the negative errno for the one with which a umad file could not be opened. */
static int open_error(const struct device_port *port, int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return -error;
	case ENOENT:
		return missing_file_error(port);
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

/* Tells whether ib_umad is loaded, which has a version of its own even without a device. */
static bool has_umad_driver(void)
{
	unsigned int version;

	return !sysfs_number(SYS_INFINIBAND_MAD, IB_UMAD_ABI_FILE, &version);
}

/*
 * Opens a file as umad_open_port(3) would. That function knows only the umad devices 0 to 63, and
 * takes port 0 for any and then reads the attributes of all ports, which is not safe: see
 * attributes.h.
 */
int device_lane_open(const struct device_port *port)
{
	char path[PATH_MAX];
	/* A port without a umad device is just being removed, or is not InfiniBand. */
	int error = device_umad_path(port, path, sizeof(path));
	int fd;

	if (error)
		return error == -ENODEV && !has_umad_driver() ? -EOPNOTSUPP : error;
	fd = open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return open_error(port, errno);
	if (!ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL))
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

void device_lane_close(int fd)
{
	close(fd);
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
 * Tells whether an ENOMEM means that the file has no place for another agent. The kernel looks
 * for a free place before it checks the OUI. So an impossible OUI gets another error as long as
 * there is a place. (With flags, libibumad does not try an older kernel's way of registering.)
 */
static bool is_file_full(int fd)
{
	struct umad_reg_attr impossible = {
		.mgmt_class = MADRING_CLASS_PMA,
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
	/* umad_register2() returns positive errno values. */
	int error = umad_register2(fd, &attr, agent_id);

	/* The kernel returns EPIPE when the device of an open file is gone. */
	if (error == EPIPE || (error == EIO && device_is_gone(fd)))
		return -ENODEV;
	return error == ENOMEM && is_file_full(fd) ? -EUSERS : -error;
}

void device_agent_unregister(int fd, uint32_t agent_id)
{
	umad_unregister(fd, (int)agent_id);
}
