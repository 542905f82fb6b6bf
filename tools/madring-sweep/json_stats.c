/* SPDX-License-Identifier: BSD-2-Clause */
#include <json-c/json.h>

#include "json_stats.h"

static void add(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static struct json_object *rtt_value(const struct madring_rtt_stats *rtt)
{
	struct json_object *object = json_object_new_object();

	add(object, "count", rtt->count);
	add(object, "min_ns", rtt->min_ns);
	add(object, "mean_ns", rtt->mean_ns);
	add(object, "max_ns", rtt->max_ns);
	add(object, "p50_ns", rtt->p50_ns);
	add(object, "p90_ns", rtt->p90_ns);
	add(object, "p99_ns", rtt->p99_ns);
	add(object, "p999_ns", rtt->p999_ns);
	return object;
}

struct json_object *json_stats(const struct result *result)
{
	struct json_object *object = json_object_new_object();
	const struct madring_stats *stats = &result->stats;

	add(object, "elapsed_ns", result->elapsed_ns);
	add(object, "switches", fabric_count(result->fabric, NODE_SWITCH));
	add(object, "cas", fabric_count(result->fabric, NODE_CA));
	add(object, "routers", fabric_count(result->fabric, NODE_ROUTER));
	add(object, "cables", fabric_cables(result->fabric));
	add(object, "max_hops", fabric_hops(result->fabric));
	add(object, "requests", stats->accepted);
	add(object, "sent", stats->sent);
	add(object, "received", stats->received);
	add(object, "replies", stats->replies);
	add(object, "retried", stats->retried);
	add(object, "timed_out", stats->timed_out);
	add(object, "unmatched", stats->unmatched);
	add(object, "late_replies", stats->late_replies);
	add(object, "in_flight_peak", stats->in_flight_peak);
	add(object, "system_calls", stats->entries);
	add(object, "buffers_peak", stats->pool.plain.peak);
	add(object, "pinned_bytes", stats->pool.pinned_bytes);
	add(object, "unpinned_bytes", stats->pool.unpinned_bytes);
	json_object_object_add(object, "rtt", rtt_value(&stats->rtt));
	return object;
}
