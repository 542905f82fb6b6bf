/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of events by their times. Of two events at one time, the one that was put first is first.
 */
#ifndef SIMULATION_AGENDA_H
#define SIMULATION_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agenda_item {
	uint64_t time;
	uint64_t order;
	void *what;
	uint64_t tag;
};

struct agenda {
	struct agenda_item *item; /* a binary heap */
	size_t count, room;
	uint64_t puts;
};

void agenda_put(struct agenda *agenda, uint64_t time, void *what, uint64_t tag);
/* Returns the earliest event, or NULL. */
const struct agenda_item *agenda_first(const struct agenda *agenda);
/* Removes the earliest event if it is due at @now. Returns false if none is. */
bool agenda_take(struct agenda *agenda, uint64_t now, struct agenda_item *item);
void agenda_free(struct agenda *agenda);

#endif
