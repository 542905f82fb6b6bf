/* SPDX-License-Identifier: BSD-2-Clause */
/* Discovers the fabric for a program: with its M_Keys, its progress, its deadline and signals. */
#ifndef COMMON_DISCOVER_H
#define COMMON_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <madring/fabric.h>
#include <madring/sweep.h>

struct local;
struct mkeys;
struct progress;

/*
 * The programs' default deadline is ten minutes. A discovery of the largest fabric takes seconds.
 * The deadline is for fabrics whose nodes answer slowly, or claim more nodes than there are.
 */
#define DISCOVER_DEADLINE_NS UINT64_C(600000000000)

struct discover {
	const struct local *local;
	bool keeps_retries; /* all requests have the agents' retries, as the user chose these */
	bool lid_routed;
	uint64_t mkey;		   /* of all requests, if .mkeys is NULL */
	const struct mkeys *mkeys; /* by node */
	size_t max_nodes;	   /* 0: the library's */
	/* The time of the monotonic clock, in ns, at which the discovery ends; 0: no deadline. */
	uint64_t deadline_ns;
	struct progress *progress; /* NULL: none is shown */
	/* The next three are those of madring_sweep_config; they may be NULL. */
	void (*on_node)(void *context, const struct madring_sweep_seen *seen);
	void (*on_port)(void *context, const struct madring_node_port *port);
	void (*on_node_known)(void *context, const struct madring_node *node);
	/* Returns whether enough was found. The discovery is canceled then. NULL: never. */
	bool (*is_enough)(void *context);
	void *context;
};

/*
 * Discovers the fabric. Stores it in any case, as far as it was found; it is NULL only if the
 * discovery could not start, and a message tells why. Ends the program when memory is exhausted.
 * Returns 0, or the -errno that ended the discovery, such as -ENODEV. An interrupt cancels it: see
 * madring_sweep_state.
 */
int discover(const struct discover *discover, struct madring_fabric **fabric);

/* Describes a problem, in the words of the programs' options. Writes @text and returns it. */
const char *discover_problem_text(const struct madring_problem *problem,
				  char text[MADRING_PROBLEM_TEXT_BYTES]);

/* Writes a line for each problem, with its directed path. */
void discover_print_problems(FILE *out, const struct madring_fabric *fabric);

#endif
