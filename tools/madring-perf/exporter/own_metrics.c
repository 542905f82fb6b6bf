/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "answers.h"
#include "own_metrics.h"

/* The metrics that have the names of other exporters of InfiniBand. */
static const struct metric collect_errors = {
	.name = "infiniband_exporter_collect_errors",
	.type = METRIC_GAUGE,
	.help = "Unusable replies, and requests that could not be sent, of the last collection",
};
static const struct metric collect_timeouts = {
	.name = "infiniband_exporter_collect_timeouts",
	.type = METRIC_GAUGE,
	.help = "Requests of the last collection that were left without a reply",
};
static const struct metric collector_duration = {
	.name = "infiniband_exporter_collector_duration_seconds",
	.type = METRIC_GAUGE,
	.unit = "seconds",
	.help = "What the last collection took, and the discovery before it (ibnetdiscover)",
};
static const struct metric last_execution = {
	.name = "infiniband_exporter_last_execution",
	.type = METRIC_GAUGE,
	.help = "When the file was written, in seconds since 1970",
};

static const struct metric build = { .name = "madring_perf_build_info",
				     .type = METRIC_GAUGE,
				     .help = "The version of madring" };
static const struct metric shard_info = {
	.name = "madring_perf_shard_info",
	.type = METRIC_GAUGE,
	.help = "Which part of the fabric's nodes is asked here",
};
static const struct metric up = {
	.name = "madring_perf_up",
	.type = METRIC_GAUGE,
	.help = "1: the last collection was made; 0: it could not be, as without a device",
};
static const struct metric complete = {
	.name = "madring_perf_complete",
	.type = METRIC_GAUGE,
	.help = "1: the last discovery and collection found out everything",
};
static const struct metric timestamp = {
	.name = "madring_perf_collection_timestamp_seconds",
	.type = METRIC_GAUGE,
	.unit = "seconds",
	.help = "When the last collection began, since 1970",
};
static const struct metric duration = {
	.name = "madring_perf_collection_duration_seconds",
	.type = METRIC_GAUGE,
	.unit = "seconds",
	.help = "What the last collection took, without the discovery",
};
static const struct metric discovery_duration = {
	.name = "madring_perf_discovery_duration_seconds",
	.type = METRIC_GAUGE,
	.unit = "seconds",
	.help = "What the last discovery of the fabric took",
};
static const struct metric nodes = {
	.name = "madring_perf_nodes",
	.type = METRIC_GAUGE,
	.help = "Nodes that were found, those of other shards too",
};
static const struct metric ports = {
	.name = "madring_perf_ports",
	.type = METRIC_GAUGE,
	.help = "Ports of the nodes of this shard",
};
static const struct metric unreachable = {
	.name = "madring_perf_unreachable_nodes",
	.type = METRIC_GAUGE,
	.help = "Nodes that left even the first request of the last collection without a reply",
};
static const struct metric node_unreachable = {
	.name = "madring_perf_node_unreachable",
	.type = METRIC_GAUGE,
	.help = "1: the node is one of those",
};
static const struct metric duplicate_guids = {
	.name = "madring_perf_duplicate_guids",
	.type = METRIC_GAUGE,
	.help = "Port GUIDs of nodes that another node has, too",
};
static const struct metric duplicate_guid = {
	.name = "madring_perf_duplicate_guid",
	.type = METRIC_GAUGE,
	.help = "1: the series of this node have its node GUID behind this port GUID",
};
static const struct metric gone = {
	.name = "madring_perf_gone_nodes",
	.type = METRIC_GAUGE,
	.help = "Nodes that an earlier collection found, and the last one did not",
};
static const struct metric node_up = {
	.name = "madring_perf_node_up",
	.type = METRIC_GAUGE,
	.help = "1: the node answered the last collection; 0: it is unreachable or gone",
};
static const struct metric collections = { .name = "madring_perf_collections",
					   .type = METRIC_COUNTER,
					   .help = "Collections made" };
