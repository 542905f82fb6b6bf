/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that take their time, all the same: the first that is put in is the first that is due. */
#ifndef VM_DELAY_H
#define VM_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../tools/madring-sim/vhca/vhca_abi.h"

struct delayed;

struct delay {
	uint64_t ns; /* how long each reply takes */
	struct delayed *ring;
	size_t room, head, count;
};

/* Makes room for so many replies at once. Returns 0 or -ENOMEM. */
int delay_open(struct delay *delay, uint64_t ns, size_t room);
/* Returns how many more replies there is room for. */
size_t delay_room(const struct delay *delay);
/* Puts a reply in. There has to be room. */
void delay_put(struct delay *delay, const struct vhca_mad *reply, uint64_t now_ns);
/* Takes the first reply if it is due. */
bool delay_take(struct delay *delay, uint64_t now_ns, struct vhca_mad *reply);
/* Returns the time until the first reply is due, in ms rounded up, or -1 if there is none. */
int delay_wait_ms(const struct delay *delay, uint64_t now_ns);

#endif
