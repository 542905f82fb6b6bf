/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_outstanding.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static uint64_t clock_now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void spent_start(struct spent *spent)
{
	spent->wall_ns = clock_now(CLOCK_MONOTONIC);
	spent->cpu_ns = clock_now(CLOCK_PROCESS_CPUTIME_ID);
}

void spent_stop(struct spent *spent)
{
	spent->cpu_ns = clock_now(CLOCK_PROCESS_CPUTIME_ID) - spent->cpu_ns;
	spent->wall_ns = clock_now(CLOCK_MONOTONIC) - spent->wall_ns;
}

static void print_spent(const struct spent *spent)
{
	printf("{\"wall_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64 "}", spent->wall_ns,
	       spent->cpu_ns);
}

int outstanding_report(const struct outstanding *outstanding)
{
	const struct measure *measure = &outstanding->measure;

	printf("{\"client\": \"%s\", \"lanes\": %" PRIu32 ", \"writes\": %" PRIu32 ", \"open\": ",
	       measure->client, measure->lanes, measure->in_flight);
	print_spent(&outstanding->open);
	printf(", \"close\": ");
	print_spent(&outstanding->close);
	printf(", \"quarters\": [");
	for (unsigned int i = 0; i < QUARTERS; i++) {
		printf(i ? ", " : "");
		print_spent(&outstanding->quarter[i]);
	}
	printf("]}\n");
	return measure_written(measure);
}