static const struct metric failed_collections = {
	.name = "madring_perf_failed_collections",
	.type = METRIC_COUNTER,
	.help = "Collections that could not be made",
};
static const struct metric mads_sent = {
	.name = "madring_perf_mads_sent",
	.type = METRIC_COUNTER,
	.help = "MADs sent, every attempt, for discoveries and collections",
};
static const struct metric mads_received = {
	.name = "madring_perf_mads_received",
	.type = METRIC_COUNTER,
	.help = "MADs received, of any kind",
};
static const struct metric retries = {
	.name = "madring_perf_retries",
	.type = METRIC_COUNTER,
	.help = "Attempts after the first",
};
static const struct metric timeouts = {
	.name = "madring_perf_timeouts",
	.type = METRIC_COUNTER,
	.help = "Requests that had no reply to any attempt",
};
static const struct metric requests = {
	.name = "madring_perf_requests",
	.type = METRIC_COUNTER,
	.help = "Requests for counters, by what became of them",
};
static const struct metric in_flight = {
	.name = "madring_perf_in_flight_peak",
	.type = METRIC_GAUGE,
	.help = "The most requests that were on their way at once",
};
static const struct metric round_trip = {
	.name = "madring_perf_round_trip_seconds",
	.type = METRIC_HISTOGRAM,
	.unit = "seconds",
	.help = "From the write of an attempt for counters to its reply",
};

static void write_value(struct exposition *page, const struct metric *metric, uint64_t value)
{
	exposition_family(page, metric);
	exposition_sample(page, NULL);
	exposition_value(page, value);
}

static void write_seconds(struct exposition *page, const struct metric *metric, double seconds)
{
	exposition_family(page, metric);
	exposition_sample(page, NULL);
	exposition_value_double(page, seconds);
}

/*
 * The number of collectors: one for each type of node, and the discovery, which is a collector of
 * its own by the name that other exporters have for it.
 */
#define COLLECTORS (VIEW_TYPES + 1)

struct collector {
	char name[32];
	struct answers answers;
	uint64_t elapsed_ns;
};

static void add_discovery(struct answers *answers, const struct madring_fabric *fabric)
{
	const struct madring_problem *problem;

	for (size_t i = 0; (problem = madring_fabric_problem(fabric, i)); i++)
		if (problem->kind == MADRING_PROBLEM_NO_REPLY && problem->error == -ETIMEDOUT)
			answers->timeouts++;
		else
			answers->errors++;
}

static void add_type(struct answers *answers, const struct view *view, enum view_type type)
{
	for (size_t i = 0; i < view->collection->node_count; i++) {
		const struct node_counters *node = view_node(view, i, type);

		if (node)
			answers_add(answers, node);
	}
}

/* Fills in the collector of a type of node. Without a collection, each collector has one error. */
static void set_collector(struct collector *collector, unsigned int number, const struct view *view)
{
	bool discovers = number == VIEW_TYPES;
	enum view_type type = discovers ? VIEW_SWITCH : (enum view_type)number;

	*collector = (struct collector){ 0 };
	snprintf(collector->name, sizeof(collector->name), "%s%s",
		 discovers ? "ibnetdiscover" : view_type_word(type), view->manner);
	if (!view->collection) {
		collector->answers.errors = 1;
	} else if (discovers) {
		collector->elapsed_ns = view->discovery_ns;
		add_discovery(&collector->answers, view->fabric);
	} else {
		collector->elapsed_ns = view->collection->elapsed_ns;
		add_type(&collector->answers, view, type);
	}
}

static void begin_collector(struct exposition *page, const struct collector *collector)
{
	exposition_sample(page, NULL);
	exposition_label(page, "collector", collector->name);
}

/*
 * Writes the metrics of each collector: errors, timeouts, durations and the age of what it has
 * read.
 */
