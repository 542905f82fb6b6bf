/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <madring.h>

#include "json.h"
#include "print.h"

static void write_times(struct json_writer *writer, const char *key,
			const struct histogram *histogram)
{
	json_write_open(writer, key, '{');
	json_write_number(writer, "count", histogram->total);
	json_write_number(writer, "min_ns", histogram->min);
	json_write_number(writer, "mean_ns", (uint64_t)histogram_mean(histogram));
	json_write_number(writer, "p50_ns", histogram_percentile(histogram, 50));
	json_write_number(writer, "p90_ns", histogram_percentile(histogram, 90));
	json_write_number(writer, "p99_ns", histogram_percentile(histogram, 99));
	json_write_number(writer, "p999_ns", histogram_percentile(histogram, 99.9));
	json_write_number(writer, "max_ns", histogram->max);
	json_write_close(writer, '}');
}

static void write_figures(struct json_writer *writer, const struct figures *figures)
{
	json_write_number(writer, "elapsed_ns", figures->end_ns - figures->begin_ns);
	json_write_number(writer, "sent", figures->sent);
	json_write_number(writer, "answered", figures->answered);
	json_write_number(writer, "refused", figures->refused);
	json_write_number(writer, "lost", figures->lost);
	json_write_number(writer, "failed", figures->failed);
	json_write_number(writer, "abandoned", figures->abandoned);
	json_write_number(writer, "retries", figures->retries);
	json_write_real(writer, "loss_percent", figures_loss(figures));
	json_write_real(writer, "rate", figures_rate(figures));
	write_times(writer, "delay", &figures->delay);
	json_write_number(writer, "disturbed", figures->disturbed);
	write_times(writer, "undisturbed", &figures->undisturbed);
}

/* Writes a target and its figures. */
static void write_target(struct json_writer *writer, const struct target *target)
{
	const uint64_t mean_ns = target->answered ? target->sum_ns / target->answered : 0;
	char text[MADRING_ROUTE_TEXT_BYTES];

	json_write_open(writer, NULL, '{');
	json_write_text(writer, "target", target->name);
	if (target->by_route)
		json_write_text(writer, "path",
				madring_route_text(target->route.port, target->route.hops, text));
	else
		json_write_number(writer, "lid", target->lid);
	json_write_number(writer, "sent", target->sent);
	json_write_number(writer, "answered", target->answered);
	json_write_number(writer, "refused", target->refused);
	json_write_number(writer, "lost", target->lost);
	json_write_flag(writer, "silent", target_is_silent(target));
	json_write_number(writer, "disturbed", target->disturbed);
	json_write_number(writer, "min_ns", target->min_ns);
	json_write_number(writer, "mean_ns", mean_ns);
	json_write_number(writer, "max_ns", target->max_ns);
	json_write_close(writer, '}');
}

static void write_targets(struct json_writer *writer, const struct targets *targets)
{
	json_write_open(writer, "targets", '[');
	for (size_t i = 0; i < targets->count; i++)
		write_target(writer, &targets->list[i]);
	json_write_close(writer, ']');
}

static void write_ramp(struct json_writer *writer, const struct result *result)
{
	if (result->options->mode != MODE_RAMP) {
		json_write_null(writer, "ramp");
		return;
	}
	json_write_open(writer, "ramp", '{');
	json_write_real(writer, "held_rate", (double)result->ramp.held_mhz / 1e3);
	json_write_real(writer, "broke_rate", (double)result->ramp.broke_mhz / 1e3);
	json_write_close(writer, '}');
}

/* Writes the parts of the delays, as far as they are known. */
static void write_parts(struct json_writer *writer, const struct result *result)
{
	const struct figures *figures = result->figures;

	write_times(writer, "own", &figures->own);
	write_times(writer, "trip", &figures->trip);
	write_times(writer, "late", &figures->late);
	if (result->corrected)
		write_times(writer, "corrected", result->corrected);
	else
		json_write_null(writer, "corrected");
	if (result->local_trip_ns)
		json_write_number(writer, "local_trip_ns", result->local_trip_ns);
	else
		json_write_null(writer, "local_trip_ns");
}

/* Writes the members of the whole run. */
static void write_result(struct json_writer *writer, const struct result *result)
{
	const struct options *options = result->options;
	const int error = result->error;
	char text[PRINT_MODE_BYTES];

	snprintf(text, sizeof(text), "madring-ping %s", madring_version());
	json_write_text(writer, "program", text);
	json_write_text(writer, "kind", kind_name(options->kind));
	json_write_text(writer, "mode", print_mode(options, text));
	json_write_text(writer, "driver", result->driver);
	json_write_number(writer, "sqpoll_idle_ms", options->sqpoll_idle_ms);
	json_write_flag(writer, "interrupted", result->interrupted);
	json_write_flag(writer, "deadline_reached", result->deadline_reached);
	json_write_text(writer, "error", error ? madring_error_text(error) : NULL);
	write_figures(writer, result->figures);
	json_write_number(writer, "strays", result->strays);
	write_parts(writer, result);
	write_ramp(writer, result);
	write_targets(writer, result->targets);
}

void json_begin(struct json_writer *writer, FILE *out)
{
	json_write_start(writer, out, JSON_ON_ONE_LINE);
	json_write_open_lines(writer, NULL, '{');
	json_write_open_lines(writer, "intervals", '[');
	json_write_flush(writer);
}

void json_part(struct json_writer *writer, const struct figures *part, uint64_t since_ns)
{
	json_write_open(writer, NULL, '{');
	json_write_number(writer, "end_ns", part->end_ns - since_ns);
	write_figures(writer, part);
	json_write_close(writer, '}');
	json_write_flush(writer);
}

void json_step(struct json_writer *writer, const struct step *step)
{
	json_write_open(writer, NULL, '{');
	json_write_real(writer, "asked_rate", (double)step->rate_mhz / 1e3);
	json_write_flag(writer, "held", step->held);
	json_write_flag(writer, "kept_up", step->kept_up);
	write_figures(writer, step->figures);
	json_write_close(writer, '}');
}

void json_end(struct json_writer *writer, const struct result *result, const char *steps)
{
	/* An array without intervals has two lines, too. */
	if (writer->is_empty) {
		json_write_flush(writer);
		fputs("\n  ", writer->out);
	}
	json_write_close(writer, ']');
	write_result(writer, result);
	json_write_foreign(writer, "steps");
	fputs(steps, writer->out);
	json_write_close(writer, '}');
	json_write_end(writer);
}
