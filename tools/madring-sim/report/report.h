/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report in JSON: what became of a fabric's MADs, how busy its nodes were, and how fast a program
 * could have been.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include "common/json_tree.h"
#include "fabric/fabric.h"

/* The facts of a run that the fabric itself does not know. */
struct report_run {
	const char *profile;
	uint64_t seed;
};

/* report_new returns a report, to be freed by json_object_put(). */
struct json_object *report_new(const struct fabric *fabric, const struct report_run *run);

/* report_print writes a report. It returns 0 or -errno. */
int report_print(struct json_object *report, FILE *out);

/* ---- Parts, for other reports ---- */

/* json_add_node adds "name", "guid" and "type"; the name is the description, made printable. */
void json_add_node(struct json_object *object, const struct topology_node *node);

/* json_of_model returns all numbers of a model, by their names. */
struct json_object *json_of_model(const struct fabric_model *model);

/* drop_cause_name returns the name that a cause has in reports. */
const char *drop_cause_name(enum fabric_drop cause);

/*
 * json_add_work adds what a node has worked on, how long, and what was "dropped" there, by cause.
 */
void json_add_work(struct json_object *object, const struct fabric *fabric,
		   const struct topology_node *node);

/* node_type_name returns "ca", "switch" or "router". */
const char *node_type_name(enum node_type type);

/* json_of_kind returns a new object with the numbers and names of a kind of MAD. */
struct json_object *json_of_kind(uint8_t mgmt_class, uint8_t method, uint16_t attribute);

#endif
