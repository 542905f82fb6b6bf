/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "drops.h"

#define FIRST_ROOM	 64
#define LAST_UNICAST_LID 0xbfffu

void drops_start(struct drops *drops)
{
	*drops = (struct drops){ 0 };
	drops->last = &drops->first;
}

void drops_end(struct drops *drops)
{
	for (size_t i = 0; i < drops->count; i++)
		free(drops->switches[i]);
	free(drops->switches);
}

static void queue_request(struct drops *drops, struct switch_drops *from)
{
	from->next = NULL;
	*drops->last = from;
	drops->last = &from->next;
	drops->waiting++;
}

struct switch_drops *drops_take(struct drops *drops)
{
	struct switch_drops *from = drops->first;

	if (!from)
		return NULL;
	drops->first = from->next;
	if (!drops->first)
		drops->last = &drops->first;
	drops->waiting--;
	return from;
}

static struct switch_drops *new_switch(struct drops *drops, const struct madring_node *node)
{
	struct switch_drops *from = memory_get(1, sizeof(*from));

	if (drops->count == drops->room) {
		drops->room = drops->room ? 2 * drops->room : FIRST_ROOM;
		drops->switches =
			memory_grow(drops->switches, drops->room, sizeof(struct switch_drops *));
	}
	drops->switches[drops->count++] = from;
	from->node = node;
	from->lid = madring_node_port_by_number(node, 0)->lid;
	if (from->lid > LAST_UNICAST_LID)
		from->lid = 0;
	return from;
}

void drops_add(struct drops *drops, const struct madring_node *node)
{
	struct switch_drops *from = new_switch(drops, node);

	if (!from->lid) {
		from->step = DROPS_FAILED;
		from->reading.state = READING_NO_REPLY;
		from->reading.error = -EDESTADDRREQ;
	} else if (!drops->stopped) {
		from->port = PMA_ALL_PORTS;
		queue_request(drops, from);
	}
}

static bool can_sum(const struct switch_drops *from)
{
	return from->capabilities.mask & PMA_CAP_ALL_PORT_SELECT;
}

static bool has_64_bits(const struct switch_drops *from)
{
	const struct capabilities *capabilities = &from->capabilities;

	return capabilities->mask & (PMA_CAP_EXTENDED | PMA_CAP_EXTENDED_NOIETF) &&
	       capabilities->mask2 & PMA_CAP2_ADDITIONAL_EXTENDED;
}

static void start_reading(struct drops *drops, struct switch_drops *from, enum drops_step step)
{
	from->step = step;
	from->sum = 0;
	from->port = can_sum(from) ? PMA_ALL_PORTS : from->first_port;
	queue_request(drops, from);
}

/*
 * Asks for the rest of what the sweep's end has interrupted, but for a first reading, which would
 * tell nothing any more.
 */
void drops_finish(struct drops *drops)
{
	struct switch_drops *waiting = drops->first, *from;

	drops->has_ended = true;
	drops->first = NULL;
	drops->last = &drops->first;
	drops->waiting = 0;
	while ((from = waiting)) {
		waiting = from->next;
		if (from->step == DROPS_CLASS)
			queue_request(drops, from);
		else
			from->step = DROPS_LATE;
	}
	for (size_t i = 0; i < drops->count; i++)
		if (drops->switches[i]->step == DROPS_BETWEEN)
			start_reading(drops, drops->switches[i], DROPS_AFTER);
}

void drops_stop(struct drops *drops)
{
	drops->stopped = true;
	while (drops_take(drops))
		;
}

uint16_t drops_attribute(const struct switch_drops *from)
{
	return from->step == DROPS_CLASS ? PMA_CLASS_PORT_INFO
					 : pma_attribute_info(from->attribute)->id;
}

void drops_data(const struct switch_drops *from, uint8_t data[PMA_DATA_BYTES])
{
	memset(data, 0, PMA_DATA_BYTES);
	if (from->step != DROPS_CLASS)
		pma_set_port_select(data, from->port);
}

static void end_reading(struct drops *drops, struct switch_drops *from)
{
	if (from->step == DROPS_AFTER) {
		from->after = from->sum;
		from->step = DROPS_READ;
		return;
	}
	from->before = from->sum;
	from->step = DROPS_BETWEEN;
	if (drops->has_ended)
		start_reading(drops, from, DROPS_AFTER);
}

