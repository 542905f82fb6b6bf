/* SPDX-License-Identifier: BSD-2-Clause */
/* The options, clocks and report of every client of the end-to-end benchmark. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/ring.h>

#include "latency.h"

#define MEASURE_MAX_IN_FLIGHT 32768u
#define MEASURE_MAX_LANES     64u
#define MEASURE_IDLE_MS	      1000u /* that a kernel's thread polls before it sleeps */

struct measure {
	const char *client;
	uint32_t in_flight;
	uint32_t lanes;	    /* 0: as many as madring takes by itself */
	uint16_t first_lid; /* of the responders */
	int timeout_ms;	    /* of every request; 0: the client's own way */
	enum madring_receive receive;
	bool own_windows;	/* not in_flight, but as many as madring lets */
	bool plain;		/* plain system calls, for madring */
	bool sqpoll;		/* a thread of the kernel's submits; for both rings */
	struct latency latency; /* of each request, if it is wanted */
	uint64_t mads;		/* to be measured */
	uint64_t warm_up;	/* before those */
	uint64_t syscalls;	/* counted by the client as it makes them */
	/*
	 * Returns the system calls that another program counts; it is called when the clocks start
	 * and stop.
	 */
	uint64_t (*ask_syscalls)(const struct measure *measure);
	uint64_t replies; /* so far */

	uint64_t start_ns, start_cpu_ns, start_syscalls, start_replies;
	uint64_t wall_ns, cpu_ns, measured_syscalls, measured_replies;
};

/* Reads the command line; ends the program when it is wrong. */
void measure_options(struct measure *measure, const char *client, int argc, char **argv);

void measure_start(struct measure *measure);
void measure_stop(struct measure *measure);

/* Counts replies; starts and stops the clocks when it is time. Returns 0 when all are in. */
static inline int measure_replies(struct measure *measure, uint64_t replies)
{
	uint64_t all = measure->warm_up + measure->mads;

	measure->replies += replies;
	if (!measure->start_ns && measure->replies >= measure->warm_up)
		measure_start(measure);
	if (measure->replies < all)
		return 1;
	measure_stop(measure);
	return 0;
}

/* Writes one line of JSON to stdout. Returns the program's exit status. */
int measure_report(const struct measure *measure);

/* Ends a report. Returns the program's exit status: 1 when stdout could not be written. */
int measure_written(const struct measure *measure);

/* Ends the program with "CLIENT: what: why". @error is a positive or negative errno. */
_Noreturn void measure_fail(const struct measure *measure, const char *what, int error);

#endif
