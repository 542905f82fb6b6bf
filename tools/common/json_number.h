/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters in JSON: whole and exact, up to 64 bits. */
#ifndef COMMON_JSON_NUMBER_H
#define COMMON_JSON_NUMBER_H

#include <stdint.h>
#include <json-c/json.h>

static inline void json_add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

#endif
