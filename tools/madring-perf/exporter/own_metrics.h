/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of madring-perf itself. */
#ifndef EXPORTER_OWN_METRICS_H
#define EXPORTER_OWN_METRICS_H

#include "madring-perf/prometheus/exposition.h"
#include "totals.h"
#include "view.h"

/* Writes the metrics. @totals includes the MADs of the ring that is open. */
void own_metrics(struct exposition *page, const struct view *view, const struct totals *totals);

#endif
