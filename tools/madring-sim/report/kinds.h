/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of MADs in JSON. */
#ifndef SIM_REPORT_KINDS_H
#define SIM_REPORT_KINDS_H

#include <stdint.h>

#include <json-c/json.h>

#include "fabric/fabric.h"

/* json_of_kind returns a new object with the numbers and names of a kind of MAD. */
struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute);

/* json_of_kinds returns all kinds that were sent, and how many of each were answered. */
struct json_object *json_of_kinds(const struct fabric_stats *stats);

#endif
