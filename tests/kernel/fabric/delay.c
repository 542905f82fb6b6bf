/* SPDX-License-Identifier: BSD-2-Clause */
#include "delay.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define NS_PER_MS 1000000u

struct delayed {
	uint64_t due_ns;
	struct vhca_mad reply;
};

int delay_open(struct delay *delay, uint64_t ns, size_t room)
{
	*delay = (struct delay){ .ns = ns, .room = room };
	delay->ring = calloc(room, sizeof(*delay->ring));
	return delay->ring ? 0 : -ENOMEM;
}

size_t delay_room(const struct delay *delay)
{
	return delay->room - delay->count;
}

void delay_put(struct delay *delay, const struct vhca_mad *reply, uint64_t now_ns)
{
	struct delayed *delayed = &delay->ring[(delay->head + delay->count) % delay->room];

	assert(delay_room(delay));
	delayed->due_ns = now_ns + delay->ns;
	delayed->reply = *reply;
	delay->count++;
}

bool delay_take(struct delay *delay, uint64_t now_ns, struct vhca_mad *reply)
{
	if (!delay->count || delay->ring[delay->head].due_ns > now_ns)
		return false;
	*reply = delay->ring[delay->head].reply;
	delay->head = (delay->head + 1) % delay->room;
	delay->count--;
	return true;
}

int delay_wait_ms(const struct delay *delay, uint64_t now_ns)
{
	uint64_t due;

	if (!delay->count)
		return -1;
	due = delay->ring[delay->head].due_ns;
	return due > now_ns ? (int)((due - now_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
}
