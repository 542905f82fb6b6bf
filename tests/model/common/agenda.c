/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "model/common/agenda.h"
#include "model/common/must_alloc.h"

static bool before(const struct agenda_item *a, const struct agenda_item *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void agenda_put(struct agenda *agenda, uint64_t time, void *what, uint64_t tag)
{
	struct agenda_item item = { time, agenda->puts++, what, tag };
	size_t at = agenda->count++;

	if (agenda->count > agenda->room) {
		agenda->room = agenda->room ? 2 * agenda->room : 64;
		agenda->item = must_realloc(agenda->item, agenda->room * sizeof(item));
	}
	while (at && before(&item, &agenda->item[(at - 1) / 2])) {
		agenda->item[at] = agenda->item[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	agenda->item[at] = item;
}

const struct agenda_item *agenda_first(const struct agenda *agenda)
{
	return agenda->count ? agenda->item : NULL;
}

static void sink(struct agenda *agenda, struct agenda_item item)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < agenda->count) {
		if (child + 1 < agenda->count &&
		    before(&agenda->item[child + 1], &agenda->item[child]))
			child++;
		if (!before(&agenda->item[child], &item))
			break;
		agenda->item[at] = agenda->item[child];
		at = child;
	}
	agenda->item[at] = item;
}

bool agenda_take(struct agenda *agenda, uint64_t now, struct agenda_item *item)
{
	if (!agenda->count || agenda->item[0].time > now)
		return false;
	*item = agenda->item[0];
	agenda->count--;
	if (agenda->count)
		sink(agenda, agenda->item[agenda->count]);
	return true;
}

void agenda_free(struct agenda *agenda)
{
	free(agenda->item);
	*agenda = (struct agenda){ 0 };
}
