/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed cases: a fabric, its faults, and the work that is done on it. */
#ifndef TIMES_CASES_H
#define TIMES_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/model_sa.h"

#define CASE_SETTINGS 8

enum times_work {
	WORK_SWEEP,
	WORK_TWO_SWEEPS, /* of two programs on two hosts at once */
	WORK_COLLECTION, /* of a fabric that was swept without a fault */
	WORK_LISTENING,	 /* a sweep and a collection every three minutes, again and again */
	WORK_QUERIES,	 /* path queries to the SA, all at once */
};

struct times_case {
	const char *name, *about;
	enum times_work work;
	unsigned int dead_hosts;
	const char *shape;   /* of topology_generate() */
	const char *profile; /* of the model */
	/* Numbers of the model, as "NAME=VALUE", which replace those of the profile. */
	const char *setting[CASE_SETTINGS];
	const char *second_host;  /* of the second program; NULL: none */
	const char *slow_node;	  /* NULL: none */
	uint64_t slow_ns;	  /* its service time */
	const char *stalled_node; /* "*": all */
	uint64_t stall_after_ns, stall_ns;
	/* The program is off its processor for up to .away_ns, in so many of a million turns. */
	uint64_t away_ns;
	uint32_t away_ppm;
	unsigned int lanes;	/* 0: as many as the library takes */
	struct sa_service sa;	/* of WORK_QUERIES */
	unsigned int rounds;	/* of WORK_LISTENING */
	unsigned int seeds;	/* the number of seeds to play; 0 means 1 */
	bool has_kernel_limits; /* those of Linux 6.17 and later */
	bool is_long;		/* it is played only when it is named */
};

extern const struct times_case times_cases[];
extern const size_t times_case_count;

/* Returns a case by its name, or NULL. */
const struct times_case *case_find(const char *name);

#endif
