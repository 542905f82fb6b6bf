/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The targets that madring's clients ask, and the requests: the hosts of vhca-fabric, or a
 * responder. Each request has a mark, by which its own reply is known.
 */
#ifndef VM_TARGET_H
#define VM_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include <madring.h>

struct target {
	uint8_t mgmt_class;
	uint16_t responder; /* its LID; 0: the hosts answer */
};

bool target_is_smp(const struct target *target);

/* Returns the OUI for an agent of the target's class. */
uint32_t target_oui(const struct target *target);

/* Writes the request of a mark; a GMP has it in its attribute modifier, too. */
void target_ask(const struct target *target, struct madring_mad *mad, uint32_t mark);

/* Tells whether @reply is the reply to the request of the mark. */
bool target_answers(const struct target *target, const struct madring_mad *reply, uint32_t mark);

#endif
