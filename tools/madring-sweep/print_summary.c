/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the lines for people: what a sweep took, and what it lacks. */
#include <errno.h>
#include <inttypes.h>

#include "common/discover.h"
#include "common/plural.h"
#include "print.h"

static double in_us(uint64_t ns)
{
	return ns / 1e3;
}

static void print_lids(FILE *out, const struct madring_sweep_state *state)
{
	fprintf(out,
		"by LID:         %zu requests, to %zu nodes; %zu nodes by directed routes only, "
		"%zu "
		"requests repeated by these\n",
		state->lid_requests, state->lid_nodes, state->lid_refused, state->lid_repeated);
}

void print_stats(FILE *out, const struct result *result)
{
	const struct madring_stats *stats = &result->stats;
	struct madring_fabric_counts counts;

	madring_fabric_get_counts(result->fabric, &counts);
	fprintf(out,
		"found:          %zu switches, %zu channel adapters, %zu routers, %zu cables\n",
		counts.switches, counts.cas, counts.routers, counts.links);
	fprintf(out, "time:           %.3f ms\n", result->elapsed_ns / 1e6);
	fprintf(out, "MADs sent:      %" PRIu64 " for %" PRIu64 " requests\n", stats->sent,
		stats->accepted);
	if (result->options->lid_routed)
		print_lids(out, &result->state);
	fprintf(out, "most in flight: %" PRIu64 "\n", stats->in_flight_peak);
	fprintf(out, "retries:        %" PRIu64 "\n", stats->retried);
	fprintf(out, "timed out:      %" PRIu64 "\n", stats->timed_out);
	fprintf(out, "system calls:   %" PRIu64 "\n", stats->entries);
	fprintf(out, "driver:         %s\n", result->driver);
	fprintf(out,
		"round trip:     min %.1f us, mean %.1f, p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, "
		"max %.1f\n",
		in_us(stats->rtt_min_ns), in_us(stats->rtt_mean_ns), in_us(stats->rtt_p50_ns),
		in_us(stats->rtt_p90_ns), in_us(stats->rtt_p99_ns), in_us(stats->rtt_p999_ns),
		in_us(stats->rtt_max_ns));
	if (stats->pool_unpinned_bytes)
		fprintf(out,
			"not pinned:     %" PRIu64 " bytes of buffers; raise the memory-lock limit "
			"(ulimit -l) to pin them\n",
			stats->pool_unpinned_bytes);
}

void print_problems(FILE *out, const struct result *result)
{
	const char *program = program_invocation_short_name;
	size_t dropped = result->state.unanswered;

	discover_print_problems(out, result->fabric);
	if (result->error == -ENODEV)
		fprintf(out,
			"%s: the device is gone: the sweep ended early, with %zu request%s not "
			"answered\n",
			program, dropped, plural(dropped));
	else if (result->error)
		fprintf(out, "%s: the sweep ended early: %s\n", program,
			madring_error_text(result->error));
	if (result->state.deadline_reached)
		fprintf(out,
			"%s: the deadline ended the sweep, with %zu request%s not answered; "
			"--deadline allows more time\n",
			program, dropped, plural(dropped));
	if (result->interrupted)
		fprintf(out, "%s: interrupted, with %zu request%s not answered\n", program, dropped,
			plural(dropped));
}
