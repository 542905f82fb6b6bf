/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/lane_adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "device/device.h"
#include "device/probe.h"

/* Tells whether a file belongs to another port. Returns false if there is no device to compare. */
static bool is_of_another_port(int fd, const struct device_port *port)
{
	char path[PATH_MAX];
	struct stat file, device;

	if (fstat(fd, &file) || !S_ISCHR(file.st_mode))
		return false;
	if (device_umad_path(port, path, sizeof(path)) || stat(path, &device))
		return false;
	return file.st_rdev != device.st_rdev;
}

int device_lane_adopt(int fd, const struct device_port *port)
{
	int flags = fcntl(fd, F_GETFL);
	int error;

	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return -EBADF;
	error = probe_file(fd);
	if (error)
		return error;
	if (is_of_another_port(fd, port))
		return -ENXIO;
	if (flags & O_NONBLOCK)
		return 0;
	return fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 1;
}

void device_lane_release(int fd, int adopted)
{
	int flags = fcntl(fd, F_GETFL);

	if (adopted && flags >= 0)
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

int device_agent_find(int fd, uint32_t agent_id)
{
	int error = probe_agent(fd, agent_id);

	if (error != -EIO)
		return error;
	return device_is_gone(fd) ? -ENODEV : -ESRCH;
}
