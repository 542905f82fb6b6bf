/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes, the model's numbers, and kinds of MADs in JSON. */
#ifndef SIM_JSON_VALUE_H
#define SIM_JSON_VALUE_H

#include "common/json_tree.h"

#include "fabric/fabric.h"

/* json_add_node adds "name", "guid" and "type"; the name is the description, made printable. */
void json_add_node(struct json_object *object, const struct topology_node *node);

/* json_of_model returns all numbers of a model, by their names. */
struct json_object *json_of_model(const struct fabric_model *model);

/* "ca", "switch" or "router". */
const char *node_type_name(enum node_type type);

/* json_of_kind returns a new object with the numbers and names of a kind of MAD. */
struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute);

/* json_of_kinds returns all kinds that were sent, and how many of each were answered. */
struct json_object *json_of_kinds(const struct fabric_stats *stats);

#endif
