/* SPDX-License-Identifier: BSD-2-Clause */
/* --show: a line for each node that answers, as it does, in ibnetdiscover's format. */
#ifndef SWEEP_SHOW_H
#define SWEEP_SHOW_H

#include <stdbool.h>
#include <stdint.h>

struct node;
struct query;

/* Writes the line of one reply; show_seen is a discovery_seen. */
void show_seen(void *context, const struct query *query, const struct node *node, uint8_t port,
	       bool is_new);

#endif
