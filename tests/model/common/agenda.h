/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to happen, by time; of two things at one time, the one that was put first. */
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
/* The earliest, or NULL. */
const struct agenda_item *agenda_first(const struct agenda *agenda);
/* Takes the earliest out if it is due at @now. */
bool agenda_take(struct agenda *agenda, uint64_t now, struct agenda_item *item);
void agenda_free(struct agenda *agenda);

#endif
