/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a collection as JSON: all that was read, and what was not. */
#ifndef PERF_JSON_H
#define PERF_JSON_H

#include <stdio.h>

#include "collection.h"
#include "common/names.h"

/* Writes a collection as one JSON object. @names may be NULL. */
void json_print(FILE *out, const struct collection *collection, const struct names *names);

#endif
