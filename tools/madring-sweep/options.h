/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of madring-sweep. */
#ifndef SWEEP_OPTIONS_H
#define SWEEP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/local.h"
#include "common/option_table.h"

/* The exit statuses besides EXIT_UNABLE. */
#define EXIT_COMPLETE 0
#define EXIT_PARTIAL  1
#define EXIT_CHANGED  3 /* the fabric is complete, and not as .compare has it */

struct mkeys;

enum format {
	FORMAT_TOPOLOGY,
	FORMAT_LIST,
	FORMAT_PORTS,
	FORMAT_JSON,
	FORMAT_DOT,
};

struct options {
	unsigned int formats; /* those asked for, 1 << enum format; the lists are in list_types */
	enum format format;   /* the one that is written */
	unsigned int list_types; /* 1 << enum madring_node_type; 0: no list was asked for */
	bool full;
	bool show;
	bool max_hops;
	bool stats;
	bool count_drops; /* .stats asks for them, too */
	const char *ca_name;
	int port;
	uint16_t pkey_index;
	struct tuning tuning;
	bool lid_routed;
	uint64_t mkey;
	struct mkeys *mkeys;  /* NULL: .mkey */
	uint64_t deadline_ns; /* how long the sweep may take */
	size_t max_nodes;
	const char *node_name_map;
	const char *capture; /* NULL: none */
	const char *compare; /* a file to compare the fabric with; NULL: none */
	const char *output;  /* NULL: standard output */
};

/* Reads the command line. Ends the program for --help, --version and what is wrong. */
void options_read(struct options *options, int argc, char *argv[]);

#endif
