/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON values in memory, built by json-c and written here. json-c itself leaves out of its text
 * whatever it had no memory for, and says nothing. Here every allocation is checked: when one
 * fails, the value is NULL, the functions below go on, and json_tree_print() tells at the end.
 * So there is one place to check, and none to forget.
 */
#ifndef COMMON_JSON_TREE_H
#define COMMON_JSON_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

/* All of these return a value that the caller owns, or NULL when memory is exhausted. */
struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_text(const char *text);
struct json_object *json_new_flag(bool flag);
/* A counter: whole and exact, up to 64 bits. */
struct json_object *json_new_number(uint64_t value);
struct json_object *json_new_signed(int64_t value);
struct json_object *json_new_real(double value);
/* The same with the digits that the caller has chosen. */
struct json_object *json_new_real_as(double value, const char *digits);

/* GUIDs are strings: many readers keep numbers as doubles, which have no room for 64 bits. */
struct json_object *json_guid(uint64_t guid);

/* Adds a member, or an element, which the container owns from then on. NULL: null. */
void json_add(struct json_object *object, const char *key, struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);

/* @text: UTF-8; utf8_make_printable() makes it so. */
void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_flag(struct json_object *object, const char *key, bool flag);
void json_add_number(struct json_object *object, const char *key, uint64_t value);
void json_add_real(struct json_object *object, const char *key, double value);

enum json_layout {
	JSON_ON_ONE_LINE,
	JSON_INDENTED, /* by two columns for each level */
};

/*
 * Writes a value. Returns 0, or -ENOMEM, with nothing written, when memory was exhausted in any
 * of the functions above since the last call. What cannot be written shows in ferror().
 */
int json_tree_print(FILE *out, struct json_object *value, enum json_layout layout);

#endif
