/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_REPORT_KINDS_H
#define SIM_REPORT_KINDS_H

#include <stdint.h>

#include <json-c/json.h>

#include "fabric/fabric.h"

/* A new object with the numbers and the names of a kind of MAD. */
struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute);

/* All kinds that were sent, and what became of them. */
struct json_object *json_of_kinds(const struct fabric_stats *stats);

#endif
