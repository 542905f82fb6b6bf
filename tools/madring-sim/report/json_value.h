/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, GUIDs and the model's numbers in JSON. */
#ifndef SIM_JSON_VALUE_H
#define SIM_JSON_VALUE_H

#include "common/json_tree.h"

#include "fabric/fabric.h"

/* "name", "guid" and "type" of a node; the name is its description, made printable. */
void json_add_node(struct json_object *object, const struct topology_node *node);

/* All numbers of a model, by their names. */
struct json_object *json_of_model(const struct fabric_model *model);

#endif
