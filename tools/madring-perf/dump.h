/* SPDX-License-Identifier: BSD-2-Clause */
/* One attribute of one port, as perfquery(8) writes it. */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include <stdio.h>

#include "collection.h"

/* Nothing when it was not read. */
void dump_reading(FILE *out, const struct port_counters *port, enum pma_attribute attribute);

#endif
