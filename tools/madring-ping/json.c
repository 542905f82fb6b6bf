/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <madring.h>

#include "common/json_write.h"
#include "common/memory.h"
#include "json.h"
#include "print.h"

static struct json_object *times_value(const struct histogram *histogram)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "count", histogram->total);
	json_add_number(object, "min_ns", histogram->min);
	json_add_number(object, "mean_ns", (uint64_t)histogram_mean(histogram));
	json_add_number(object, "p50_ns", histogram_percentile(histogram, 50));
	json_add_number(object, "p90_ns", histogram_percentile(histogram, 90));
	json_add_number(object, "p99_ns", histogram_percentile(histogram, 99));
	json_add_number(object, "p999_ns", histogram_percentile(histogram, 99.9));
	json_add_number(object, "max_ns", histogram->max);
	return object;
}

static void add_figures(struct json_object *object, const struct figures *figures)
{
	json_add_number(object, "elapsed_ns", figures->end_ns - figures->begin_ns);
	json_add_number(object, "sent", figures->sent);
	json_add_number(object, "answered", figures->answered);
	json_add_number(object, "refused", figures->refused);
	json_add_number(object, "lost", figures->lost);
	json_add_number(object, "failed", figures->failed);
	json_add_number(object, "abandoned", figures->abandoned);
	json_add_number(object, "retries", figures->retries);
	json_add_real(object, "loss_percent", figures_loss(figures));
	json_add_real(object, "rate", figures_rate(figures));
	json_add(object, "delay", times_value(&figures->delay));
	json_add_number(object, "disturbed", figures->disturbed);
	json_add(object, "undisturbed", times_value(&figures->undisturbed));
}

struct json_object *json_step(const struct step *step)
{
	struct json_object *object = json_new_object();

	json_add_real(object, "asked_rate", (double)step->rate_mhz / 1e3);
	json_add_flag(object, "held", step->held);
	json_add_flag(object, "kept_up", step->kept_up);
	add_figures(object, step->figures);
	return object;
}

/* Returns the object of a target and its figures. */
static struct json_object *target_value(const struct target *target)
{
	struct json_object *object = json_new_object();
	char text[MADRING_ROUTE_TEXT_BYTES];

	json_add_text(object, "target", target->name);
	if (target->by_route)
		json_add_text(object, "path",
			      madring_route_text(target->route.port, target->route.hops, text));
	else
		json_add_number(object, "lid", target->lid);
	json_add_number(object, "sent", target->sent);
	json_add_number(object, "answered", target->answered);
	json_add_number(object, "refused", target->refused);
	json_add_number(object, "lost", target->lost);
	json_add_flag(object, "silent", target_is_silent(target));
	json_add_number(object, "disturbed", target->disturbed);
	json_add_number(object, "min_ns", target->min_ns);
	json_add_number(object, "mean_ns",
			target->answered ? target->sum_ns / target->answered : 0);
	json_add_number(object, "max_ns", target->max_ns);
	return object;
}

static struct json_object *targets_value(const struct targets *targets)
{
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < targets->count; i++)
		json_append(array, target_value(&targets->list[i]));
	return array;
}

static struct json_object *ramp_value(const struct ramp *ramp)
{
	struct json_object *object = json_new_object();

	json_add_real(object, "held_rate", (double)ramp->held_mhz / 1e3);
	json_add_real(object, "broke_rate", (double)ramp->broke_mhz / 1e3);
	return object;
}

/* Adds the parts of the delays, as far as they are known. */
static void add_parts(struct json_object *object, const struct result *result)
{
	const struct figures *figures = result->figures;

	json_add(object, "own", times_value(&figures->own));
	json_add(object, "trip", times_value(&figures->trip));
	json_add(object, "late", times_value(&figures->late));
	json_add(object, "corrected", result->corrected ? times_value(result->corrected) : NULL);
	json_add(object, "local_trip_ns",
		 result->local_trip_ns ? json_new_number(result->local_trip_ns) : NULL);
}

/* Returns the object of the whole run. */
static struct json_object *result_value(const struct result *result)
{
	const struct options *options = result->options;
	struct json_object *object = json_new_object();
	char text[PRINT_MODE_BYTES];

	snprintf(text, sizeof(text), "madring-ping %s", madring_version());
	json_add_text(object, "program", text);
	json_add_text(object, "kind", kind_name(options->kind));
	json_add_text(object, "mode", print_mode(options, text));
	json_add(object, "driver", result->driver ? json_new_text(result->driver) : NULL);
	json_add_number(object, "sqpoll_idle_ms", options->sqpoll_idle_ms);
	json_add_flag(object, "interrupted", result->interrupted);
	json_add_flag(object, "deadline_reached", result->deadline_reached);
	json_add(object, "error",
		 result->error ? json_new_text(madring_error_text(result->error)) : NULL);
	add_figures(object, result->figures);
	json_add_number(object, "strays", result->strays);
	add_parts(object, result);
	json_add(object, "ramp", options->mode == MODE_RAMP ? ramp_value(&result->ramp) : NULL);
	json_add(object, "targets", targets_value(result->targets));
	return object;
}

void json_begin(FILE *out)
{
	fputs("{\n  \"intervals\": [", out);
}

void json_part(FILE *out, const struct figures *part, uint64_t since_ns, bool *first)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "end_ns", part->end_ns - since_ns);
	add_figures(object, part);
	json_write_element(out, object, first);
}

void json_end(FILE *out, const struct result *result, struct json_object *steps)
{
	struct json_object *object = result_value(result);

	if (!object)
		memory_end();
	fputs("\n  ],\n", out);
	json_object_object_foreach(object, key, value)
	{
		json_write_member(out, key, json_object_get(value));
	}
	json_object_put(object);
	fputs("  \"steps\": ", out);
	json_write(out, steps);
	fputs("\n}\n", out);
}
