/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_BUSY_H
#define SIM_REPORT_BUSY_H

#include <json-c/json.h>

#include "fabric/fabric.h"

/* All nodes that have worked, and how much. */
struct json_object *json_of_busy_nodes(const struct fabric *fabric);

/* The time that no sender, however clever, could have done with less of. */
struct json_object *json_of_lower_bound(const struct fabric *fabric);

#endif
