/* SPDX-License-Identifier: BSD-2-Clause */
/* Attempts that later ones have overtaken. */
#ifndef MADRING_ENGINE_OVERTAKEN_H
#define MADRING_ENGINE_OVERTAKEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The attempts of an agent in the order of sending, in a ring. An entry stays until its attempt is
 * due as overtaken. If that was answered before, the entry may go when the ring is full.
 */
struct sent {
	struct sent_attempt {
		uint64_t at; /* ns */
		uint32_t tid;
	} *attempt; /* NULL: the window is pinned */
	uint32_t mask, head, count;
};

struct engine;
struct agent;
struct transaction;

/* Prepares an agent, whose configuration is known. Returns 0 or -ENOMEM. */
int overtaken_open(const struct engine *engine, struct agent *agent);
void overtaken_close(struct agent *agent);
/* Records an attempt that begins. */
void overtaken_note(const struct engine *engine, struct agent *agent,
		    const struct transaction *transaction);
/* Takes the places of all attempts that are overtaken at @heard. */
void overtaken_advance(struct engine *engine, uint64_t heard);
/* Returns when to call overtaken_advance() because an agent waits for a place, in ns. */
uint64_t overtaken_deadline(const struct engine *engine);

#endif