static void write_collectors(struct exposition *page, const struct view *view)
{
	struct collector all[COLLECTORS];

	for (unsigned int i = 0; i < COLLECTORS; i++)
		set_collector(&all[i], i, view);
	exposition_family(page, &collect_errors);
	for (unsigned int i = 0; i < COLLECTORS; i++) {
		begin_collector(page, &all[i]);
		exposition_value(page, all[i].answers.errors);
	}
	exposition_family(page, &collect_timeouts);
	for (unsigned int i = 0; i < COLLECTORS; i++) {
		begin_collector(page, &all[i]);
		exposition_value(page, all[i].answers.timeouts);
	}
	exposition_family(page, &collector_duration);
	for (unsigned int i = 0; i < COLLECTORS; i++) {
		begin_collector(page, &all[i]);
		exposition_value_double(page, (double)all[i].elapsed_ns / 1e9);
	}
	/* last_execution tells the age of a file. */
	exposition_family(page, &last_execution);
	for (unsigned int i = 0; i < COLLECTORS && *view->manner; i++) {
		begin_collector(page, &all[i]);
		exposition_value(page, (uint64_t)time(NULL));
	}
}

/* Writes how many nodes there are by type, and how many ports were read. */
static void write_nodes(struct exposition *page, const struct view *view)
{
	static const enum madring_node_type types[] = { MADRING_NODE_SWITCH, MADRING_NODE_CA,
							MADRING_NODE_ROUTER };
	struct madring_fabric_counts counts;
	size_t count = 0;

	madring_fabric_get_counts(view->collection->fabric, &counts);
	exposition_family(page, &nodes);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const size_t count_of[] = { counts.switches, counts.cas, counts.routers };

		exposition_sample(page, NULL);
		exposition_label(page, "type", madring_node_type_text(types[i]));
		exposition_value(page, count_of[i]);
	}
	for (enum view_type type = 0; type < VIEW_TYPES; type++) {
		for (size_t i = 0; i < view->collection->node_count; i++) {
			const struct node_counters *node = view_node(view, i, type);

			count += node ? node->port_count : 0;
		}
	}
	write_value(page, &ports, count);
}

static void write_node(struct exposition *page, uint64_t guid, const char *name,
		       enum madring_node_type type, bool value)
{
	exposition_sample(page, NULL);
	exposition_label_guid(page, "guid", guid);
	exposition_label(page, "name", name);
	exposition_label(page, "type", madring_node_type_text(type));
	exposition_value(page, value);
}

static void write_unreachable(struct exposition *page, const struct view *view)
{
	write_value(page, &unreachable, view->collection->unreachable_count);
	exposition_family(page, &node_unreachable);
	for (size_t i = 0; i < view->collection->node_count; i++) {
		const struct node_counters *node = &view->collection->nodes[i];

		if (node->unreachable)
			write_node(page, node->node->guid, node_name(view->names, node->node),
				   node->node->type, true);
	}
}

static void write_node_up(struct exposition *page, const struct view *view)
{
	const struct known_node *known;

	write_value(page, &gone, view->known->gone_count);
	exposition_family(page, &node_up);
	for (size_t i = 0; i < view->collection->node_count; i++) {
		const struct node_counters *node = &view->collection->nodes[i];

		if (node->wanted)
			write_node(page, node->node->guid, node_name(view->names, node->node),
				   node->node->type, !node->unreachable);
	}
	TAILQ_FOREACH (known, &view->known->gone, entry)
		write_node(page, known->guid, known->name, known->type, false);
}

static void write_twins(struct exposition *page, const struct view *view)
{
	const struct twins *twins = &view->collection->twins;

	write_value(page, &duplicate_guids, twins->count);
	exposition_family(page, &duplicate_guid);
	for (size_t i = 0; i < twins->count; i++) {
		const struct twin *twin = &twins->list[i];
		const struct madring_node *node =
			madring_fabric_node_by_guid(view->collection->fabric, twin->node_guid);

		exposition_sample(page, NULL);
		exposition_label_guid(page, "guid", twin->guid);
		exposition_label_u64(page, "port", twin->port);
		exposition_label_guid(page, "node_guid", twin->node_guid);
		exposition_label(page, "name", node_name(view->names, node));
		exposition_label(page, "type", madring_node_type_text(node->type));
		exposition_value(page, 1);
	}
}

