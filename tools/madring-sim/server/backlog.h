/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backlog of an agent: the MADs that wait, in the order of their writes, because the agent has
 * as many on the wire as the kernel allows. A retry goes to the end.
 */
#ifndef SIM_BACKLOG_H
#define SIM_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct outstanding;

struct backlog {
	TAILQ_HEAD(backlog_queue, outstanding) waiting;
	uint32_t limit;	  /* of @on_wire; 0: none, and nothing waits */
	uint32_t on_wire; /* the MADs on the wire that count */
};

/* backlog_init makes an empty backlog. */
void backlog_init(struct backlog *backlog, uint32_t limit);

/*
 * backlog_enter returns true if an entry may go on the wire, where it then counts. Otherwise the
 * entry waits. It must be in neither place.
 */
bool backlog_enter(struct backlog *backlog, struct outstanding *entry);

/* backlog_leave removes an entry from the place where it is, if any. */
void backlog_leave(struct backlog *backlog, struct outstanding *entry);

/* backlog_next returns the next entry that has room on the wire, where it now counts; or NULL. */
struct outstanding *backlog_next(struct backlog *backlog);

#endif
