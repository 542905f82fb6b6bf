/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM "madring-sim"

/* The exit status of what could not begin: a wrong use, or no fabric, no command. */
#define EXIT_NOT_STARTED 2

/* What the scenario's language is to be told, in the order of the command line. */
enum change_kind { CHANGE_DO, CHANGE_SCENARIO, CHANGE_LOSS, CHANGE_DEAD };

struct change {
	enum change_kind kind;
	const char *argument;
};

struct options {
	const char *topology; /* one of these two */
	const char *generate;
	const char **attach; /* nodes; the first is the command's, or NULL: the first HCA */
	size_t attach_count;
	const char *device; /* of virtual HCAs; NULL: sockets, and a library to preload */
	const char *stats;  /* NULL: none */
	const char *profile;
	const char *control; /* NULL: in the private folder */
	struct change *changes;
	size_t change_count;
	uint64_t seed;
	bool routed;
	char **command;
};

/* Prints what is wrong, or what was asked for. -1: go on; else the status to exit with. */
int options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* The exit status of an option that only prints. */
int options_printed(void);

#endif
