/* SPDX-License-Identifier: BSD-2-Clause */
/* Gets members of JSON objects that somebody else wrote. Each function takes any value, also NULL,
   and has a result for a member that is not there or is of another type. */
#ifndef COMMON_JSON_GET_H
#define COMMON_JSON_GET_H

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>

/* Returns a member of a type, or NULL. The object keeps owning it. */
struct json_object *json_member(struct json_object *object, const char *key, enum json_type type);

/* Stores a whole number. Returns false if there is none from 0 to @most. */
bool json_get_number(struct json_object *object, const char *key, uint64_t most, uint64_t *number);

/* Returns a GUID as json_guid() writes it, or 0. */
uint64_t json_get_guid(struct json_object *object, const char *key);

/* Returns a text, which lives as long as the object, or "". */
const char *json_get_text(struct json_object *object, const char *key);

bool json_get_flag(struct json_object *object, const char *key);

#endif
