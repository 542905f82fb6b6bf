/* SPDX-License-Identifier: BSD-2-Clause */
/* The metrics of ports: their counters. */
#ifndef EXPORTER_PORT_METRICS_H
#define EXPORTER_PORT_METRICS_H

#include "madring-perf/prometheus/exposition.h"
#include "view.h"

void port_metrics(struct exposition *page, const struct view *view);

#endif
