/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "common/clock.h"
#include "common/complain.h"
#include "common/interrupt.h"
#include "common/mkeys.h"
#include "exporter.h"
#include "madring-perf/choice.h"
#include "madring-perf/tell.h"
#include "node_metrics.h"
#include "own_metrics.h"
#include "port_metrics.h"

int exporter_start(struct exporter *exporter, const struct options *options)
{
	*exporter = (struct exporter){ .options = options, .thresholds = options->thresholds };
	known_nodes_init(&exporter->known);
	/* A broken default map costs a message only; the exporter runs without the rest of it. */
	if (names_read(&exporter->names, options->node_name_map) && options->node_name_map)
		return -1;
	return thresholds_read(&exporter->thresholds, options->threshold_file);
}

static struct madring_stats ring_stats(const struct exporter *exporter)
{
	struct madring_stats stats = { 0 };

	if (exporter->open)
		madring_get_stats(exporter->session.local.ring, &stats);
	return stats;
}

static void close_session(struct exporter *exporter)
{
	struct madring_stats stats = ring_stats(exporter);

	if (!exporter->open)
		return;
	totals_add_ring(&exporter->totals, &stats);
	interrupt_watch(NULL);
	session_close(&exporter->session, &exporter->options->session);
	exporter->open = false;
}

void exporter_end(struct exporter *exporter)
{
	close_session(exporter);
	known_nodes_free(&exporter->known);
	twins_free(&exporter->twins);
	thresholds_free(&exporter->thresholds);
	names_free(exporter->names);
}

static int open_session(struct exporter *exporter)
{
	int error;

	if (exporter->open)
		return 0;
	error = session_open(&exporter->session, &exporter->options->session);
	if (error)
		return error;
	exporter->open = true;
	interrupt_watch(exporter->session.local.ring);
	return 0;
}

/* Makes the page of a collection, or the page that says that there is none. */
static struct exposition *make_page(const struct exporter *exporter, struct view *view)
{
	struct exposition *page = exposition_new();
	struct madring_stats stats = ring_stats(exporter);
	struct totals totals = exporter->totals;

	view->names = exporter->names;
	view->known = &exporter->known;
	view->thresholds = &exporter->thresholds;
	view->shard = &exporter->options->shard;
	view->manner = exporter->options->serve.listen ? "" : "-runonce";
	totals_add_ring(&totals, &stats);
	if (view->collection) {
		port_metrics(page, view);
		node_metrics(page, view);
	}
	own_metrics(page, view, &totals);
	return page;
}

static int discover_timed(struct exporter *exporter, struct madring_fabric **fabric,
			  uint64_t *took_ns)
{
	uint64_t start = clock_ns();
	int error = session_discover(&exporter->session, &exporter->options->session, fabric, NULL);

	*took_ns = clock_ns() - start;
	return error;
}

/*
 * Reports the twins that the last collection did not have, and keeps the new ones, to compare the
 * next collection with.
 */
static void note_twins(struct exporter *exporter, struct collection *collection)
{
	complain_keep_back(false);
	tell_twins(collection, &exporter->twins, exporter->names,
		   "the GUID of its series has its node GUID, too; ");
	if (exporter->twins.count && !collection->twins.count)
		complain("no two nodes have the same port GUID any more");
	twins_free(&exporter->twins);
	exporter->twins = collection->twins;
	collection->twins = (struct twins){ 0 };
}

/* Collects once. Returns the page, or NULL with the reason in @error. */
static struct exposition *try_to_collect(struct exporter *exporter, int *error)
{
	struct exposition *page = NULL;
	struct collection *collection;
	struct madring_fabric *fabric;
	struct choice choice;
	struct plan plan;
	struct view view = { .plan = &plan };

	*error = open_session(exporter);
	if (*error)
		return NULL;
	session_begin(&exporter->session, &exporter->options->session);
	*error = discover_timed(exporter, &fabric, &view.discovery_ns);
	if (!*error && choice_plan(&plan, &choice, exporter->options, fabric))
		*error = -EHOSTUNREACH;
	collection = collection_new(fabric);
	collection->deadline_reached = session_reached_deadline(fabric);
	if (!*error) {
		plan.deadline_ns = exporter->session.deadline_ns;
		collect(collection, &plan, &exporter->session.local, exporter->session.pma, NULL);
		*error = collection->error;
	}
	if (!*error) {
		view.collection = collection;
		view.fabric = fabric;
		totals_add(&exporter->totals, collection);
		known_nodes_update(&exporter->known, collection, exporter->names,
				   session_looked_everywhere(fabric), clock_ns());
		twins_find(collection);
		page = make_page(exporter, &view);
		note_twins(exporter, collection);
	} else {
		close_session(exporter);
	}
	collection_free(collection);
	madring_fabric_free(fabric);
	return page;
}

/* Collects, and tries once more if the device was removed, because it may have come back. */
static struct exposition *collect_page(struct exporter *exporter, int *error)
{
	struct exposition *page = try_to_collect(exporter, error);

	if (*error != -ENODEV || interrupted())
		return page;
	return try_to_collect(exporter, error);
}

/* Reports an error once, rather than at each scrape. */
static void note_error(struct exporter *exporter, int error)
{
	if (error && error != exporter->error)
		complain("nothing was collected: %s", madring_error_text(error));
	if (!error && exporter->error)
		complain("collecting again");
	exporter->error = error;
}

struct exposition *exporter_collect(struct exporter *exporter, bool *made)
{
	struct view nothing = { 0 };
	struct exposition *page;
	int error;

	complain_keep_back(exporter->error);
	page = collect_page(exporter, &error);
	complain_keep_back(false);
	note_error(exporter, error);
	*made = page;
	if (page)
		return page;
	exporter->totals.failed++;
	return make_page(exporter, &nothing);
}

static void reload_names(struct exporter *exporter)
{
	struct names *names;

	if (names_read(&names, exporter->options->node_name_map)) {
		complain("the names are left as they were");
		names_free(names);
		return;
	}
	names_free(exporter->names);
	exporter->names = names;
}

void exporter_reload(struct exporter *exporter)
{
	reload_names(exporter);
	if (thresholds_read(&exporter->thresholds, exporter->options->threshold_file))
		complain("the thresholds are left as they were");
	mkeys_read_again(exporter->options->session.mkeys);
}
