/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the outcomes of the requests to a node, or to all nodes of a type. */
#ifndef EXPORTER_ANSWERS_H
#define EXPORTER_ANSWERS_H

#include "view.h"

struct answers {
	uint64_t timeouts; /* requests without a reply */
	uint64_t errors;   /* unusable replies, and requests that could not be sent */
	uint64_t last_ns;  /* monotonic, when the last reply came; 0: none did */
};

void answers_add(struct answers *answers, const struct node_counters *node);

#endif
