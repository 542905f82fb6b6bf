/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that put the answer off: drawn, and what the engine has to make of them. */
#ifndef SIMULATION_DEFERRAL_H
#define SIMULATION_DEFERRAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "model/common/prng.h"

struct attempt;
struct packet;
struct record;
struct world;

struct deferral {
	bool busy, redirect;
	uint32_t destination; /* the redirect's, by its number in the world */
	uint16_t lid;	      /* 0: a GID that would have to be resolved */
	uint16_t pkey;
	uint32_t qkey;
	uint8_t sl;
};

/* The table of those agents' ports that have one. */
extern const uint16_t deferral_pkeys[3];

/* Perhaps makes a reply one that says BUSY, or that redirects. */
void deferral_draw(struct world *world, struct packet *reply);

/* Whether the reply, which matches, must be none yet. @retried: not to the last attempt. */
bool deferral_holds(const struct packet *packet, const struct record *record,
		    const struct attempt *attempt, bool retried);
/* It was none: @attempt, or the transaction, is another from now on. */
void deferral_take(struct world *world, const struct packet *packet, struct record *record,
		   struct attempt *attempt, bool retried);

#endif
