/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "common/utf8.h"

#include "fabric/model.h"
#include "report/json_value.h"
#include "topology/builder.h"

const char *node_type_name(enum node_type type)
{
	if (type == NODE_SWITCH)
		return "switch";
	return type == NODE_ROUTER ? "router" : "ca";
}

void json_add_node(struct json_object *object, const struct topology_node *node)
{
	char name[DESCRIPTION_BYTES + 1];

	snprintf(name, sizeof(name), "%s", node->description);
	utf8_make_printable(name);
	json_add_text(object, "name", name);
	json_add(object, "guid", json_guid(node->node_guid));
	json_add_text(object, "type", node_type_name(node->type));
}

struct json_object *json_of_model(const struct fabric_model *model)
{
	struct json_object *object = json_new_object();
	char text[32];
	double value;

	for (size_t i = 0; i < MODEL_NUMBERS; i++) {
		value = model_get(model, &model_numbers[i]);
		/* As it was written, without the digits that a double has besides. */
		snprintf(text, sizeof(text), "%.15g", value);
		if (model_numbers[i].kind == MODEL_PROBABILITY)
			json_add(object, model_numbers[i].name, json_new_real_as(value, text));
		else
			json_add_number(object, model_numbers[i].name, (uint64_t)value);
	}
	return object;
}
