/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server, a face of sockets. To any number of programs, under a preloaded library, it does what
 * ib_umad does: it has HCAs with umad files, agents, timeouts and retries.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "loop/loop.h"
#include "server/kernel.h"

struct server;

struct server_config {
	struct loop_config loop;
	struct attachment place;
	struct kernel kernel; /* without a version: the default one */
	unsigned int planes;  /* of each HCA with so many ports; 0: none */
};

/* server_open returns 0, or -errno with the reason in @why. */
int server_open(struct server **server, const struct server_config *config, char *why, size_t size);

/* server_loop returns the loop that runs the server. Closing the loop closes the server. */
struct loop *server_loop(struct server *server);

#endif
