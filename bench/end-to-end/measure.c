/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <valgrind/callgrind.h>

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

/* Of all threads: workers that the kernel started for io_uring count as well. */
static uint64_t cpu_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return in_ns(&usage.ru_utime) + in_ns(&usage.ru_stime);
}

_Noreturn static void usage(const char *client, int status)
{
	fprintf(status ? stderr : stdout,
		"usage: %s [--in-flight N] [--lanes N] [--mads N] [--first-lid LID]\n"
		"       [--timeout-ms N] [--receive multishot|posted] [--sqpoll] [--latency]\n"
		"       [--own-windows]\n"
		"Sends requests to a responder on the default umad port and measures.\n",
		client);
	exit(status);
}

static uint64_t number(const char *client, const char *text, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || value < least || value > most) {
		fprintf(stderr, "%s: %s: not a number from %" PRIu64 " to %" PRIu64 "\n", client,
			text, least, most);
		exit(2);
	}
	return value;
}

static enum madring_receive strategy(const char *client, const char *text)
{
	if (!strcmp(text, "multishot"))
		return MADRING_RECEIVE_MULTISHOT;
	if (!strcmp(text, "posted"))
		return MADRING_RECEIVE_POSTED;
	fprintf(stderr, "%s: %s: not multishot or posted\n", client, text);
	exit(2);
}

static void take_option(struct measure *measure, int option, const char *text)
{
	const char *client = measure->client;

	switch (option) {
	case 'i':
		measure->in_flight = (uint32_t)number(client, text, 1, MEASURE_MAX_IN_FLIGHT);
		break;
	case 'l':
		measure->lanes = (uint32_t)number(client, text, 0, MEASURE_MAX_LANES);
		break;
	case 'm':
		measure->mads = number(client, text, 1, UINT32_MAX);
		break;
	case 'f':
		measure->first_lid = (uint16_t)number(client, text, 1, 0xbfff);
		break;
	case 't':
		measure->timeout_ms = (int)number(client, text, 1, INT_MAX);
		break;
	case 'r':
		measure->receive = strategy(client, text);
		break;
	case 's':
		measure->sqpoll = true;
		break;
	case 'o':
		measure->own_windows = true;
		break;
	case 'L':
		measure->latency.wanted = true;
		break;
	default:
		usage(client, option == 'h' ? 0 : 2);
	}
}

void measure_options(struct measure *measure, const char *client, int argc, char **argv)
{
	static const struct option options[] = {
		{ "in-flight", required_argument, NULL, 'i' },
		{ "lanes", required_argument, NULL, 'l' },
		{ "mads", required_argument, NULL, 'm' },
		{ "first-lid", required_argument, NULL, 'f' },
		{ "timeout-ms", required_argument, NULL, 't' },
		{ "receive", required_argument, NULL, 'r' },
		{ "sqpoll", no_argument, NULL, 's' },
		{ "own-windows", no_argument, NULL, 'o' },
		{ "latency", no_argument, NULL, 'L' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	*measure = (struct measure){
		.client = client,
		.in_flight = 512,
		.lanes = 4,
		.first_lid = 1,
		.mads = 500000,
	};
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		take_option(measure, option, optarg);
	if (optind < argc)
		usage(client, 2);
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
