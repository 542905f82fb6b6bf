/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stddef.h>

#include "server/backlog.h"
#include "server/outstanding.h"

void backlog_init(struct backlog *backlog, uint32_t limit)
{
	TAILQ_INIT(&backlog->waiting);
	backlog->limit = limit;
	backlog->on_wire = 0;
}

static bool has_room(const struct backlog *backlog)
{
	return backlog->on_wire < backlog->limit;
}

bool backlog_enter(struct backlog *backlog, struct outstanding *entry)
{
	assert(entry->place == PLACE_NONE);
	if (!backlog->limit || !entry->is_limited)
		return true;
	if (has_room(backlog) && TAILQ_EMPTY(&backlog->waiting)) {
		entry->place = PLACE_WIRE;
		backlog->on_wire++;
		return true;
	}
	entry->place = PLACE_BACKLOG;
	TAILQ_INSERT_TAIL(&backlog->waiting, entry, backlog_link);
	return false;
}

void backlog_leave(struct backlog *backlog, struct outstanding *entry)
{
	if (entry->place == PLACE_BACKLOG) {
		TAILQ_REMOVE(&backlog->waiting, entry, backlog_link);
	} else if (entry->place == PLACE_WIRE) {
		assert(backlog->on_wire);
		backlog->on_wire--;
	}
	entry->place = PLACE_NONE;
}

struct outstanding *backlog_next(struct backlog *backlog)
{
	struct outstanding *entry = TAILQ_FIRST(&backlog->waiting);

	if (!entry || !has_room(backlog))
		return NULL;
	TAILQ_REMOVE(&backlog->waiting, entry, backlog_link);
	entry->place = PLACE_WIRE;
	backlog->on_wire++;
	return entry;
}
