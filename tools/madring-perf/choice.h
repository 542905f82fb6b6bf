/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of a collection, made from the command line. */
#ifndef PERF_CHOICE_H
#define PERF_CHOICE_H

#include "options.h"
#include "plan.h"

/* The context of a plan's callbacks: the options, and the node that they name in a fabric. */
struct choice {
	const struct options *options;
	const struct madring_node *only; /* NULL: all nodes */
};

/* Returns the PMA_SET that the options ask for. */
uint32_t choice_attributes(const struct options *options);

/*
 * Makes the plan for a fabric that was discovered. @choice, @options and @fabric have to outlive
 * it. Returns 0, or -1 with a message written: the node that the options name is not there.
 */
int choice_plan(struct plan *plan, struct choice *choice, const struct options *options,
		const struct madring_fabric *fabric);

#endif
