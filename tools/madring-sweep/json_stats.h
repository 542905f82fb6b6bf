/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep took, as a JSON object. */
#ifndef SWEEP_JSON_STATS_H
#define SWEEP_JSON_STATS_H

#include "print.h"

struct json_object;

struct json_object *json_stats(const struct result *result);

#endif