/* Returns VL15Dropped of the last reading, and whether it is full. */
static uint64_t value_of(const struct switch_drops *from, bool *is_full)
{
	enum MAD_FIELDS field =
		from->attribute == PMA_EXTENDED ? IB_PC_EXT_VL15_DROPPED_F : IB_PC_VL15_DROPPED_F;
	uint64_t value = pma_field(field, from->reading.data);

	*is_full = from->attribute == PMA_COUNTERS && value == pma_field_limit(field);
	return value;
}

/*
 * Adds what was read of a port, or of all, and asks for the next port. A sum that is full says
 * less than the ports do, so that they are asked, one after another.
 */
static void take_counter(struct drops *drops, struct switch_drops *from)
{
	bool is_full;
	uint64_t value = value_of(from, &is_full);

	if (from->port == PMA_ALL_PORTS && is_full) {
		from->port = from->first_port;
		queue_request(drops, from);
		return;
	}
	from->sum += value;
	from->saturated |= is_full;
	if (from->port >= from->node->port_count) {
		end_reading(drops, from);
		return;
	}
	from->port++;
	queue_request(drops, from);
}

/* Takes the answer to the first request, which may be a refusal. */
static void take_first_sum(struct drops *drops, struct switch_drops *from)
{
	bool is_full = true;

	if (from->reading.state == READING_DONE)
		from->sum = value_of(from, &is_full);
	from->has_sum = !is_full;
	from->step = DROPS_CLASS;
	queue_request(drops, from);
}

/* Takes ClassPortInfo. A switch without it still has what every one must have. */
static void take_class(struct drops *drops, struct switch_drops *from)
{
	from->knows_class = true;
	from->first_port = from->node->enhanced_port0 ? 0 : 1;
	if (from->reading.state == READING_DONE)
		capabilities_read(&from->capabilities, from->reading.data);
	if (from->has_sum && can_sum(from)) {
		end_reading(drops, from);
		return;
	}
	if (has_64_bits(from))
		from->attribute = PMA_EXTENDED;
	if (drops->has_ended)
		from->step = DROPS_LATE;
	else
		start_reading(drops, from, DROPS_BEFORE);
}

static void take_reading(struct drops *drops, struct switch_drops *from)
{
	enum reading_state state = from->reading.state;

	if (state == READING_NO_REPLY || (from->knows_class && state != READING_DONE))
		from->step = DROPS_FAILED;
	else if (from->step == DROPS_CLASS)
		take_class(drops, from);
	else if (!from->knows_class)
		take_first_sum(drops, from);
	else
		take_counter(drops, from);
}

void drops_outcome(struct drops *drops, struct switch_drops *from, const struct outcome *outcome)
{
	drops->mads += outcome->attempts;
	if (drops->has_ended && from->step == DROPS_BEFORE) {
		from->step = DROPS_LATE;
		return;
	}
	if (outcome->error == -ECANCELED || outcome->error == -ENODEV) {
		if (drops->has_ended && !drops->stopped && from->step == DROPS_CLASS)
			queue_request(drops, from);
		return;
	}
	reading_take(&from->reading, drops_attribute(from),
		     from->step == DROPS_CLASS ? PMA_NO_PORT : from->port, outcome);
	take_reading(drops, from);
	if (drops->stopped)
		drops_stop(drops);
}

static int by_route(const void *a, const void *b)
{
	const struct madring_node *left = (*(struct switch_drops *const *)a)->node;
	const struct madring_node *right = (*(struct switch_drops *const *)b)->node;

	if (left->hops != right->hops)
		return left->hops < right->hops ? -1 : 1;
	return memcmp(left->path, right->path, left->hops + 1u);
}

void drops_order(struct drops *drops)
{
	if (drops->count)
		qsort(drops->switches, drops->count, sizeof(struct switch_drops *), by_route);
}

uint64_t switch_dropped(const struct switch_drops *from)
{
	/* Somebody has cleared a counter that fell. */
	return from->after < from->before ? from->after : from->after - from->before;
}

const char *switch_drops_text(const struct switch_drops *from, char text[READING_TEXT_BYTES])
{
	if (from->step == DROPS_LATE)
		return "no reply before the sweep had ended";
	if (from->step != DROPS_FAILED)
		return "the sweep ended early";
	return reading_text(&from->reading, text);
}

void drops_add_up(const struct drops *drops, struct drops_total *total)
{
	*total = (struct drops_total){ 0 };
	for (size_t i = 0; i < drops->count; i++) {
		const struct switch_drops *from = drops->switches[i];
		uint64_t dropped = switch_dropped(from);

		if (from->step != DROPS_READ) {
			total->unread++;
			total->without_lid += !from->lid;
			continue;
		}
		total->read++;
		total->saturated += from->saturated;
		total->dropping += dropped > 0;
		total->dropped += dropped;
	}
}
