/* SPDX-License-Identifier: BSD-2-Clause */
#include "times_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "cases.h"
#include "play_case.h"

static bool is_json, has_case;

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

void report_begin(bool json)
{
	is_json = json;
	if (json)
		printf("[");
	else
		printf("%-20s %10s %10s %10s %6s %8s %8s %7s %6s %6s %6s %7s %6s %8s %8s  %s\n",
		       "case", "ms", "worst", "bound", "ratio", "sent", "retried", "silent", "full",
		       "lost", "local", "other", "peak", "p50 us", "p99 us", "complete");
}

static void write_row(const struct times_case *what, const struct times_result *result)
{
	printf("%-20s %10.3f %10.3f %10.3f %6.3f %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64
	       " %6" PRIu64 " %6" PRIu64 " %7" PRIu64 " %6" PRIu64 " %8.1f %8.1f  ",
	       what->name, ms(result->ns), ms(result->worst_ns), ms(result->least_ns),
	       (double)result->ns / (double)result->least_ns, result->sent, result->retried,
	       result->timed_out, result->drops.full, result->drops.lost, result->drops.local,
	       result->drops.other, result->in_flight_peak, (double)result->p50_ns / 1e3,
	       (double)result->p99_ns / 1e3);
	if (result->first_ns)
		printf("the first after %.3f, ", ms(result->first_ns));
	if (result->is_complete)
		printf("yes\n");
	else
		printf("no: %zu of %zu\n", result->found, result->real);
}

static void write_object(const struct times_case *what, const struct times_result *result)
{
	printf("%s\n  { \"case\": \"%s\", \"ns\": %" PRIu64 ", \"worst_ns\": %" PRIu64
	       ", \"first_ns\": %" PRIu64 ", \"least_ns\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"retried\": %" PRIu64 ", \"timed_out\": %" PRIu64
	       ",\n    \"dropped\": { \"full\": %" PRIu64 ", \"lost\": %" PRIu64
	       ", \"local\": %" PRIu64 ", \"other\": %" PRIu64 " },\n",
	       has_case ? "," : "", what->name, result->ns, result->worst_ns, result->first_ns,
	       result->least_ns, result->sent, result->retried, result->timed_out,
	       result->drops.full, result->drops.lost, result->drops.local, result->drops.other);
	printf("    \"found\": %zu, \"real\": %zu, \"complete\": %s"
	       ",\n    \"in_flight_peak\": %" PRIu64 ", \"entries\": %" PRIu64
	       ", \"p50_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64 " }",
	       result->found, result->real, result->is_complete ? "true" : "false",
	       result->in_flight_peak, result->entries, result->p50_ns, result->p99_ns);
}

void report_case(const struct times_case *what, const struct times_result *result)
{
	if (is_json)
		write_object(what, result);
	else
		write_row(what, result);
	has_case = true;
	fflush(stdout);
}

void report_end(void)
{
	if (is_json)
		printf("\n]\n");
}
