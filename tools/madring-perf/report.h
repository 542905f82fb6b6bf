/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a collection as ibqueryerrors(8) does: errors beyond thresholds, or data counters. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include <stdio.h>

#include "collection.h"
#include "common/names.h"
#include "thresholds.h"

struct report {
	const struct collection *collection;
	const struct names *names; /* may be NULL */
	const struct thresholds *thresholds;
	bool counters; /* data counters of all ports, in place of errors */
	bool data;     /* data counters with the errors */
	bool details;  /* what receive errors and discards are made of */
	bool links;    /* what the port is connected to */
};

/* Prints a report. Returns how many ports have errors. */
unsigned int report_print(FILE *out, const struct report *report);

#endif
