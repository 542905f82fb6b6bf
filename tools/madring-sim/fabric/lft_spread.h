/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills linear forwarding tables with the shortest ways. */
#ifndef SIM_LFT_SPREAD_H
#define SIM_LFT_SPREAD_H

#include "fabric/inside.h"

/*
 * @switches: those of one subnet, whose tables are large enough for all of its LIDs, and whose
 * ports, and hosts' ports, have these LIDs. Of several ports that are equally near to where a
 * LID is, each gets as many LIDs as any other.
 * 0 or -ENOMEM; then the tables are as they were.
 */
int lft_spread(const struct fabric *fabric, struct node *const *switches, size_t count);

#endif
