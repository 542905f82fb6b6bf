/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "server/wheel.h"

static size_t slot_of(uint64_t tick)
{
	return tick % WHEEL_SLOTS;
}

static void mark(struct wheel *wheel, size_t slot)
{
	if (wheel->slot[slot])
		wheel->occupied[slot / 64] |= UINT64_C(1) << slot % 64;
	else
		wheel->occupied[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

void wheel_init(struct wheel *wheel, uint64_t tick)
{
	memset(wheel, 0, sizeof(*wheel));
	wheel->tick = tick;
}

void wheel_arm(struct wheel *wheel, struct wheel_timer *timer, uint64_t tick)
{
	struct wheel_timer **head;

	wheel_disarm(wheel, timer);
	timer->tick = tick > wheel->tick ? tick : wheel->tick + 1;
	head = &wheel->slot[slot_of(timer->tick)];
	timer->next = *head;
	if (timer->next)
		timer->next->link = &timer->next;
	timer->link = head;
	*head = timer;
	mark(wheel, slot_of(timer->tick));
	wheel->armed++;
}

void wheel_disarm(struct wheel *wheel, struct wheel_timer *timer)
{
	if (!timer->link)
		return;
	*timer->link = timer->next;
	if (timer->next)
		timer->next->link = timer->link;
	timer->link = NULL;
	mark(wheel, slot_of(timer->tick));
	wheel->armed--;
}

static void take_slot(struct wheel *wheel, size_t slot, uint64_t tick, struct wheel_timer **expired)
{
	struct wheel_timer *next;

	for (struct wheel_timer *timer = wheel->slot[slot]; timer; timer = next) {
		next = timer->next;
		if (timer->tick > tick)
			continue;
		wheel_disarm(wheel, timer);
		timer->next = *expired;
		*expired = timer;
	}
}

struct wheel_timer *wheel_take_expired(struct wheel *wheel, uint64_t tick)
{
	struct wheel_timer *expired = NULL;
	uint64_t turn;

	if (tick <= wheel->tick)
		return NULL;
	turn = tick - wheel->tick;
	if (turn > WHEEL_SLOTS)
		turn = WHEEL_SLOTS;
	while (turn && wheel->armed)
		take_slot(wheel, slot_of(tick - --turn), tick, &expired);
	wheel->tick = tick;
	return expired;
}

uint64_t wheel_next(const struct wheel *wheel)
{
	size_t start = slot_of(wheel->tick + 1), slot, passed = 0;
	uint64_t word;

	if (!wheel->armed)
		return WHEEL_NEVER;
	while (passed < WHEEL_SLOTS) {
		slot = slot_of(start + passed);
		word = wheel->occupied[slot / 64] >> slot % 64;
		if (word)
			return wheel->tick + 1 + passed + (uint64_t)__builtin_ctzll(word);
		passed += 64 - slot % 64;
	}
	return wheel->tick + WHEEL_SLOTS;
}
