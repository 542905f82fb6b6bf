/* SPDX-License-Identifier: BSD-2-Clause */
/* A small SA on a host of the fabric: it answers each query with a copy of it. */
#ifndef MODEL_SA_H
#define MODEL_SA_H

#include <stdbool.h>
#include <stdint.h>

struct sa_service {
	uint64_t query_ns;	 /* the time for a query */
	unsigned int unanswered; /* percent of the queries, by the LID that they ask about */
	bool is_parallel;	 /* it works on all queries at once, not on one after the other */
	/*
	 * The parallel one takes so long for the queries about the first LIDs, and about each so
	 * many-th LID; 0: about none.
	 */
	uint64_t quick_ns;
	unsigned int quick_first, quick_every;
};

/*
 * Starts an SA on a host, by its name. The queries that it never answers take it no time. Returns
 * its LID.
 */
uint16_t sa_open(const char *host, const struct sa_service *service);
void sa_close(void);

#endif
