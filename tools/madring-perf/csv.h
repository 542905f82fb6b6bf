/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a collection as CSV (RFC 4180): a line for each port, a column for each counter. */
#ifndef PERF_CSV_H
#define PERF_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "collection.h"
#include "common/names.h"

/* Writes the names of the columns. @attributes is the PMA_SET that is asked for. */
void csv_print_head(FILE *out, uint32_t attributes);

/* Writes a line for each port. A value that could not be read is empty. @names may be NULL. */
void csv_print(FILE *out, const struct collection *collection, uint32_t attributes,
	       const struct names *names);

#endif
