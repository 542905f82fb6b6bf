/* SPDX-License-Identifier: BSD-2-Clause */
/* Which paths are the simulated device's, and where they stand in the server's folder. */
#ifndef SIM_REDIRECT_H
#define SIM_REDIRECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct redirect {
	char path[PATH_MAX];
};

/* @path itself when it isn't the simulated device's; NULL with errno when it gets too
   long, or when there is no such node as the program is to run on. */
const char *redirect_path(const char *path, struct redirect *space);

/* The path of the server's socket; false: there is no server. */
bool redirect_socket(char *path, size_t size);

#endif
