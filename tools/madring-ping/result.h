/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a run, from which they are written. */
#ifndef PING_RESULT_H
#define PING_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "figures.h"
#include "options.h"
#include "ramp.h"

struct result {
	const struct options *options;
	const struct targets *targets;
	const struct figures *figures; /* of all, or of a ramp's highest rate that held */
	uint64_t local_trip_ns;	       /* 0: not known */
	const char *driver;	       /* as madring_driver_text() returns it */
	uint64_t strays;	       /* replies that came late, twice, or to no request */
	struct ramp ramp;
	bool interrupted;
	bool deadline_reached; /* the deadline has ended the discovery of the fabric */
	int error;	       /* the -errno that ended the run early; 0: none */

	/*
	 * The delays that a closed loop would have measured had it sent all the same while a
	 * request waited long: such a request keeps others from being sent, so that few delays tell
	 * of it. NULL for the other modes.
	 */
	const struct histogram *corrected;
};

/* A step of a ramp. */
struct step {
	uint64_t rate_mhz;
	const struct figures *figures;
	bool held;
	bool kept_up; /* requests went out at that rate */
};

#endif
