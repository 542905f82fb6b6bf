/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/protocol.h"
#include "shim/host.h"
#include "shim/redirect.h"

/* Whether @path is @prefix or below it. */
static bool is_below(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(path, prefix, length) && (!path[length] || path[length] == '/');
}

static bool is_ours(const char *path)
{
	if (strncmp(path, "/sys/", 5) && strncmp(path, "/dev/", 5))
		return false;
	if (strstr(path, "/.."))
		return false;
	return is_below(path, "/sys/class/infiniband") ||
	       is_below(path, "/sys/class/infiniband_mad") || is_below(path, "/dev/infiniband");
}

const char *redirect_path(const char *path, struct redirect *space)
{
	const char *folder;
	uint32_t tree;
	int length;

	if (!path || !is_ours(path))
		return path;
	folder = getenv(SIM_ENVIRONMENT);
	if (!folder)
		return path;
	if (!host_tree(&tree)) {
		errno = ENOENT;
		return NULL;
	}
	length = snprintf(space->path, sizeof(space->path), "%s/" SIM_TREE "%" PRIu32 "%s", folder,
			  tree, path);
	if (length < 0 || (size_t)length >= sizeof(space->path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return space->path;
}

bool redirect_socket(char *path, size_t size)
{
	const char *folder = getenv(SIM_ENVIRONMENT);
	int length;

	if (!folder)
		return false;
	length = snprintf(path, size, "%s/" SIM_SOCKET, folder);
	return length > 0 && (size_t)length < size;
}
