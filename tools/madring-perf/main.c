/* SPDX-License-Identifier: BSD-2-Clause */
/* madring-perf: collects the performance counters of an InfiniBand fabric. */
#include <inttypes.h>
#include <stdio.h>

#include "common/complain.h"
#include "common/interrupt.h"
#include "common/output.h"
#include "common/progress.h"
#include "discovery/names.h"
#include "dump.h"
#include "options.h"
#include "session.h"
#include "tell.h"

static void print_port(const struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		dump_reading(stdout, port, a);
}

static void print_all(const struct collection *collection)
{
	for (size_t i = 0; i < collection->node_count; i++)
		for (size_t p = 0; p < collection->nodes[i].port_count; p++)
			print_port(&collection->nodes[i].ports[p]);
}

static int report(const struct discovery *discovery, const struct collection *collection,
		  const struct names *names)
{
	int failed;

	print_all(collection);
	failed = output_close(stdout, NULL);
	problems_print(stderr, &discovery->problems);
	tell_problems(collection, names);
	if (failed)
		return EXIT_UNABLE;
	return discovery_complete(discovery) && collection_complete(collection) ? EXIT_COMPLETE
										: EXIT_PARTIAL;
}

static int run(struct session *session, const struct options *options, const struct names *names)
{
	struct plan plan = { .attributes = options->attributes };
	struct collection *collection;
	struct discovery discovery;
	struct progress progress;
	int status, error;

	progress_start(&progress, true);
	interrupt_watch(session->local.ring);
	error = session_discover(session, &options->session, &discovery, &progress);
	collection = collection_new(discovery.fabric);
	if (error)
		collection->error = error;
	else if (interrupted())
		collection->interrupted = true;
	else
		collect(collection, &plan, &session->local, session->pma, &progress);
	interrupt_unwatch();
	progress_end(&progress);
	status = report(&discovery, collection, names);
	collection_free(collection);
	session_forget(&discovery);
	return status;
}

int main(int argc, char *argv[])
{
	struct options options;
	struct session session;
	struct names *names;
	int status = EXIT_UNABLE;

	output_prepare();
	options_read(&options, argc, argv);
	/* What is wrong with the default map is told, and the rest done without it. */
	if (!names_read(&names, options.node_name_map) || !options.node_name_map) {
		if (!session_open(&session, &options.session)) {
			status = run(&session, &options, names);
			session_close(&session, &options.session);
		}
	}
	names_free(names);
	return status;
}
