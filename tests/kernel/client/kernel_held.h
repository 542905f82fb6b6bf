/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that are sent later: each as long after it was held as all others. */
#ifndef VM_HELD_H
#define VM_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/umad.h>

struct held_message {
	struct held_message *next;
	uint64_t due;  /* us */
	size_t length; /* bytes of MAD */
	struct ib_user_mad umad;
};

struct held {
	struct held_message *first, *last;
};

/* Copies a message in. Returns false when out of memory. */
bool held_add(struct held *held, const struct ib_user_mad *umad, size_t length, uint64_t due);

/* Takes the first message out if it is due; the caller frees it. Returns NULL if none is due. */
struct held_message *held_take(struct held *held, uint64_t now);

/*
 * Returns the ms until the first message is due, rounded up, as for poll(2); -1 if there is none.
 */
int held_wait(const struct held *held, uint64_t now);

#endif
