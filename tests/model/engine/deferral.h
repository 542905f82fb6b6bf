/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws replies that put the answer off, and models what the engine has to make of them. */
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

/* The P_Key table, for the agents that have one. */
extern const uint16_t deferral_pkeys[3];

/* Makes some replies say BUSY or redirect. */
void deferral_draw(struct world *world, struct packet *reply);

/*
 * Tells whether the engine must take a reply that matches for no answer yet. @retried: a later
 * attempt than @attempt was written.
 */
bool deferral_holds(const struct packet *packet, const struct record *record,
		    const struct attempt *attempt, bool retried);
/* Notes that the engine took the reply for no answer yet. That changes @attempt or the record. */
void deferral_take(struct world *world, const struct packet *packet, struct record *record,
		   struct attempt *attempt, bool retried);

#endif
