/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"

#define EXIT_COMPLETE 0
#define EXIT_PARTIAL  1
#define EXIT_UNABLE   2

struct options {
	struct session_config session;
	uint32_t attributes; /* PMA_SET that is written as perfquery writes it */
	const char *node_name_map;
};

/* Reads the command line. Ends the program for --help, --version and what is wrong. */
void options_read(struct options *options, int argc, char *argv[]);

#endif
