/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_write.h"
#include "memory.h"
#include "utf8.h"

struct json_object *json_guid(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_object_new_string(text);
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

void json_add_flag(struct json_object *object, const char *key, bool flag)
{
	json_object_object_add(object, key, json_object_new_boolean(flag));
}

void json_add_any_text(struct json_object *object, const char *key, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = memory_get(1, bytes);

	memcpy(copy, text, bytes);
	utf8_repair(copy);
	json_add_text(object, key, copy);
	free(copy);
}

void json_write(FILE *out, struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_SPACED);

	if (!text)
		memory_end();
	fputs(text, out);
	json_object_put(value);
}

void json_write_member(FILE *out, const char *key, struct json_object *value)
{
	fprintf(out, "  \"%s\": ", key);
	json_write(out, value);
	fputs(",\n", out);
}

void json_write_element(FILE *out, struct json_object *value, bool *first)
{
	fputs(*first ? "\n    " : ",\n    ", out);
	*first = false;
	json_write(out, value);
}
