/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed cases: a fabric, its faults, and the work that is done on it. */
#ifndef TIMES_CASES_H
#define TIMES_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASE_SETTINGS 8

struct times_case {
	const char *name, *about;
	const char *shape;   /* of topology_generate() */
	const char *profile; /* of the model */
	/* Numbers of the model, as "NAME=VALUE", which replace those of the profile; those that may
	   cost MADs. */
	const char *setting[CASE_SETTINGS];
	const char *slow_node; /* NULL: none */
	uint64_t slow_ns;      /* its service time */
	unsigned int dead_hosts;
	bool is_long; /* it is played only when it is named */
};

extern const struct times_case times_cases[];
extern const size_t times_case_count;

/* Returns a case by its name, or NULL. */
const struct times_case *case_find(const char *name);

#endif
