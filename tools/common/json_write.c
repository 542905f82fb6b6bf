/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_write.h"

#include "memory.h"

static void write_and_free(FILE *out, struct json_object *value, enum json_layout layout)
{
	if (json_tree_print(out, value, layout))
		memory_end();
	json_object_put(value);
}

void json_write(FILE *out, struct json_object *value)
{
	write_and_free(out, value, JSON_ON_ONE_LINE);
}

void json_write_indented(FILE *out, struct json_object *value)
{
	write_and_free(out, value, JSON_INDENTED);
	fputc('\n', out);
}

void json_write_member(FILE *out, const char *key, struct json_object *value)
{
	fprintf(out, "  \"%s\": ", key);
	json_write(out, value);
	fputs(",\n", out);
}

void json_write_next(FILE *out, bool *first)
{
	fputs(*first ? "\n    " : ",\n    ", out);
	*first = false;
}

void json_write_element(FILE *out, struct json_object *value, bool *first)
{
	json_write_next(out, first);
	json_write(out, value);
}
