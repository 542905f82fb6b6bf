/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of madring-sim. */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM "madring-sim"

/* The exit status when the command did not start. */
#define EXIT_NOT_STARTED 2

/* The changes of the fabric that the command line asks for, in its order. */
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
	const char *kernel;	  /* the name of the one to imitate; NULL: the default */
	uint32_t recv_queue_size; /* 0: the default */
	const char *control;	  /* NULL: in the private folder */
	struct change *changes;
	size_t change_count;
	uint64_t seed;
	uint64_t planes; /* 0: HCAs have none */
	bool routed;
	char **command;
};

/* Reads the command line. Ends the program for --help, --version and what is wrong. */
void options_read(struct options *options, int argc, char *argv[]);
void options_free(struct options *options);

#endif
