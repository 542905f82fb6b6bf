/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/capture.h"
#include "common/clock.h"
#include "common/complain.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/memory.h"
#include "common/output.h"
#include "histogram_text.h"
#include "json.h"
#include "load.h"
#include "local_trip.h"
#include "measure.h"
#include "plot.h"
#include "print.h"
#include "resolve.h"

#define TRANSACTIONS 65536u /* of an open loop: so many can be unanswered at once */
/* A rate is kept up when half of its requests are sent no later than this part of a step. */
#define LATE_PART 20u

struct measure {
	struct options *options;
	struct local local;
	struct load load;
	struct result result;
	struct figures *held; /* of a ramp's highest rate that held */
	struct histogram *corrected;
	uint64_t begin_ns;
	bool is_partial;	 /* nodes of --all did not answer the discovery */
	struct json_writer json; /* to standard output */
	struct json_writer steps;
	char *steps_text; /* the array of a ramp's steps, as far as it is written */
	size_t steps_bytes;
	struct output *histogram, *plot; /* NULL: not wanted */
};

static uint32_t count_transactions(const struct options *options)
{
	return options->in_flight > TRANSACTIONS ? options->in_flight : TRANSACTIONS;
}

/* Opens an agent whose windows admit all that the plan sends: madring's caution is not measured. */
static int open_agent(struct measure *measure, bool by_route)
{
	const struct options *options = measure->options;
	const struct madring_agent_config config = {
		.mgmt_class = kind_class(options->kind, by_route),
		.class_version = kind_class_version(options->kind),
		.oui = options->kind == KIND_IBPING ? options->oui : 0,
		.window = count_transactions(options),
		.pin_window = true,
		.flow_window = count_transactions(options),
		.pin_flow_window = true,
		.timeout_ms = options->timeout_ms,
		.retries = options->retries,
		.report_busy = true,
		.report_redirects = true,
	};

	return local_agent_open(&measure->local, &config, kind_description(options->kind),
				&measure->load.agent[by_route]);
}

static int open_agents(struct measure *measure)
{
	const struct targets *targets = &measure->options->targets;
	bool needed[2] = { false, false };

	for (size_t i = 0; i < targets->count; i++)
		needed[targets->list[i].by_route] = true;
	for (unsigned int i = 0; i < 2; i++)
		if (needed[i] && open_agent(measure, i))
			return -1;
	return 0;
}

static void on_outcome(void *context, const struct outcome *outcome)
{
	const struct measure *measure = context;

	print_outcome(stdout, outcome, measure->options->timeout_ms);
}

static void on_part(void *context, const struct figures *part)
{
	const struct measure *measure = context;

	print_part(stdout, part, measure->begin_ns);
}

static void on_part_json(void *context, const struct figures *part)
{
	struct measure *measure = context;

	json_part(&measure->json, part, measure->begin_ns);
}

/*
 * Chooses what is written during the measurement: replies as ping writes them, or a line a
 * second.
 */
static void choose_reports(struct measure *measure)
{
	const struct options *options = measure->options;

	measure->load.context = measure;
	if (options->json)
		measure->load.on_report = on_part_json;
	else if (options->quiet || options->mode == MODE_RAMP)
		measure->load.on_report = NULL;
	else if (options->mode == MODE_INTERVAL)
		measure->load.on_outcome = on_outcome;
	else
		measure->load.on_report = on_part;
}

/* Runs the plan of a mode that is no ramp. */
static void run_plan(struct measure *measure)
{
	const struct options *options = measure->options;
	struct plan plan = {
		.rate_count = 1,
		.rate_span_ns = options->interval_ns,
		.count = options->count,
		.duration_ns = options->duration_ns,
		.report_ns = options->report_ns,
	};

	if (options->mode == MODE_CLOSED)
		plan.in_flight = options->in_flight;
	if (options->mode == MODE_OPEN) {
		plan.rate_count = options->rate_mhz;
		plan.rate_span_ns = 1000000000000u;
		plan.from_due = true;
	}
	measure->result.error = load_run(&measure->load, &plan);
	measure->result.figures = measure->load.total;
}

