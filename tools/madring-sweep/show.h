/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the lines of --show, one for each reply as it comes, in ibnetdiscover's format. */
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
