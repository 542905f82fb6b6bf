/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-perf as it runs for Prometheus: left to itself, for months. */
#ifndef PERF_MONITOR_H
#define PERF_MONITOR_H

#include "options.h"

/* Returns the exit status. */
int monitor(const struct options *options);

#endif
