/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-perf: collects the performance counters of an InfiniBand fabric. */
#include <stdio.h>

#include "choice.h"
#include "common/interrupt.h"
#include "common/output.h"
#include "common/progress.h"
#include "csv.h"
#include "discovery/names.h"
#include "dump.h"
#include "json.h"
#include "monitor.h"
#include "options.h"
#include "report.h"
#include "session.h"
#include "tell.h"
#include "watch.h"

/* What one run has to do with. */
struct job {
	const struct options *options;
	const struct names *names;
	struct session session;
	struct discovery discovery;
	struct collection *collection;
};

static unsigned int print(const struct job *job)
{
	const struct options *options = job->options;
	struct report report = {
		.collection = job->collection,
		.names = job->names,
		.thresholds = &options->thresholds,
		.counters = options->format == FORMAT_COUNTERS,
		.data = options->data,
		.details = options->details,
		.links = options->links,
	};

	switch (options->format) {
	case FORMAT_ERRORS:
	case FORMAT_COUNTERS:
		return report_print(stdout, &report);
	case FORMAT_DUMP:
		dump_collection(stdout, job->collection);
		break;
	case FORMAT_JSON:
		json_print(stdout, job->collection, job->names);
		break;
	case FORMAT_CSV:
		csv_print_head(stdout, choice_attributes(options));
		csv_print(stdout, job->collection, choice_attributes(options), job->names);
		break;
	}
	return 0;
}

/* Standard error comes last, so that it does not stand in the middle of standard output. */
static int finish(const struct job *job)
{
	unsigned int bad_ports = print(job);
	int failed = output_close(stdout, NULL);

	problems_print(stderr, &job->discovery.problems);
	tell_problems(job->collection, job->names);
	if (failed)
		return EXIT_UNABLE;
	if (!collection_complete(job->collection))
		return EXIT_PARTIAL;
	return bad_ports ? EXIT_ERRORS : EXIT_COMPLETE;
}

/* Returns 0, or -1 with a message written. */
static int collect_all(struct job *job, struct progress *progress, int error)
{
	struct choice choice;
	struct plan plan;

	if (!error && !interrupted() &&
	    choice_plan(&plan, &choice, job->options, job->discovery.fabric))
		return -1;
	job->collection = collection_new(job->discovery.fabric);
	job->collection->error = error;
	job->collection->interrupted = interrupted();
	job->collection->partial_fabric = !discovery_complete(&job->discovery);
	job->collection->deadline_reached = job->discovery.deadline_reached;
	plan.deadline_ns = job->session.deadline_ns;
	if (!error && !job->collection->interrupted) {
		collect(job->collection, &plan, &job->session.local, job->session.pma, progress);
		twins_find(job->collection);
	}
	return 0;
}

static int run(struct job *job)
{
	struct progress progress;
	int status = EXIT_UNABLE, error;

	progress_start(&progress, true);
	interrupt_watch(job->session.local.ring);
	session_begin(&job->session, &job->options->session);
	error = session_discover(&job->session, &job->options->session, &job->discovery, &progress);
	error = collect_all(job, &progress, error);
	interrupt_unwatch();
	progress_end(&progress);
	if (!error)
		status = finish(job);
	collection_free(job->collection);
	session_forget(&job->discovery);
	return status;
}

static int open_and_run(struct job *job)
{
	const struct session_config *config = &job->options->session;
	int status;

	if (session_open(&job->session, config))
		return EXIT_UNABLE;
	status = run(job);
	return session_close(&job->session, config) ? EXIT_UNABLE : status;
}

int main(int argc, char *argv[])
{
	struct options options;
	struct names *names;
	struct job job = { .options = &options };
	int status = EXIT_UNABLE;

	output_prepare();
	options_read(&options, argc, argv);
	if (monitors(&options))
		return monitor(&options);
	/* What is wrong with the default map is told, and the rest done without it. */
	if ((!names_read(&names, options.node_name_map) || !options.node_name_map) &&
	    !thresholds_read(&options.thresholds, options.threshold_file)) {
		job.names = names;
		status = options.watch_ns ? watch(&options, names) : open_and_run(&job);
	}
	thresholds_free(&options.thresholds);
	names_free(names);
	return status;
}
