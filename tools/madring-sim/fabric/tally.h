/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fabric counts of each MAD: its kind, and the chain of round trips it belongs to. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "fabric/inside.h"

/* The position in stats.kind of this request's class, method and attribute. */
uint16_t tally_kind(struct fabric *fabric, const uint8_t *mad);

/* A round trip to @node has taken so many ns, and needed an answer of @before; NULL: of none. */
void tally_round_trip(struct fabric *fabric, struct node *node, const struct node *before,
		      uint64_t ns);

#endif
