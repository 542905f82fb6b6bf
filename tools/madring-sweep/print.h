/* SPDX-License-Identifier: BSD-2-Clause */
/* The outcome of a sweep, and the forms in which it is written. */
#ifndef SWEEP_PRINT_H
#define SWEEP_PRINT_H

#include <stdio.h>
#include <time.h>
#include <madring.h>
#include <madring/sweep.h>

#include "common/names.h"
#include "json/json_write.h"
#include "pma/drops.h"
#include "options.h"

struct result {
	const struct madring_fabric *fabric;
	const struct madring_fabric *old; /* to compare .fabric with; NULL: none */
	struct madring_sweep_state state;
	const struct names *names;
	const struct options *options;
	struct drops drops; /* empty unless .options ask for them */
	struct madring_stats stats;
	const char *driver; /* as madring_driver_text() returns it */
	uint64_t elapsed_ns;
	time_t finished;
	bool interrupted;
	int error;	     /* the -errno that ended the sweep early; 0: none */
	bool capture_failed; /* MADs are missing in the capture, and a message says so */
};

void print_topology(FILE *out, const struct result *result);
void print_list(FILE *out, const struct result *result);
void print_ports(FILE *out, const struct result *result);
void print_json(FILE *out, const struct result *result);
void print_dot(FILE *out, const struct result *result);
/* Writes how .fabric differs from .old: a line each. */
void print_changes(FILE *out, const struct result *result);
/* Writes the same as a member of the JSON object. */
void print_changes_json(struct json_writer *writer, const struct result *result);

/* Writes the name of a node in the topology file, in quotes: "S-0002c90300a1b2c3". */
void print_id(FILE *out, const struct madring_node *node);

/*
 * The functions below write lines for people: what the sweep took, what was dropped meanwhile, and
 * what it lacks.
 */
void print_stats(FILE *out, const struct result *result);
void print_drops(FILE *out, const struct result *result);
void print_problems(FILE *out, const struct result *result);

#endif
