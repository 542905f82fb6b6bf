/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-perf: collects the performance counters of an InfiniBand fabric. */
#include <stdio.h>

#include "choice.h"
#include "common/discover.h"
#include "common/interrupt.h"
#include "common/mkeys.h"
#include "common/output.h"
#include "common/progress.h"
#include "csv.h"
#include "common/names.h"
#include "dump.h"
#include "exporter/exporter.h"
#include "json.h"
#include "options.h"
#include "own_drops.h"
#include "report.h"
#include "session.h"
#include "tell.h"
#include "watch.h"

/* Writes what was collected to standard output. Returns how many ports have errors. */
static unsigned int write_collection(const struct options *options,
				     const struct collection *collection, const struct names *names)
{
	struct report report = {
		.collection = collection,
		.names = names,
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
		dump_collection(stdout, collection);
		break;
	case FORMAT_JSON:
		json_print(stdout, collection, names);
		break;
	case FORMAT_CSV:
		csv_print_head(stdout, choice_attributes(options));
		csv_print(stdout, collection, choice_attributes(options), names);
		break;
	}
	return 0;
}

/* Writes everything that one run has found. Returns the exit status. */
static int write_all(const struct options *options, const struct collection *collection,
		     const struct names *names)
{
	unsigned int bad_ports = write_collection(options, collection, names);
	int failed = output_close_standard();

	/* Standard error comes last, so that it does not split standard output. */
	if (collection->partial_fabric && collection->fabric)
		discover_print_problems(stderr, collection->fabric);
	tell_problems(collection, names);
	if (failed)
		return EXIT_UNABLE;
	if (!collection_complete(collection))
		return bad_ports ? EXIT_PARTIAL_ERRORS : EXIT_PARTIAL;
	return bad_ports ? EXIT_ERRORS : EXIT_COMPLETE;
}

/* Returns whether drops of the discovery's time must be told apart from errors: see own_drops.h. */
static bool tells_own_drops(const struct options *options)
{
	return options->format == FORMAT_ERRORS && !options->session.topology &&
	       !thresholds_hides(&options->thresholds, COUNTER_VL15_DROPPED);
}

/* Returns whether the output tells what ports are connected to. */
static bool needs_links(const struct options *options)
{
	return options->links || options->format == FORMAT_JSON;
}

/* Discovers the fabric, collects once, and writes what was found. Returns the exit status. */
static int collect_once(const struct options *options, const struct names *names)
{
	const struct session_config *config = &options->session;
	struct session session;
	struct madring_fabric *fabric;
	struct collection *collection;
	struct progress progress;
	struct choice choice;
	struct drops drops;
	struct plan plan;
	int status = EXIT_UNABLE, wrong = 0, error;

	if (session_open(&session, config))
		return EXIT_UNABLE;
	drops_start(&drops);
	session.drops = tells_own_drops(options) ? &drops : NULL;
	session.target_guid = needs_links(options) ? 0 : options->guid;
	progress_start(&progress, true);
	interrupt_watch(session.local.ring);
	session_begin(&session, config);
	error = session_discover(&session, config, &fabric, &progress);
	collection = collection_new(fabric);
	collection->error = error;
	collection->interrupted = interrupted();
	collection->partial_fabric = !session.has_target && !session_is_whole(fabric);
	collection->deadline_reached = session_reached_deadline(fabric);
	if (!error && !collection->interrupted) {
		wrong = choice_plan(&plan, &choice, options, fabric);
		if (!wrong) {
			plan.deadline_ns = session.deadline_ns;
			collect(collection, &plan, &session.local, session.pma, &progress);
			twins_find(collection);
			own_drops_mark(collection, &drops, &options->thresholds);
		}
	}
	interrupt_unwatch();
	progress_end(&progress);
	if (!wrong)
		status = write_all(options, collection, names);
	collection_free(collection);
	drops_end(&drops);
	madring_fabric_free(fabric);
	return session_close(&session, config) ? EXIT_UNABLE : status;
}

static struct exposition *collect_page(void *context, bool *made)
{
	return exporter_collect(context, made);
}

static void reload_exporter(void *context)
{
	exporter_reload(context);
}

/* Collects for Prometheus. Returns the exit status. */
static int monitor(const struct options *options)
{
	struct exporter exporter;
	struct serve_source source = { &exporter, collect_page, reload_exporter };
	int status = EXIT_UNABLE;

	if (!exporter_start(&exporter, options) && !serve(&options->serve, &source))
		status = EXIT_COMPLETE;
	exporter_end(&exporter);
	return status;
}

int main(int argc, char *argv[])
{
	struct options options;
	struct names *names;
	int status = EXIT_UNABLE;

	output_prepare();
	options_read(&options, argc, argv);
	if (is_monitoring(&options)) {
		status = monitor(&options);
		mkeys_free(options.session.mkeys);
		return status;
	}
	/* A broken default map costs a message only; the collection runs without the rest of it. */
	if ((!names_read(&names, options.node_name_map) || !options.node_name_map) &&
	    !thresholds_read(&options.thresholds, options.threshold_file))
		status = options.watch_ns ? watch(&options, names) : collect_once(&options, names);
	thresholds_free(&options.thresholds);
	names_free(names);
	mkeys_free(options.session.mkeys);
	return status;
}
