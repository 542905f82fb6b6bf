/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_measure.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <madring/version.h>
#include <valgrind/callgrind.h>

#include "common/option_table.h"

static uint64_t clock_now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t in_ns(const struct timeval *time)
{
	return ((uint64_t)time->tv_sec * 1000000u + (uint64_t)time->tv_usec) * 1000u;
}

/*
 * Returns the processor time of all threads, including the workers that the kernel started for
 * io_uring.
 */
static uint64_t cpu_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return in_ns(&usage.ru_utime) + in_ns(&usage.ru_stime);
}

#define OPTION_STRUCT struct measure

static void take_receive(void *field, const char *option, const char *text)
{
	enum madring_receive *receive = field;

	if (!strcmp(text, "multishot"))
		*receive = MADRING_RECEIVE_MULTISHOT;
	else if (!strcmp(text, "posted"))
		*receive = MADRING_RECEIVE_POSTED;
	else
		option_refuse(option, "takes multishot or posted");
}

static const struct option_entry entries[] = {
	{ 0, "in-flight", "N", "requests in flight; default 512",
	  OPTION_NUMBER(in_flight, 1, MEASURE_MAX_IN_FLIGHT) },
	{ 0, "own-windows", NULL, "as many in flight as madring's windows admit",
	  OPTION_FLAG(own_windows) },
	{ 0, "lanes", "N", "umad files; 0: as many as madring takes by itself; default 4",
	  OPTION_NUMBER(lanes, 0, MEASURE_MAX_LANES) },
	{ 0, "mads", "N", "requests to measure; default 500000",
	  OPTION_NUMBER(mads, 1, UINT32_MAX) },
	{ 0, "first-lid", "LID", "LID of the first responder; default 1",
	  OPTION_NUMBER(first_lid, 1, 0xbfff) },
	{ 0, "timeout-ms", "N", "timeout of every request; default: the client's own",
	  OPTION_NUMBER(timeout_ms, 1, INT_MAX) },
	{ 0, "receive", "HOW", "multishot or posted; default: the library's choice",
	  OPTION_BY(take_receive, receive) },
	{ 0, "plain", NULL, "move MADs by plain system calls (madring)", OPTION_FLAG(plain) },
	{ 0, "sqpoll", NULL, "have a kernel thread submit (SQPOLL)", OPTION_FLAG(sqpoll) },
	{ 0, "latency", NULL, "measure each request's latency, too", OPTION_FLAG(latency.wanted) },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: bench-CLIENT [options]\n"
		 "\n"
		 "Sends requests to responders through the default umad port and measures.\n",
	.notes = "Exit status: 0; 1 when it failed; 2 for a wrong use.\n",
	.entries = entries,
};

void measure_options(struct measure *measure, const char *client, int argc, char **argv)
{
	int first;

	*measure = (struct measure){
		.client = client,
		.in_flight = 512,
		.lanes = 4,
		.first_lid = 1,
		.mads = 500000,
	};
	first = option_table_read(&table, measure, MADRING_VERSION, argc, argv);
	if (first < argc)
		option_refuse(argv[first], "no such argument");
	if (!latency_open(&measure->latency, measure->in_flight))
		measure_fail(measure, "latencies", ENOMEM);
	measure->warm_up = measure->mads / 10 + 2 * (uint64_t)measure->in_flight;
}

static uint64_t syscalls_now(const struct measure *measure)
{
	return measure->ask_syscalls ? measure->ask_syscalls(measure) : measure->syscalls;
}

void measure_start(struct measure *measure)
{
	latency_reset(&measure->latency);
	measure->start_replies = measure->replies;
	measure->start_syscalls = syscalls_now(measure);
	measure->start_cpu_ns = cpu_now();
	measure->start_ns = clock_now(CLOCK_MONOTONIC);
	CALLGRIND_START_INSTRUMENTATION;
}

void measure_stop(struct measure *measure)
{
	CALLGRIND_STOP_INSTRUMENTATION;
	measure->wall_ns = clock_now(CLOCK_MONOTONIC) - measure->start_ns;
	measure->cpu_ns = cpu_now() - measure->start_cpu_ns;
	measure->measured_syscalls = syscalls_now(measure) - measure->start_syscalls;
	measure->measured_replies = measure->replies - measure->start_replies;
}

int measure_report(const struct measure *measure)
{
	printf("{\"client\": \"%s\", \"in_flight\": %" PRIu32 ", \"lanes\": %" PRIu32
	       ", \"mads\": %" PRIu64 ", \"wall_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64
	       ", \"syscalls\": %" PRIu64,
	       measure->client, measure->in_flight, measure->lanes, measure->measured_replies,
	       measure->wall_ns, measure->cpu_ns, measure->measured_syscalls);
	if (measure->latency.wanted)
		printf(", \"p50_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64,
		       latency_percentile(&measure->latency, 50),
		       latency_percentile(&measure->latency, 99));
	printf("}\n");
	return measure_written(measure);
}

int measure_written(const struct measure *measure)
{
	if (!fflush(stdout))
		return 0;
	fprintf(stderr, "%s: stdout: %s\n", measure->client, strerror(errno));
	return 1;
}

_Noreturn void measure_fail(const struct measure *measure, const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", measure->client, what, strerror(abs(error)));
	exit(1);
}
