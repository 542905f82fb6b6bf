/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of madring-perf. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_table.h"
#include "prometheus/serve.h"
#include "session.h"
#include "shard.h"
#include "thresholds.h"

/* The exit statuses besides EXIT_UNABLE. */
#define EXIT_COMPLETE	    0
#define EXIT_ERRORS	    1 /* a port has errors beyond a threshold */
#define EXIT_PARTIAL	    3
#define EXIT_PARTIAL_ERRORS 4 /* both */

enum format {
	FORMAT_ERRORS,	 /* as ibqueryerrors(8) */
	FORMAT_COUNTERS, /* as its --counters */
	FORMAT_DUMP,	 /* as perfquery(8) */
	FORMAT_JSON,
	FORMAT_CSV,
};

/* The counters that are cleared once they are read. */
enum clear {
	CLEAR_ERRORS = 1 << 0,
	CLEAR_COUNTS = 1 << 1,
};

struct options {
	struct session_config session;
	unsigned int formats;	      /* those asked for by name, 1 << enum format */
	enum format format;	      /* the one that is written */
	uint32_t attributes;	      /* PMA_SET that is asked for by name */
	unsigned int node_types;      /* 1 << enum madring_node_type; 0: all */
	const char *port_guid;	      /* the node that has this one alone; NULL: all */
	uint64_t guid;		      /* the same, as a number */
	const char *dr_path;	      /* the node there alone; NULL: all */
	struct thresholds thresholds; /* so far what is suppressed */
	const char *threshold_file;
	bool data, details, links;
	uint64_t watch_ns;  /* collect so often and show what moved; 0: once */
	unsigned int clear; /* of enum clear */
	const char *node_name_map;
	struct shard shard;
	struct serve_options serve; /* see is_monitoring() */
};

/* Reads the command line. Ends the program for --help, --version and what is wrong. */
void options_read(struct options *options, int argc, char *argv[]);

/* Returns whether the program collects for Prometheus, rather than for people. */
static inline bool is_monitoring(const struct options *options)
{
	return options->serve.listen || options->serve.textfile;
}

#endif
