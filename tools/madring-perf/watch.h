/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects again and again for --watch, and shows what moved. */
#ifndef PERF_WATCH_H
#define PERF_WATCH_H

#include "common/names.h"
#include "options.h"

/*
 * Collects again and again until an interrupt, or until the device is removed. Shows the worst
 * ports that there is room for on a terminal, elsewhere all that moved; or, with --csv, all ports
 * of each collection. Returns the exit status.
 */
int watch(const struct options *options, const struct names *names);

#endif
