/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of ports, as perfquery(8) writes them. */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include <stdio.h>

#include "collection.h"

/* One of one port. Nothing when it was not read. */
void dump_reading(FILE *out, const struct port_counters *port, enum pma_attribute attribute);

/* All that was read. */
void dump_collection(FILE *out, const struct collection *collection);

#endif
