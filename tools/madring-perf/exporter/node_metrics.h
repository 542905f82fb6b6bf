/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metrics of nodes: what they are, what they are connected to, how fast the link is, and how
 * each node answered.
 */
#ifndef EXPORTER_NODE_METRICS_H
#define EXPORTER_NODE_METRICS_H

#include "madring-perf/prometheus/exposition.h"
#include "view.h"

void node_metrics(struct exposition *page, const struct view *view);

#endif