/* Returns whether enough requests were answered in time; lost ones were not. */
static bool condition_holds(const struct options *options, const struct figures *figures)
{
	uint64_t ended = figures->answered + figures->refused + figures->lost + figures->failed;
	uint64_t in_time;

	if (!figures->answered)
		return false;
	if (!options->max_p99_ns)
		return figures_loss(figures) <= options->max_loss;
	/* What this host has delayed itself says nothing of the rate. */
	ended -= figures->disturbed;
	in_time = figures->undisturbed.total -
		  histogram_from(&figures->undisturbed, options->max_p99_ns + 1);
	return figures->undisturbed.total && in_time * 100 >= ended * 99;
}

/* Tries one rate of a ramp. Returns whether it held; sets result.error. */
static bool try_rate(struct measure *measure, uint64_t rate_mhz)
{
	const struct options *options = measure->options;
	const struct plan plan = {
		.rate_count = rate_mhz,
		.rate_span_ns = 1000000000000u,
		.from_due = true,
		.duration_ns = options->step_ns,
		.report_ns = options->report_ns,
	};
	const struct figures *figures = measure->load.total;
	struct step step;

	measure->result.error = load_run(&measure->load, &plan);
	if (measure->result.error || interrupted())
		return false;
	step = (struct step){ .rate_mhz = rate_mhz, .figures = figures };
	step.kept_up = histogram_percentile(&figures->late, 50) <= options->step_ns / LATE_PART;
	step.held = step.kept_up && condition_holds(options, figures);
	if (options->json)
		json_step(&measure->steps, &step);
	else if (!options->quiet)
		print_step(stdout, &step);
	if (step.held)
		*measure->held = *figures;
	return step.held;
}

static void ramp_up(struct measure *measure)
{
	struct result *result = &measure->result;
	struct ramp *ramp = &result->ramp;
	bool more = true;

	measure->held = figures_new();
	ramp_start(ramp, measure->options->rate_mhz);
	while (more) {
		bool held = try_rate(measure, ramp->rate_mhz);

		if (result->error || interrupted())
			break;
		more = ramp_next(ramp, held);
	}
	result->figures = ramp->held_mhz ? measure->held : measure->load.total;
}

/* Returns how many MADs have arrived that no request waited for. */
static uint64_t count_strays(const struct local *local)
{
	struct madring_stats stats;

	madring_get_stats(local->ring, &stats);
	return stats.unmatched;
}

/* Begins the array of a ramp's steps in memory: it is written after the result. */
static void begin_steps(struct measure *measure)
{
	FILE *out = open_memstream(&measure->steps_text, &measure->steps_bytes);

	if (!out)
		memory_end();
	json_write_start(&measure->steps, out, JSON_ON_ONE_LINE);
	json_write_open(&measure->steps, NULL, '[');
}

/* Ends the array. Without memory for its last size, fclose() succeeds and leaves no text. */
static void end_steps(struct measure *measure)
{
	FILE *out = measure->steps.out;

	json_write_close(&measure->steps, ']');
	json_write_flush(&measure->steps);
	if (ferror(out) || fclose(out) || !measure->steps_text)
		memory_end();
}

/* Measures as the options say, and fills in the result. */
static void run_load(struct measure *measure)
{
	const struct options *options = measure->options;
	struct result *result = &measure->result;
	uint64_t strays = count_strays(&measure->local);

	result->driver = madring_driver_text(measure->local.ring);
	result->local_trip_ns = local_trip(&measure->local, options->mkeys);
	choose_reports(measure);
	if (options->json) {
		json_begin(&measure->json, stdout);
		begin_steps(measure);
	}
	measure->begin_ns = clock_ns();
	if (options->mode == MODE_RAMP)
		ramp_up(measure);
	else
		run_plan(measure);
	result->strays = count_strays(&measure->local) - strays;
	result->interrupted = interrupted();
	if (options->mode == MODE_CLOSED) {
		const struct histogram *delay = &result->figures->undisturbed;

		measure->corrected = memory_get(1, sizeof(*measure->corrected));
		histogram_correct(measure->corrected, delay, histogram_percentile(delay, 50));
		result->corrected = measure->corrected;
	}
}

