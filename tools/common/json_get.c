/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_get.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct json_object *json_member(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

bool json_get_number(struct json_object *object, const char *key, uint64_t most, uint64_t *number)
{
	struct json_object *value = json_member(object, key, json_type_int);

	if (!value || json_object_get_int64(value) < 0)
		return false;
	*number = json_object_get_uint64(value);
	return *number <= most;
}

uint64_t json_get_guid(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";
	unsigned long long guid;
	char *end;

	if (strncmp(text, "0x", 2))
		return 0;
	errno = 0;
	guid = strtoull(text, &end, 16);
	return errno || *end ? 0 : guid;
}

const char *json_get_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

bool json_get_flag(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}
