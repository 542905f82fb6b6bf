/* SPDX-License-Identifier: BSD-2-Clause */
#include <infiniband/umad_str.h>

#include "report/attribute_name.h"
#include "report/json_value.h"
#include "report/kinds.h"

struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "class", mgmt_class);
	json_add_number(object, "method", method);
	json_add_number(object, "attribute", attribute);
	json_add_text(object, "class_name", umad_class_str(mgmt_class));
	json_add_text(object, "method_name", umad_method_str(mgmt_class, method));
	json_add_text(object, "name", attribute_name(mgmt_class, attribute));
	return object;
}

static void add(struct json_object *array, struct json_object *object,
		const struct fabric_kind *kind)
{
	json_add_number(object, "sent", kind->sent);
	json_add_number(object, "answered", kind->answered);
	json_append(array, object);
}

struct json_object *json_of_kinds(const struct fabric_stats *stats)
{
	const struct fabric_kind *other = &stats->kind[FABRIC_KINDS];
	struct json_object *array = json_new_array(), *object;

	for (unsigned int i = 0; i < stats->kind_count; i++) {
		const struct fabric_kind *kind = &stats->kind[i];

		object = json_of_kind(kind->mgmt_class, kind->method, kind->attribute);
		add(array, object, kind);
	}
	if (other->sent) {
		object = json_new_object();
		json_add_text(object, "name", "all others");
		add(array, object, other);
	}
	return array;
}
