/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/json_tree.h"
#include "json_stats.h"

static struct json_object *rtt_value(const struct madring_rtt_stats *rtt)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "count", rtt->count);
	json_add_number(object, "min_ns", rtt->min_ns);
	json_add_number(object, "mean_ns", rtt->mean_ns);
	json_add_number(object, "max_ns", rtt->max_ns);
	json_add_number(object, "p50_ns", rtt->p50_ns);
	json_add_number(object, "p90_ns", rtt->p90_ns);
	json_add_number(object, "p99_ns", rtt->p99_ns);
	json_add_number(object, "p999_ns", rtt->p999_ns);
	return object;
}

struct json_object *json_stats(const struct result *result)
{
	struct json_object *object = json_new_object();
	const struct madring_ring_stats *stats = &result->stats;

	json_add_number(object, "elapsed_ns", result->elapsed_ns);
	json_add_number(object, "switches", fabric_count(result->fabric, NODE_SWITCH));
	json_add_number(object, "cas", fabric_count(result->fabric, NODE_CA));
	json_add_number(object, "routers", fabric_count(result->fabric, NODE_ROUTER));
	json_add_number(object, "cables", fabric_cables(result->fabric));
	json_add_number(object, "max_hops", fabric_hops(result->fabric));
	json_add_number(object, "requests", stats->accepted);
	json_add_number(object, "sent", stats->sent);
	json_add_number(object, "received", stats->received);
	json_add_number(object, "replies", stats->replies);
	json_add_number(object, "retried", stats->retried);
	json_add_number(object, "timed_out", stats->timed_out);
	json_add_number(object, "unmatched", stats->unmatched);
	json_add_number(object, "late_replies", stats->late_replies);
	json_add_number(object, "in_flight_peak", stats->in_flight_peak);
	json_add_number(object, "system_calls", stats->entries);
	json_add_number(object, "buffers_peak", stats->pool.plain.peak);
	json_add_number(object, "pinned_bytes", stats->pool.pinned_bytes);
	json_add_number(object, "unpinned_bytes", stats->pool.unpinned_bytes);
	json_add(object, "rtt", rtt_value(&stats->rtt));
	return object;
}