static int write_histogram(const struct measure *measure)
{
	FILE *out;

	if (!measure->histogram)
		return 0;
	out = output_begin(measure->histogram);
	if (!out)
		return -1;
	histogram_text(out, &measure->result.figures->delay);
	return 0;
}

static int write_plot(const struct measure *measure)
{
	const struct options *options = measure->options;
	char title[512], mode[PRINT_MODE_BYTES];
	FILE *out;

	if (!measure->plot)
		return 0;
	out = output_begin(measure->plot);
	if (!out)
		return -1;
	snprintf(title, sizeof(title), "%s: %s, %s",
		 options->targets.count == 1 ? options->targets.list[0].name : "many nodes",
		 kind_description(options->kind), print_mode(options, mode));
	plot_svg(out, &measure->result.figures->delay, title);
	return 0;
}

static int write_result(struct measure *measure)
{
	int failed = write_histogram(measure) | write_plot(measure);

	if (!measure->options->json) {
		print_summary(stdout, &measure->result);
		return failed;
	}
	end_steps(measure);
	json_end(&measure->json, &measure->result, measure->steps_text);
	return failed;
}

static bool something_answered(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->list[i].answered)
			return true;
	return false;
}

static bool something_is_silent(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (target_is_silent(&targets->list[i]))
			return true;
	return false;
}

static int exit_status(const struct measure *measure)
{
	const struct options *options = measure->options;

	if (measure->result.error) {
		complain("the measurement ended early: %s",
			 measure->result.error == -ENODEV
				 ? "the device is gone"
				 : madring_error_text(measure->result.error));
		return EXIT_UNABLE;
	}
	if (!something_answered(&options->targets))
		return EXIT_SILENT;
	/* A ramp goes on until requests are lost. */
	if (measure->is_partial ||
	    (options->mode != MODE_RAMP && something_is_silent(&options->targets)))
		return EXIT_PARTIAL;
	return EXIT_ANSWERED;
}

/* Measures through the ring, with signals watched. Returns the exit status. */
static int measure_through(struct measure *measure)
{
	struct options *options = measure->options;
	struct load *load = &measure->load;
	int failed, status;

	load->ring = measure->local.ring;
	load->targets = &options->targets;
	load->kind = options->kind;
	load->oui = options->oui;
	load->gid_index = options->gid_index;
	load->pkey_index = options->pkey_index;
	if (resolve(&measure->local, options, &options->targets, &measure->result.deadline_reached,
		    &measure->is_partial) ||
	    open_agents(measure) || capture_start(measure->local.ring, options->capture))
		return EXIT_UNABLE;
	load_open(load, count_transactions(options));
	measure->result.targets = &options->targets;
	run_load(measure);
	failed = capture_end(measure->local.ring, options->capture);
	failed |= write_result(measure);
	status = exit_status(measure);
	return failed ? EXIT_UNABLE : status;
}

static int open_file(const char *path, struct output **file)
{
	if (path)
		*file = output_open(path);
	return path && !*file ? -1 : 0;
}

static int close_file(struct output *file)
{
	return file ? output_close(file) : 0;
}

static int open_local(struct local *local, const struct options *options)
{
	const struct local_config config = {
		.transactions = count_transactions(options),
		.sqpoll_idle_ms = options->sqpoll_idle_ms,
		.ca_name = options->ca_name,
		.port = options->port,
		.pkey_index = options->pkey_index,
		.tuning = options->tuning,
	};

	return local_open(local, &config);
}

int measure_run(struct options *options)
{
	struct measure measure = {
		.options = options,
		.result = { .options = options },
	};
	struct local *local = &measure.local;
	int status = EXIT_UNABLE;

	/* By default timers are up to 50 us late, which is long beside a delay. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (!open_file(options->histogram, &measure.histogram) &&
	    !open_file(options->plot, &measure.plot) && !open_local(local, options)) {
		interrupt_watch(local->ring);
		status = measure_through(&measure);
		interrupt_unwatch();
		local_close(local);
		if (measure.load.requests)
			load_close(&measure.load);
	}
	if (close_file(measure.histogram) | close_file(measure.plot))
		status = EXIT_UNABLE;
	free(measure.steps_text);
	free(measure.held);
	free(measure.corrected);
	return status;
}
