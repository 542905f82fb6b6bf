/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a measurement, of a part of its time or of all. */
#ifndef PING_FIGURES_H
#define PING_FIGURES_H

#include <stdint.h>

#include "histogram.h"

struct figures {
	uint64_t begin_ns, end_ns;
	uint64_t sent;	    /* requests, each however often it was tried */
	uint64_t answered;  /* well */
	uint64_t refused;   /* by an error status, or a reply that is none to the request */
	uint64_t lost;	    /* not answered in time */
	uint64_t failed;    /* could not be written */
	uint64_t abandoned; /* not waited for any more, because of a signal */
	uint64_t retries;
	uint64_t disturbed;	      /* of those answered: this host was late, see processor.h */
	struct histogram delay;	      /* of those answered, all that the user waited */
	struct histogram undisturbed; /* the same, without those disturbed */
	/* The histograms below split the delay, as far as its parts are known. */
	struct histogram own;  /* until it was written, and from when the reply was read */
	struct histogram trip; /* between the two: kernel, wire and the other node */
	struct histogram late; /* of all sent: how long after they were due. A part of own */
};

struct figures *figures_new(void);
void figures_clear(struct figures *figures, uint64_t now_ns);

/* Returns the percentage of requests with an outcome that were lost. */
double figures_loss(const struct figures *figures);

/* Returns the replies per second. */
double figures_rate(const struct figures *figures);

#endif
