/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fabric/model_number.h"
#include "common/json_number.h"
#include "json_value.h"
#include "node_type.h"
#include "common/utf8.h"

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_name(struct json_object *object, const char *name)
{
	char *text = strdup(name);

	if (!text)
		return;
	utf8_repair(text);
	json_add_text(object, "name", text);
	free(text);
}

void json_add_node(struct json_object *object, const struct topology_node *node)
{
	char guid[sizeof("0x0123456789abcdef")];

	snprintf(guid, sizeof(guid), "0x%016" PRIx64, node->node_guid);
	add_name(object, node->description);
	json_add_text(object, "guid", guid);
	json_add_text(object, "type", node_type_name(node->type));
}

struct json_object *json_of_model(const struct fabric_model *model)
{
	struct json_object *object = json_object_new_object();
	char text[32];
	double value;
	size_t i;

	for (i = 0; i < MODEL_NUMBERS; i++) {
		value = model_get(model, &model_numbers[i]);
		/* As it was written, without the digits that a double has besides. */
		snprintf(text, sizeof(text), "%.15g", value);
		if (model_numbers[i].kind == MODEL_PROBABILITY)
			json_object_object_add(object, model_numbers[i].name,
					       json_object_new_double_s(value, text));
		else
			json_add_number(object, model_numbers[i].name, (uint64_t)value);
	}
	return object;
}
