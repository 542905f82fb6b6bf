/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_held.h"

#include <stdlib.h>
#include <string.h>

bool held_add(struct held *held, const struct ib_user_mad *umad, size_t length, uint64_t due)
{
	struct held_message *message = malloc(sizeof(*message) + length);

	if (!message)
		return false;
	message->next = NULL;
	message->due = due;
	message->length = length;
	memcpy(&message->umad, umad, sizeof(*umad) + length);
	if (held->first)
		held->last->next = message;
	else
		held->first = message;
	held->last = message;
	return true;
}

struct held_message *held_take(struct held *held, uint64_t now)
{
	struct held_message *first = held->first;

	if (!first || first->due > now)
		return NULL;
	held->first = first->next;
	return first;
}

int held_wait(const struct held *held, uint64_t now)
{
	if (!held->first)
		return -1;
	if (held->first->due <= now)
		return 0;
	return (int)((held->first->due - now + 999) / 1000);
}
