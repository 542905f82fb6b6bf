/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes JSON piece by piece, so that no large output is held in memory as one tree. These
 * functions end the program, as memory_end() does, when memory is exhausted.
 */
#ifndef COMMON_JSON_WRITE_H
#define COMMON_JSON_WRITE_H

#include "json_tree.h"

/* Writes a value and frees it. */
void json_write(FILE *out, struct json_object *value);

/* Writes a value, indented and with a newline, and frees it. */
void json_write_indented(FILE *out, struct json_object *value);

/* Writes a value as a member of the outermost object, other than its last, and frees it. */
void json_write_member(FILE *out, const char *key, struct json_object *value);

/* Begins the line of an element of an array that is a member of the outermost object. */
void json_write_next(FILE *out, bool *first);

/*
 * Writes a value as an element of an array that is a member of the outermost object, and frees
 * it.
 */
void json_write_element(FILE *out, struct json_object *value, bool *first);

#endif
