/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report in JSON: what became of a fabric's MADs, how busy its nodes were, and how fast a program
 * could have been.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include "fabric/fabric.h"
#include "json/json_write.h"

/* The facts of a run that the fabric itself does not know. */
struct report_run {
	const char *profile;
	uint64_t seed;
};

/*
 * report_begin opens a report, which is one object, and writes all that the fabric knows. Its
 * caller may add members. ferror() tells of write errors.
 */
void report_begin(struct json_writer *writer, FILE *out, const struct fabric *fabric,
		  const struct report_run *run);

/* report_end closes a report. */
void report_end(struct json_writer *writer);

/* ---- Parts, for other reports ---- */

/* report_node adds "name", "guid" and "type"; the name is the description, made printable. */
void report_node(struct json_writer *writer, const struct topology_node *node);

/* report_model adds an object of all numbers of a model, by their names. */
void report_model(struct json_writer *writer, const char *key, const struct fabric_model *model);

/* drop_cause_name returns the name that a cause has in reports. */
const char *drop_cause_name(enum fabric_drop cause);

/* report_work adds what a node has worked on, how long, and what was "dropped" there, by cause. */
void report_work(struct json_writer *writer, const struct fabric *fabric,
		 const struct topology_node *node);

/* node_type_name returns "ca", "switch" or "router". */
const char *node_type_name(enum node_type type);

/* report_kind adds the numbers and names of a kind of MAD. */
void report_kind(struct json_writer *writer, uint8_t mgmt_class, uint8_t method,
		 uint16_t attribute);

#endif
