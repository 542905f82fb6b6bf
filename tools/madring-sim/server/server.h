/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server plays a fabric in real time to any number of programs, and is to them what
 * ib_umad is: an HCA with its umad files, agents, timeouts and retries. One thread.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../fabric/fabric.h"

#define SERVER_PORT_MAX 9 /* libibumad takes no port above */

struct server;
struct json_object;

/* Where commands come from while the server runs, and who obeys them. */
struct server_control {
	const char *path; /* NULL: in the folder */
	/* Writes an answer, or a reason, to @out. Returns what ctl_protocol.h has. */
	int (*obey)(void *user, const char *const *words, size_t count, bool json, FILE *out);
	void *user;
};

struct server_config {
	const char *folder; /* private to this server, empty; must outlive it */
	struct fabric *fabric;
	struct topology_node *node; /* the HCA, or the switch, that the programs run on */
	unsigned int port;	    /* 0: all ports of the HCA */
	struct server_control control;
};

/* 0, or -errno with the reason in @why. */
int server_open(struct server **server, const struct server_config *config, char *why, size_t size);
void server_close(struct server *server);

/* Has @ready called in server_run() whenever @fd can be read. 0 or -errno. */
int server_watch(struct server *server, int fd, void (*ready)(void *user), void *user);

/* Serves until server_stop() is called, from a watch. 0 or -errno. */
int server_run(struct server *server);
void server_stop(struct server *server);

/* Adds what the device has counted to a report. */
void server_report(const struct server *server, struct json_object *report);

#endif
