/* SPDX-License-Identifier: BSD-2-Clause */
/* A small SA on a host of the fabric: it answers each query with a copy of it. */
#ifndef MODEL_SA_H
#define MODEL_SA_H

#include <stdint.h>

/*
 * Starts an SA on a host, by its name. It works on one query after the other, for @query_ns each.
 * It never answers @unanswered percent of the queries, by the LID that they ask about, and these
 * take it no time. Returns its LID.
 */
uint16_t sa_open(const char *host, uint64_t query_ns, unsigned int unanswered);
void sa_close(void);

#endif
