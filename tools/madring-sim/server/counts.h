/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's counts of MADs, and the report of them. */
#ifndef SIM_COUNTS_H
#define SIM_COUNTS_H

#include <stdint.h>

#include "fabric/stats.h"

struct json_writer;

/* The reason why a write was dropped. The real driver would have returned an error. */
enum reject {
	REJECT_SHORT,
	REJECT_LONG,
	REJECT_AGENT, /* no such agent */
	REJECT_DUPLICATE,
	REJECT_ROUTE, /* a directed route that can't start at this port */
	REJECT_RMPP,
	REJECT_LIMIT, /* too many requests outstanding, or no memory */
	REJECT_REASONS
};

/* The counts of one kind of MAD. */
struct count_kind {
	uint64_t written, retried, received, timed_out;
};

struct counts {
	struct kind_index index;
	struct count_kind kind[KIND_INDEX_KINDS + 1]; /* the last is for all that find no place */
	uint64_t rejected[REJECT_REASONS];
	uint64_t unmatched;  /* responses that nobody was waiting for */
	uint64_t unclaimed;  /* requests that no agent had registered for */
	uint64_t overflowed; /* MADs for a reader whose queue was full */
	uint64_t unread;     /* MADs for a reader that has gone */
	struct {
		uint64_t segments, resent, acks; /* sent */
		uint64_t refused;		 /* STOPs and ABORTs sent */
		uint64_t aborted;		 /* messages that the other end refused */
	} rmpp;
	uint64_t files, agents;
	uint64_t outstanding_peak;
	uint64_t held;	  /* MADs, each time that they were put in a backlog */
	uint64_t waiting; /* in all backlogs now */
	uint64_t waiting_peak;
};

/* counts_of returns the counters of a kind of MAD, never NULL. */
struct count_kind *counts_of(struct counts *counts, const uint8_t *mad);

/* counts_report adds "mads", "rejected", "rmpp" and "kinds" to a report. */
void counts_report(const struct counts *counts, struct json_writer *writer);

#endif
