/* SPDX-License-Identifier: BSD-2-Clause */
/* One attribute's Get or Set, on its way from the SMA to what answers it. */
#ifndef SIM_ATTRIBUTE_H
#define SIM_ATTRIBUTE_H

#include "../inside.h"

struct request {
	struct fabric *fabric;
	struct node *node;
	unsigned int port; /* that it came in by */
	uint8_t method;
	uint32_t modifier;
	uint8_t *data; /* ATTRIBUTE_BYTES, which become the answer */
};

/* The port that a modifier names: 0 on a CA or router is the one the SMP came in by. */
static inline struct port *named_port(const struct request *request, unsigned int number)
{
	struct node *node = request->node;

	if (!number && node->type != NODE_SWITCH)
		number = request->port;
	return number <= node->port_count ? &node->port[number] : NULL;
}

/* Gets, and sets, PortInfo. Returns the status. */
int port_info(const struct request *request);

#endif
