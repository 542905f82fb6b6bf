/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "vhca/device.h"

#define MODULE	   "vhca"
#define UMAD_CLASS "/sys/class/infiniband_mad"

static const char *advice_for(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "; is the module " MODULE " loaded?";
	case EACCES:
	case EPERM:
		return "; only root may use it, unless its mode is changed";
	default:
		return "";
	}
}

/* What is written to any other device might be obeyed. */
static bool is_vhca(int fd)
{
	char link[64], target[PATH_MAX];
	const char *name;
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) || !S_ISCHR(status.st_mode))
		return false;
	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u", major(status.st_rdev),
		 minor(status.st_rdev));
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	name = strrchr(target, '/');
	return name && !strcmp(name, "/" MODULE);
}

int vhca_device_open(const char *path, char *why, size_t size)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), error = errno;

	if (fd < 0) {
		snprintf(why, size, "%s: %s%s", path, strerror(error), advice_for(error));
		return -error;
	}
	if (!is_vhca(fd)) {
		snprintf(why, size, "%s: not the device of the module " MODULE, path);
		close(fd);
		return -ENOTTY;
	}
	if (access(UMAD_CLASS, F_OK)) {
		snprintf(why, size, "%s: not there; is the module ib_umad loaded?", UMAD_CLASS);
		close(fd);
		return -ENODEV;
	}
	return fd;
}
