/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server is a fabric's face of sockets: to any number of programs, under a preloaded library,
 * it is what ib_umad is: an HCA with its umad files, agents, timeouts and retries.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "loop/loop.h"

#define SERVER_PORT_MAX 9 /* libibumad takes no port above */

struct server;

struct server_config {
	struct loop_config loop;
	struct attachment place;
};

/* 0, or -errno with the reason in @why. */
int server_open(struct server **server, const struct server_config *config, char *why, size_t size);

/* What it runs in, and is closed with. */
struct loop *server_loop(struct server *server);

#endif
