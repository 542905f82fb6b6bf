/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop: plays a fabric in real time, behind one of the faces that programs see it by,
 * and obeys the commands that change it. One thread.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/fabric.h"

#define NS_PER_MS 1000000

struct json_object;
struct loop;
struct source;

/* Where programs run: at a node, with one of its ports or, if that is 0, all that a face can have.
 */
struct attachment {
	struct topology_node *node;
	unsigned int port;
};

/* What programs see of the fabric. Its own structure begins with a struct loop. */
struct face {
	/* When it has something to do besides; FABRIC_NEVER. NULL: never. */
	uint64_t (*next)(struct loop *loop);
	/* Does what is due; NULL: nothing ever is. */
	void (*expire)(struct loop *loop);
	/* Takes one packet that came out of the fabric. */
	void (*receive)(struct loop *loop, int endpoint, const struct fabric_packet *packet);
	/* Tells the programs, before the loop sleeps, what has come of all that. 0 or -errno. */
	int (*settle)(struct loop *loop);
	/* Adds what it has counted to a report. */
	void (*report)(const struct loop *loop, struct json_object *report);
	/* Frees itself; the loop's sources are closed already. */
	void (*close)(struct loop *loop);
};

/* Where commands come from while the loop runs, and who obeys them. */
struct loop_control {
	const char *path; /* NULL: in the folder */
	/* Writes an answer, or a reason, to @out. Returns what ctl_protocol.h has. */
	int (*obey)(void *user, const char *const *words, size_t count, bool json, FILE *out);
	void *user;
};

struct loop_config {
	const char *folder; /* private to this loop, empty; must outlive it */
	struct fabric *fabric;
	struct loop_control control;
};

struct loop {
	const struct face *face;
	int epoll_fd;
	int spare_fd; /* given up to be able to refuse a connection when there are no more */
	struct source *sources;
	struct source *closed; /* freed when no event can name them any more */
	struct fabric *fabric;
	const char *folder;
	struct loop_control control;
	size_t ctl_clients;
	bool ctl_listens;
	uint64_t start; /* CLOCK_MONOTONIC, ns */
	uint64_t now;	/* ns since then: the fabric's time */
	bool stopped;
	int failure; /* -errno that ends it */
};

/* For a face to begin with. 0, or -errno with the reason in @why; to be closed in any case. */
int loop_open(struct loop *loop, const struct face *face, const struct loop_config *config,
	      char *why, size_t size);
/* Closes the face too, which frees the loop. */
void loop_close(struct loop *loop);

/* Has @ready called in loop_run() whenever @fd can be read. 0 or -errno. */
int loop_watch(struct loop *loop, int fd, void (*ready)(void *user), void *user);

/* Goes on until loop_stop() is called, from a watch. 0 or -errno. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* Ends loop_run() with this error. */
void loop_fail(struct loop *loop, int error);

/* Returns a new connection, or -1: there is none, or it was refused, for want of descriptors or
   because it was another user's who is not root. */
int loop_accept(struct loop *loop, int listener);

/* Puts the reason into @why and returns @error. */
int loop_explain(int error, char *why, size_t size, const char *what);

#endif
