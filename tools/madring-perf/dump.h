/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes attributes of ports as perfquery(8) does. */
#ifndef PERF_DUMP_H
#define PERF_DUMP_H

#include <stdio.h>

#include "collection.h"

/* Writes one attribute of one port, if it was read. */
void dump_reading(FILE *out, const struct port_counters *port, enum pma_attribute attribute);

/* Writes all attributes that were read. */
void dump_collection(FILE *out, const struct collection *collection);

#endif
