/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop plays a fabric in real time, in one thread, behind one of the faces by which
 * programs see it.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/fabric.h"

#define NS_PER_MS 1000000

struct json_writer;
struct loop;
struct source;

/*
 * The place where programs run: a node, with one of its ports or, if port is 0, all that the face
 * takes.
 */
struct attachment {
	struct topology_node *node;
	unsigned int port;
};

/* The face by which programs see the fabric. A face's own structure begins with a struct loop. */
struct face {
	/* Returns when expire() has something to do, or FABRIC_NEVER. NULL stands for never. */
	uint64_t (*next)(struct loop *loop);
	/* Does what is due. NULL: nothing ever is due. */
	void (*expire)(struct loop *loop);
	/* Takes one packet that has come out of the fabric. */
	void (*receive)(struct loop *loop, int endpoint, const struct fabric_packet *packet);
	/* Tells the programs what has changed, before the loop sleeps. Returns 0 or -errno. */
	int (*settle)(struct loop *loop);
	/* Adds the counts of the face to a report. */
	void (*report)(const struct loop *loop, struct json_writer *writer);
	/* Frees the face; the loop's sources are closed already. */
	void (*close)(struct loop *loop);
};

struct loop_config {
	const char *folder; /* private to this loop and empty; must outlive it */
	struct fabric *fabric;
};

struct loop {
	const struct face *face;
	int epoll_fd;
	int spare_fd; /* closed to be able to refuse a connection when no descriptor is left */
	struct source *sources;
	struct source *closed; /* freed when no event can name them any more */
	struct fabric *fabric;
	const char *folder;
	uint64_t start; /* CLOCK_MONOTONIC, ns */
	uint64_t now;	/* ns since then: the fabric's time */
	bool stopped;
	int failure; /* -errno that ends it */
};

/*
 * loop_open opens the loop that a face begins with. Returns 0, or -errno with the reason in @why.
 * The loop must be closed in any case.
 */
int loop_open(struct loop *loop, const struct face *face, const struct loop_config *config,
	      char *why, size_t size);
/* loop_close closes the face too, which frees the loop. */
void loop_close(struct loop *loop);

/* loop_watch has @ready called in loop_run() whenever @fd can be read. Returns 0 or -errno. */
int loop_watch(struct loop *loop, int fd, void (*ready)(void *user), void *user);

/*
 * loop_look_at_clock sets .now. What reads a program's MADs calls it afterwards, so that none is
 * taken for older than it is: then its reply could come before a delay of the fabric has ended.
 */
void loop_look_at_clock(struct loop *loop);

/* loop_run runs until loop_stop() is called, from a watch. Returns 0 or -errno. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* loop_fail ends loop_run() with this error. */
void loop_fail(struct loop *loop, int error);

/*
 * loop_accept returns a new connection, or -1: there is none, or it was refused, for want of
 * descriptors or because the process is neither this user's nor root's.
 */
int loop_accept(struct loop *loop, int listener);

/* loop_explain writes the reason of an error to @why and returns @error. */
int loop_explain(int error, char *why, size_t size, const char *what);

/* ---- The sources of events that the loop waits on ---- */

struct source_type {
	void (*ready)(struct loop *loop, struct source *source, uint32_t events);
	void (*close)(struct loop *loop, struct source *source);
};

/* A source of events, the first member of its owner. */
struct source {
	const struct source_type *type;
	int fd;
	struct source *next, **link; /* of the loop's list; NULL link: not listed */
};

/* source_add adds a source. Returns false if there is no memory, and nothing has changed. */
bool source_add(struct loop *loop, struct source *source, uint32_t events);
/* source_new adds a source that is no more than its fd, and closes the fd if it fails. */
bool source_new(struct loop *loop, const struct source_type *type, int fd);
void source_set_events(struct loop *loop, struct source *source, uint32_t events);
/* source_close closes the fd; source_reap() frees the source later. */
void source_close(struct loop *loop, struct source *source);
/* source_release closes the source but not its fd, which it returns. */
int source_release(struct loop *loop, struct source *source);
/* source_reap frees the sources that were closed. */
void source_reap(struct loop *loop);

#endif
