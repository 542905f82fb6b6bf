/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes, ports or links of a command: by a name, by a pattern, or picked at random. */
#ifndef SIM_SCENARIO_TARGETS_H
#define SIM_SCENARIO_TARGETS_H

#include "scenario/parser.h"

struct target {
	const struct topology_node *node;
	unsigned int port; /* one end of the link */
};

struct targets {
	struct target *target;
	size_t count;
	size_t pick; /* so many at random each time; 0: all */
};

/*
 * take_nodes takes a NAME, a pattern, or "N of PATTERN". Returns 0, or -EINVAL or -ENOMEM with the
 * reason. take_links takes NODE:PORT of ports that have a cable, and each link once, however many
 * ends match; take_ports takes NODE:PORT of all ports.
 */
int take_nodes(struct parser *parser, struct targets *targets);
int take_links(struct parser *parser, struct targets *targets);
int take_ports(struct parser *parser, struct targets *targets);

/* targets_pick moves the targets of this time to the front. Returns how many they are. */
size_t targets_pick(struct targets *targets, uint64_t *random);

void targets_free(struct targets *targets);

#endif
