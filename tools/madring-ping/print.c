/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <madring.h>

#include "common/plural.h"
#include "print.h"

/* Writes a time in the unit that suits it, with four digits or so. */
static const char *time_text(uint64_t ns, char text[24])
{
	if (ns < 10000000u)
		snprintf(text, 24, "%.1f us", (double)ns / 1e3);
	else if (ns < 10000000000u)
		snprintf(text, 24, "%.2f ms", (double)ns / 1e6);
	else
		snprintf(text, 24, "%.3f s", (double)ns / 1e9);
	return text;
}

static void put_time(FILE *out, const char *name, uint64_t ns)
{
	char text[24];

	fprintf(out, "%s %s", name, time_text(ns, text));
}

void print_outcome(FILE *out, const struct outcome *outcome, int timeout_ms)
{
	fprintf(out, "%s", outcome->target->name);
	if (outcome->host)
		fprintf(out, " (%s)", outcome->host);
	fprintf(out, ": number %" PRIu64, outcome->number + 1);
	switch (outcome->what) {
	case OUTCOME_ANSWERED:
		put_time(out, ":", outcome->delay_ns);
		if (outcome->waited_ns)
			put_time(out, ", while this host let madring-ping wait",
				 outcome->waited_ns);
		break;
	case OUTCOME_REFUSED:
		if (outcome->status)
			fprintf(out, ": refused: %s (status 0x%04x)", outcome->why,
				outcome->status);
		else
			fprintf(out, ": %s", outcome->why);
		break;
	case OUTCOME_LOST:
		fprintf(out, ": no reply in %d ms", timeout_ms);
		break;
	case OUTCOME_FAILED:
		fprintf(out, ": not sent: %s", outcome->why);
		break;
	}
	fputc('\n', out);
	fflush(out);
}

static void put_percentiles(FILE *out, const struct histogram *histogram)
{
	put_time(out, "p50", histogram_percentile(histogram, 50));
	put_time(out, ", p90", histogram_percentile(histogram, 90));
	put_time(out, ", p99", histogram_percentile(histogram, 99));
	put_time(out, ", p99.9", histogram_percentile(histogram, 99.9));
	put_time(out, ", max", histogram->max);
}

/* Adds the percentiles to a line. Without a reply there are none. */
static void put_known_percentiles(FILE *out, const struct histogram *histogram)
{
	if (!histogram->total)
		return;
	fputs("; ", out);
	put_percentiles(out, histogram);
}

static void put_counts(FILE *out, const struct figures *figures)
{
	fprintf(out, "%" PRIu64 " sent, %" PRIu64 " answered, %" PRIu64 " lost", figures->sent,
		figures->answered, figures->lost);
	if (figures->disturbed)
		fprintf(out, " (%" PRIu64 " while this host was late)", figures->disturbed);
	if (figures->refused)
		fprintf(out, ", %" PRIu64 " refused", figures->refused);
	if (figures->failed)
		fprintf(out, ", %" PRIu64 " not sent for an error", figures->failed);
	if (figures->abandoned)
		fprintf(out, ", %" PRIu64 " not waited for", figures->abandoned);
}

void print_part(FILE *out, const struct figures *part, uint64_t since_ns)
{
	fprintf(out, "%8.3f s: ", (double)(part->end_ns - since_ns) / 1e9);
	put_counts(out, part);
	fprintf(out, "; %.1f/s", figures_rate(part));
	put_known_percentiles(out, &part->delay);
	fputc('\n', out);
	fflush(out);
}

void print_step(FILE *out, const struct step *step)
{
	fprintf(out, "%12.3f/s: %s: ", (double)step->rate_mhz / 1e3,
		step->held	? "held"
		: step->kept_up ? "too much"
				: "too much to be sent");
	put_counts(out, step->figures);
	put_known_percentiles(out, &step->figures->delay);
	fputc('\n', out);
	fflush(out);
}

const char *print_mode(const struct options *options, char text[PRINT_MODE_BYTES])
{
	char time[24];

	switch (options->mode) {
	case MODE_INTERVAL:
		snprintf(text, PRINT_MODE_BYTES, "one every %s",
			 time_text(options->interval_ns, time));
		break;
	case MODE_CLOSED:
		snprintf(text, PRINT_MODE_BYTES, "%u in flight", options->in_flight);
		break;
	case MODE_OPEN:
		snprintf(text, PRINT_MODE_BYTES, "%.3f a second", (double)options->rate_mhz / 1e3);
		break;
	case MODE_RAMP:
		snprintf(text, PRINT_MODE_BYTES, "the highest rate that holds");
		break;
	}
	return text;
}

static void print_delays(FILE *out, const char *name, const struct histogram *histogram)
{
	fprintf(out, "%-12s", name);
	put_time(out, "min", histogram->min);
	put_time(out, ", mean", (uint64_t)histogram_mean(histogram));
	fputs(", ", out);
	put_percentiles(out, histogram);
	fputc('\n', out);
}

