/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes, or the links, that a command is about: by a name, by a pattern, or picked at random.
 */
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

/* NAME, a pattern, or N of them: "N of PATTERN". 0, -EINVAL or -ENOMEM with the reason. */
int take_nodes(struct parser *parser, struct targets *targets);

/* The same of NODE:PORT, ports that have a cable; each link once, however many ends match. */
int take_links(struct parser *parser, struct targets *targets);

/* The same of NODE:PORT, each port that there is. */
int take_ports(struct parser *parser, struct targets *targets);

/* Moves those to the front that the command is about this time. Returns how many. */
size_t targets_pick(struct targets *targets, uint64_t *random);

void targets_free(struct targets *targets);

#endif