static void write_last(struct exposition *page, const struct view *view)
{
	const struct collection *collection = view->collection;

	write_value(page, &complete,
		    madring_fabric_is_complete(view->fabric) && collection_complete(collection));
	write_seconds(page, &timestamp, (double)collection->start_time_ms / 1e3);
	write_seconds(page, &duration, (double)collection->elapsed_ns / 1e9);
	write_seconds(page, &discovery_duration, (double)view->discovery_ns / 1e9);
	write_nodes(page, view);
	write_unreachable(page, view);
	write_node_up(page, view);
	write_twins(page, view);
}

static void write_requests(struct exposition *page, const struct collection_stats *stats)
{
	const struct {
		const char *outcome;
		uint64_t count;
	} outcomes[] = {
		{ "answered", stats->replies },	   { "unsupported", stats->unsupported },
		{ "refused", stats->refused },	   { "malformed", stats->malformed },
		{ "timed_out", stats->timed_out }, { "not_sent", stats->failed },
	};

	exposition_family(page, &requests);
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		exposition_sample(page, NULL);
		exposition_label(page, "outcome", outcomes[i].outcome);
		exposition_value(page, outcomes[i].count);
	}
}

/* Writes a number as OpenMetrics requires: a whole number ends in a point and a zero. */
static void write_bound(char *text, size_t room, double seconds)
{
	snprintf(text, room, seconds < 1 ? "%g" : "%.1f", seconds);
}

/* Writes a histogram. Each of its buckets counts the values of those below it, too. */
static void write_round_trips(struct exposition *page, const struct collection_stats *stats)
{
	uint64_t count = 0;
	char bound[32];

	exposition_family(page, &round_trip);
	for (unsigned int i = 0; i <= RTT_BUCKETS; i++) {
		count += stats->rtt_bucket[i];
		snprintf(bound, sizeof(bound), "+Inf");
		if (i < RTT_BUCKETS)
			write_bound(bound, sizeof(bound), rtt_bucket_us[i] / 1e6);
		exposition_sample(page, "_bucket");
		exposition_label(page, "le", bound);
		exposition_value(page, count);
	}
	exposition_sample(page, "_sum");
	exposition_value_double(page, (double)stats->rtt_sum_ns / 1e9);
	exposition_sample(page, "_count");
	exposition_value(page, count);
}

static void write_totals(struct exposition *page, const struct totals *totals)
{
	write_value(page, &collections, totals->collections);
	write_value(page, &failed_collections, totals->failed);
	write_value(page, &mads_sent, totals->sent);
	write_value(page, &mads_received, totals->received);
	write_value(page, &retries, totals->retried);
	write_value(page, &timeouts, totals->timed_out);
	write_requests(page, &totals->stats);
	write_value(page, &in_flight, totals->stats.in_flight_peak);
	write_round_trips(page, &totals->stats);
}

static void write_self(struct exposition *page, const struct view *view)
{
	exposition_family(page, &build);
	exposition_sample(page, NULL);
	exposition_label(page, "version", madring_version());
	exposition_value(page, 1);
	if (!view->shard->count)
		return;
	exposition_family(page, &shard_info);
	exposition_sample(page, NULL);
	exposition_label_u64(page, "shard", view->shard->number);
	exposition_label_u64(page, "shards", view->shard->count);
	exposition_value(page, 1);
}

void own_metrics(struct exposition *page, const struct view *view, const struct totals *totals)
{
	write_collectors(page, view);
	write_self(page, view);
	write_value(page, &up, view->collection != NULL);
	if (view->collection)
		write_last(page, view);
	write_totals(page, totals);
}
