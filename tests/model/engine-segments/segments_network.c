/* SPDX-License-Identifier: BSD-2-Clause */
/* A network that loses, repeats, delays and reorders MADs; and the events of the future. */
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

static uint64_t tag_of(enum event event, uint64_t value)
{
	return (uint64_t)event << 60 | value;
}

void network_schedule(struct world *world, enum event event, uint64_t at, void *what, uint64_t tag)
{
	agenda_put(&world->events, at, what, tag_of(event, tag));
}

static void bring(struct world *world, enum event where, unsigned int node, const uint8_t *mad)
{
	const struct scenario *s = &world->scenario;
	uint64_t delay = s->delay_ns + prng_below(&world->prng, s->jitter_ns + 1);
	uint8_t *copy = must_alloc(MADRING_MAD_BYTES);

	memcpy(copy, mad, MADRING_MAD_BYTES);
	network_schedule(world, where, world->now + delay, copy, node);
}

void network_send(struct world *world, enum event where, unsigned int node, const uint8_t *mad)
{
	if (prng_chance(&world->prng, world->scenario.loss))
		return;
	bring(world, where, node, mad);
	if (prng_chance(&world->prng, world->scenario.twice))
		bring(world, where, node, mad);
}

static void happen(struct world *world, const struct agenda_item *item)
{
	uint64_t value = item->tag & ((UINT64_C(1) << 60) - 1);

	switch ((enum event)(item->tag >> 60)) {
	case EVENT_TO_ENGINE:
		kernel_receive(world, (unsigned int)value, item->what);
		free(item->what);
		break;
	case EVENT_TO_NODE:
		nodes_receive(world, (unsigned int)value, item->what);
		free(item->what);
		break;
	case EVENT_REPORT:
		kernel_report(world, value);
		break;
	case EVENT_TIME_OUT:
		kernel_time_out(world, item->what);
		break;
	case EVENT_RESPOND:
		/* The engine's kernel has written the TID's high half: see segments_kernel.c. */
		nodes_respond(world, item->what, value);
		break;
	}
}

void network_deliver(struct world *world)
{
	struct agenda_item item;

	while (agenda_take(&world->events, world->now, &item))
		happen(world, &item);
}

void network_close(struct world *world)
{
	struct agenda_item item;

	while (agenda_take(&world->events, UINT64_MAX, &item))
		if (item.tag >> 60 <= EVENT_TO_NODE)
			free(item.what);
	agenda_free(&world->events);
}
