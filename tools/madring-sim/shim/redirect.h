/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the way to the server: its socket, the node that this program runs on, and the places in
 * the server's folder that stand for the device's own.
 */
#ifndef SIM_REDIRECT_H
#define SIM_REDIRECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/protocol.h"

/* KERNEL_RELEASE is the file that has the release of the kernel, as uname(2) returns it. */
#define KERNEL_RELEASE "/proc/sys/kernel/osrelease"

/* redirect_socket writes the path of the server's socket. Returns false if there is no server. */
bool redirect_socket(char *path, size_t size);

/* connection_open returns a connection to the server, or -1 with errno. */
int connection_open(void);

/* connection_exchange sends a request and receives the reply. Returns 0, or an errno of either. */
int connection_exchange(int fd, struct sim_request *request, struct sim_reply *reply);

/*
 * host_tree finds the tree of the node that the environment names. Returns false, with a message
 * written, if there is no such node.
 */
bool host_tree(uint32_t *tree);

struct redirect {
	char path[PATH_MAX];
};

/*
 * redirect_path returns @path itself when it is not the simulated device's; NULL with errno when it
 * gets too long, or when there is no node such as the program is to run on.
 */
const char *redirect_path(const char *path, struct redirect *space);

#endif
