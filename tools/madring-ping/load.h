/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends requests by a plan, to one target after the other, and counts their outcomes. */
#ifndef PING_LOAD_H
#define PING_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

#include "figures.h"
#include "kind.h"
#include "processor.h"
#include "target.h"

struct plan {
	/* The schedule of a plan without .in_flight: so many requests in such a time. */
	uint64_t rate_count, rate_span_ns;
	/*
	 * Delays count from when a request was due; else from when it was sent. The two differ
	 * where something keeps the program, or the ring, from sending in time.
	 */
	bool from_due;
	uint32_t in_flight;
	uint64_t count, duration_ns; /* 0: no limit */
	uint64_t report_ns;
};

/* The outcome of one request. */
struct outcome {
	const struct target *target;
	uint64_t number; /* of the target, from 0 */
	enum { OUTCOME_ANSWERED, OUTCOME_REFUSED, OUTCOME_LOST, OUTCOME_FAILED } what;
	uint64_t delay_ns;
	/*
	 * How long this host let the program wait for a processor meanwhile; 0: too short to spoil
	 * the delay.
	 */
	uint64_t waited_ns;
	const char *why;  /* of OUTCOME_REFUSED and OUTCOME_FAILED */
	uint16_t status;  /* of OUTCOME_REFUSED: the MAD's; 0: the reply is wrong */
	const char *host; /* of KIND_IBPING, when answered: the name it calls itself; else NULL */
};

struct load {
	struct madring *ring;
	struct madring_agent *agent[2]; /* for LIDs, and for directed routes; NULL: not needed */
	struct targets *targets;
	enum kind kind;
	uint32_t oui;
	uint8_t gid_index;
	uint16_t pkey_index; /* of the requests that are no SMPs */
	/* Callbacks for each outcome, and for each report; either may be NULL. */
	void (*on_outcome)(void *context, const struct outcome *outcome);
	void (*on_report)(void *context, const struct figures *part);
	void *context;
	struct figures *total, *part; /* .part: since the last report */

	/* The members below are for load.c alone. */
	const struct plan *plan;
	uint64_t begin_ns, end_ns, next_report_ns;
	uint64_t begun, last; /* requests that were sent, and that are to be */
	uint32_t outstanding;
	struct request *requests, *free; /* all, and those not in use */
	struct processor processor;
	int error;
};

/* Makes room for @room requests at once, no more than the ring takes. */
void load_open(struct load *load, uint32_t room);
void load_close(struct load *load);

/*
 * Carries out a plan until its end, a signal, or an error. Waits for the outstanding requests at
 * its end, unless a signal comes. Clears the figures first. Returns 0, or the -errno that ended it
 * early, such as -ENODEV.
 */
int load_run(struct load *load, const struct plan *plan);

#endif
