/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON as the programs write it. GUIDs are strings: many readers keep numbers as doubles, which
 * have no room for 64 bits. What is large is written piece by piece, not held as one tree.
 */
#ifndef COMMON_JSON_WRITE_H
#define COMMON_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

struct json_object *json_guid(uint64_t guid);

void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_flag(struct json_object *object, const char *key, bool flag);

/* A text of any bytes: what is no UTF-8 in it becomes '?'. */
void json_add_any_text(struct json_object *object, const char *key, const char *text);

/* Writes a value and frees it. */
void json_write(FILE *out, struct json_object *value);

/* The same as a member of the outermost object, which is not the last one. */
void json_write_member(FILE *out, const char *key, struct json_object *value);

/* The same as an element of an array that is a member of the outermost object. */
void json_write_element(FILE *out, struct json_object *value, bool *first);

#endif
