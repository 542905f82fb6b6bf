/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON values in memory, built by json-c and written by the functions here. json-c silently leaves
 * out of its text whatever it had no memory for. The functions here check every allocation: when
 * one fails, the value is NULL, later calls go on, and json_tree_print() returns -ENOMEM at the
 * end. So a program checks for exhausted memory in one place only.
 */
#ifndef COMMON_JSON_TREE_H
#define COMMON_JSON_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

/* Each json_new function returns a value that the caller owns, or NULL when memory is exhausted. */
struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_text(const char *text);
struct json_object *json_new_flag(bool flag);
/* Makes a counter, a whole number of up to 64 bits, which is written exactly. */
struct json_object *json_new_number(uint64_t value);
struct json_object *json_new_signed(int64_t value);
struct json_object *json_new_real(double value);
/* Makes a real number that is written with the digits that the caller has chosen. */
struct json_object *json_new_real_as(double value, const char *digits);

/*
 * Makes a GUID. It is a string: many readers keep numbers as doubles, which have no room for 64
 * bits.
 */
struct json_object *json_guid(uint64_t guid);

/*
 * `json_add` adds a member to an object, and `json_append` an element to an array. The container
 * owns @value from then on. A value of NULL becomes null.
 */
void json_add(struct json_object *object, const char *key, struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);

/* Adds a text in UTF-8; utf8_make_printable() makes any bytes so. */
void json_add_text(struct json_object *object, const char *key, const char *text);
void json_add_flag(struct json_object *object, const char *key, bool flag);
void json_add_number(struct json_object *object, const char *key, uint64_t value);
void json_add_real(struct json_object *object, const char *key, double value);

enum json_layout {
	JSON_ON_ONE_LINE,
	JSON_INDENTED, /* two columns for each level */
};

/*
 * Writes a value. Returns 0; or -ENOMEM, with nothing written, when memory was exhausted in any of
 * the functions above since the last call. ferror() tells of write errors.
 */
int json_tree_print(FILE *out, struct json_object *value, enum json_layout layout);

#endif