/* Prints the delays without those of a host that was late itself. */
static void print_undisturbed(FILE *out, const struct figures *figures)
{
	if (!figures->disturbed)
		return;
	if (!figures->undisturbed.total) {
		fputs("in time:    none. During every reply this host let madring-ping wait for a "
		      "processor:\n"
		      "            nothing is known of the fabric's delays alone.\n",
		      out);
		return;
	}
	print_delays(out, "in time:", &figures->undisturbed);
	fprintf(out,
		"            During %" PRIu64 " of the %" PRIu64
		" replies this host let madring-ping wait for a processor:\n"
		"            their delays are not the fabric's alone. This line leaves them out.\n",
		figures->disturbed, figures->answered);
}

/* Prints the parts of the median delay, as far as they are known. */
static void print_parts(FILE *out, const struct result *result)
{
	uint64_t own = histogram_percentile(&result->figures->own, 50);
	uint64_t trip = histogram_percentile(&result->figures->trip, 50);
	uint64_t local = result->local_trip_ns;

	if (!result->figures->trip.total)
		return;
	fputs("of the p50: ", out);
	put_time(out, "madring's own", own);
	put_time(out, "; beyond it", trip);
	if (local)
		put_time(out, ", of which a reply of the local port takes", local);
	fputc('\n', out);
}

static void print_late(FILE *out, const struct histogram *late)
{
	put_time(out, "sent late:  p50", histogram_percentile(late, 50));
	put_time(out, ", p99", histogram_percentile(late, 99));
	put_time(out, ", max", late->max);
	fputs("; the delays count it\n", out);
}

/* Prints the delays that a closed loop hides. */
static void print_corrected(FILE *out, const struct result *result)
{
	const struct figures *figures = result->figures;

	if (!result->corrected || !result->corrected->total)
		return;
	print_delays(out, "corrected:", result->corrected);
	fprintf(out,
		"            In a closed loop a request that waits keeps the next from being sent: "
		"a stall shows in\n"
		"            %u delay%s at most. The line above adds those not sent meanwhile, one "
		"each p50: %" PRIu64 "\n"
		"            of them. --rate measures it.\n",
		result->options->in_flight, plural(result->options->in_flight),
		result->corrected->total - figures->undisturbed.total);
}

static void print_ramp(FILE *out, const struct result *result)
{
	if (!result->ramp.held_mhz) {
		fputs("highest rate: none that was tried held\n", out);
		return;
	}
	fprintf(out, "highest rate that held: %.3f/s", (double)result->ramp.held_mhz / 1e3);
	if (result->ramp.broke_mhz)
		fprintf(out, "; %.3f/s did not", (double)result->ramp.broke_mhz / 1e3);
	fputs("; of it:\n", out);
}

/* Returns whether a target gets a line. The counts of a target that is the only one follow. */
static bool is_noteworthy(const struct result *result, const struct target *target)
{
	if (result->targets->count == 1)
		return target->answered && target_is_silent(target);
	return result->options->each || target->refused || target_is_silent(target);
}

static void print_targets(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->targets->count; i++) {
		const struct target *target = &result->targets->list[i];

		if (!is_noteworthy(result, target))
			continue;
		fprintf(out, "%s: %" PRIu64 " sent, %" PRIu64 " answered, %" PRIu64 " lost",
			target->name, target->sent, target->answered, target->lost);
		if (target->refused)
			fprintf(out, ", %" PRIu64 " refused", target->refused);
		if (target->answered && target_is_silent(target))
			fprintf(out, ", no reply to the last %" PRIu64, target->lost_last);
		if (target->answered) {
			put_time(out, "; min", target->min_ns);
			put_time(out, ", mean", target->sum_ns / target->answered);
			put_time(out, ", max", target->max_ns);
		}
		fputc('\n', out);
	}
}

static void print_head(FILE *out, const struct result *result)
{
	const struct options *options = result->options;
	char mode[PRINT_MODE_BYTES];

	fprintf(out, "--- ");
	if (result->targets->count == 1)
		fprintf(out, "%s", result->targets->list[0].name);
	else
		fprintf(out, "%zu targets", result->targets->count);
	fprintf(out, ": %s, %s%s ---\n", kind_description(options->kind), print_mode(options, mode),
		result->interrupted ? ", interrupted" : "");
}

void print_summary(FILE *out, const struct result *result)
{
	const struct figures *figures = result->figures;

	print_head(out, result);
	print_targets(out, result);
	if (result->options->mode == MODE_RAMP)
		print_ramp(out, result);
	fprintf(out, "requests:   ");
	put_counts(out, figures);
	fprintf(out, " (%.3f %% loss); %" PRIu64 " %s; %" PRIu64 " late or duplicate %s\n",
		figures_loss(figures), figures->retries,
		figures->retries == 1 ? "retry" : "retries", result->strays,
		result->strays == 1 ? "reply" : "replies");
	fprintf(out, "rate:       %.1f replies a second, in %.3f s\n", figures_rate(figures),
		(double)(figures->end_ns - figures->begin_ns) / 1e9);
	if (!figures->answered)
		return;
	print_delays(out, "delay:", &figures->delay);
	print_undisturbed(out, figures);
	print_parts(out, result);
	if (result->options->mode == MODE_OPEN || result->options->mode == MODE_RAMP)
		print_late(out, &figures->late);
	print_corrected(out, result);
}
