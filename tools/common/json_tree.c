/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_tree.h"
#include "json/json_line.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `incomplete` tells whether memory was exhausted since the last value was written. */
static bool incomplete;

static struct json_object *check_memory(struct json_object *value)
{
	if (!value)
		incomplete = true;
	return value;
}

struct json_object *json_new_object(void)
{
	return check_memory(json_object_new_object());
}

struct json_object *json_new_array(void)
{
	return check_memory(json_object_new_array());
}

struct json_object *json_new_text(const char *text)
{
	return check_memory(json_object_new_string(text));
}

struct json_object *json_new_flag(bool flag)
{
	return check_memory(json_object_new_boolean(flag));
}

struct json_object *json_new_number(uint64_t value)
{
	return check_memory(json_object_new_uint64(value));
}

struct json_object *json_new_signed(int64_t value)
{
	return check_memory(json_object_new_int64(value));
}

struct json_object *json_new_real(double value)
{
	return check_memory(json_object_new_double(value));
}

struct json_object *json_new_real_as(double value, const char *digits)
{
	return check_memory(json_object_new_double_s(value, digits));
}

struct json_object *json_guid(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_new_text(text);
}

void json_add(struct json_object *object, const char *key, struct json_object *value)
{
	if (object && !json_object_object_add(object, key, value))
		return;
	incomplete = true;
	json_object_put(value);
}

void json_append(struct json_object *array, struct json_object *value)
{
	if (array && !json_object_array_add(array, value))
		return;
	incomplete = true;
	json_object_put(value);
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_add(object, key, json_new_text(text));
}

void json_add_flag(struct json_object *object, const char *key, bool flag)
{
	json_add(object, key, json_new_flag(flag));
}

void json_add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_add(object, key, json_new_number(value));
}

void json_add_real(struct json_object *object, const char *key, double value)
{
	json_add(object, key, json_new_real(value));
}

static void print_text(FILE *out, const char *text)
{
	struct json_line line;

	json_line_start(&line, out);
	json_line_text(&line, NULL, text);
	json_line_end(&line);
}

static void print_number(FILE *out, const struct json_object *value)
{
	int64_t number = json_object_get_int64(value);

	if (number < 0)
		fprintf(out, "%" PRId64, number);
	else
		fprintf(out, "%" PRIu64, json_object_get_uint64(value));
}

/*
 * Prints a real number with a point or an exponent, so that it is read as one. JSON has neither
 * infinity nor NaN: both become null.
 */
static void print_real(FILE *out, struct json_object *value)
{
	const char *digits = json_object_get_userdata(value);
	double number = json_object_get_double(value);
	char text[32];

	if (digits) {
		fputs(digits, out);
	} else if (!isfinite(number)) {
		fputs("null", out);
	} else {
		snprintf(text, sizeof(text), "%.17g", number);
		fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
	}
}

static void begin_item(FILE *out, enum json_layout layout, int depth, bool first)
{
	if (!first)
		fputc(',', out);
	if (layout == JSON_INDENTED)
		fprintf(out, "\n%*s", 2 * depth, "");
	else
		fputc(' ', out);
}

static void end_items(FILE *out, enum json_layout layout, int depth, bool empty)
{
	if (layout == JSON_ON_ONE_LINE)
		fputc(' ', out);
	else if (!empty)
		fprintf(out, "\n%*s", 2 * depth, "");
}

static void print_value(FILE *out, struct json_object *value, enum json_layout layout, int depth);

static void print_array(FILE *out, struct json_object *array, enum json_layout layout, int depth)
{
	size_t count = json_object_array_length(array);

	fputc('[', out);
	for (size_t i = 0; i < count; i++) {
		begin_item(out, layout, depth + 1, !i);
		print_value(out, json_object_array_get_idx(array, i), layout, depth + 1);
	}
	end_items(out, layout, depth, !count);
	fputc(']', out);
}

static void print_object(FILE *out, struct json_object *object, enum json_layout layout, int depth)
{
	struct json_object_iter member;
	bool first = true;

	fputc('{', out);
	json_object_object_foreachC(object, member)
	{
		begin_item(out, layout, depth + 1, first);
		first = false;
		print_text(out, member.key);
		fputs(layout == JSON_INDENTED ? ":" : ": ", out);
		print_value(out, member.val, layout, depth + 1);
	}
	end_items(out, layout, depth, first);
	fputc('}', out);
}

/* Prints a value of any type; @depth is how deep it is nested. */
static void print_value(FILE *out, struct json_object *value, enum json_layout layout, int depth)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		fputs("null", out);
		break;
	case json_type_boolean:
		fputs(json_object_get_boolean(value) ? "true" : "false", out);
		break;
	case json_type_double:
		print_real(out, value);
		break;
	case json_type_int:
		print_number(out, value);
		break;
	case json_type_string:
		print_text(out, json_object_get_string(value));
		break;
	case json_type_array:
		print_array(out, value, layout, depth);
		break;
	case json_type_object:
		print_object(out, value, layout, depth);
		break;
	}
}

int json_tree_print(FILE *out, struct json_object *value, enum json_layout layout)
{
	bool exhausted = incomplete;

	incomplete = false;
	if (exhausted)
		return -ENOMEM;
	print_value(out, value, layout, 0);
	return 0;
}
