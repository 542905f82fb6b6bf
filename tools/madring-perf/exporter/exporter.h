/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collections for Prometheus, one after another, for as long as the program runs: the device may
 * go meanwhile, and come back.
 */
#ifndef EXPORTER_EXPORTER_H
#define EXPORTER_EXPORTER_H

#include <stdbool.h>

#include "common/names.h"
#include "madring-perf/known_nodes.h"
#include "madring-perf/options.h"
#include "madring-perf/prometheus/exposition.h"
#include "madring-perf/session.h"
#include "madring-perf/twins.h"
#include "totals.h"

struct exporter {
	const struct options *options;
	struct names *names; /* NULL: none */
	struct thresholds thresholds;
	struct session session;
	bool open; /* the session is */
	int error; /* why the last collection could not be made; 0: it was */
	struct totals totals;
	struct known_nodes known;
	struct twins twins; /* twins of the last collection, which have been reported */
};

/*
 * Reads the names and thresholds. Returns 0, or -1 with a message written. The device is opened by
 * the first collection, and may not be there yet.
 */
int exporter_start(struct exporter *exporter, const struct options *options);
void exporter_end(struct exporter *exporter);

/* Collects, and makes a page. Sets @made if there was a device to collect through. */
struct exposition *exporter_collect(struct exporter *exporter, bool *made);

/* Reads the names and thresholds again. Reports what is wrong, and keeps the old ones then. */
void exporter_reload(struct exporter *exporter);

#endif
