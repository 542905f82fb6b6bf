/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the event loop waits on. */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct source;

struct source_type {
	void (*ready)(struct loop *loop, struct source *source, uint32_t events);
	void (*close)(struct loop *loop, struct source *source);
};

/* The first member of its owner. */
struct source {
	const struct source_type *type;
	int fd;
	struct source *next, **link; /* of the loop's list; NULL link: not listed */
};

/* False: there is no memory for it, and nothing has changed. */
bool source_add(struct loop *loop, struct source *source, uint32_t events);
/* A source that is no more than its fd, which is closed when this fails. */
bool source_new(struct loop *loop, const struct source_type *type, int fd);
void source_set_events(struct loop *loop, struct source *source, uint32_t events);
/* Closes its fd and has it freed later. */
void source_close(struct loop *loop, struct source *source);
/* As source_close(), but the fd lives on: it is returned. */
int source_release(struct loop *loop, struct source *source);
/* Frees what has been closed. */
void source_reap(struct loop *loop);

#endif
