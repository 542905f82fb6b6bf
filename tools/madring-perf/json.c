/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/json_write.h"
#include "counter.h"
#include "discovery/link_text.h"
#include "json.h"

static struct json_object *counters_value(const struct port_counters *port)
{
	struct json_object *object = json_new_object();
	struct counter_value value;

	for (unsigned int c = 0; c < COUNTERS; c++)
		if (counter_get(port, c, &value))
			json_add_number(object, counter_name(c), value.value);
	return object;
}

/* Returns the counters that are full, and so may be larger. */
static struct json_object *saturated_value(const struct port_counters *port)
{
	struct json_object *array = json_new_array();
	struct counter_value value;

	for (unsigned int c = 0; c < COUNTERS; c++)
		if (counter_get(port, c, &value) && value.saturated)
			json_append(array, json_new_text(counter_name(c)));
	return array;
}

static struct json_object *fields_value(enum pma_attribute attribute, const uint8_t *data)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);
	struct json_object *object = json_new_object();

	for (unsigned int field = info->first; field < info->last; field++)
		json_add_number(object, mad_field_name(field), pma_field(attribute, field, data));
	return object;
}

/* Returns the outcome of each attribute that was asked for. */
static struct json_object *readings_value(const struct port_counters *port)
{
	struct json_object *object = json_new_object();
	char text[READING_TEXT_BYTES];

	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (port->reading[a])
			json_add_text(object, pma_attribute_info(a)->name,
				      reading_text(port->reading[a], text));
	return object;
}

static void add_other_attributes(struct json_object *object, const struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (!(PMA_SET(a) & PMA_SET_BASE) && port_data(port, a))
			json_add(object, pma_attribute_info(a)->name,
				 fields_value(a, port_data(port, a)));
}

static struct json_object *peer_value(const struct port *peer, const struct names *names)
{
	struct json_object *object;

	if (!peer)
		return NULL;
	object = json_new_object();
	json_add(object, "node_guid", json_guid(peer->node->info.node_guid));
	json_add_text(object, "name", node_name(names, peer->node));
	json_add_number(object, "port", peer->number);
	return object;
}

static struct json_object *port_value(const struct port_counters *port, const struct names *names)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "port", port->number);
	json_add(object, "guid", json_guid(port->port->guid));
	json_add_number(object, "lid", port_lid(port->port));
	json_add(object, "peer", peer_value(port->port->peer, names));
	json_add(object, "readings", readings_value(port));
	json_add(object, "counters", counters_value(port));
	json_add(object, "saturated", saturated_value(port));
	add_other_attributes(object, port);
	return object;
}

static struct json_object *node_value(const struct node_counters *node, const struct names *names)
{
	struct json_object *object = json_new_object(), *ports = json_new_array();
	char text[READING_TEXT_BYTES];

	for (size_t i = 0; i < node->port_count; i++)
		json_append(ports, port_value(&node->ports[i], names));
	json_add(object, "guid", json_guid(node->node->info.node_guid));
	json_add_text(object, "type", node_type_word(node->node->info.type));
	json_add_text(object, "description", node->node->description);
	json_add_text(object, "name", node_name(names, node->node));
	json_add_flag(object, "reachable", !node->unreachable);
	json_add_text(object, "class_port_info", reading_text(&node->class_port_info, text));
	json_add_number(object, "capability_mask", node->capabilities.mask);
	json_add_number(object, "capability_mask2", node->capabilities.mask2);
	json_add(object, "ports", ports);
	return object;
}

static void write_nodes(FILE *out, const struct collection *collection, const struct names *names)
{
	bool first = true;

	fputs("  \"nodes\": [", out);
	for (size_t i = 0; i < collection->node_count; i++)
		if (collection->nodes[i].wanted)
			json_write_element(out, node_value(&collection->nodes[i], names), &first);
	fputs(first ? "],\n" : "\n  ],\n", out);
}

static struct json_object *round_trips_value(const struct collection_stats *stats)
{
	struct json_object *array = json_new_array(), *bucket;

	for (unsigned int b = 0; b <= RTT_BUCKETS; b++) {
		bucket = json_new_object();
		if (b < RTT_BUCKETS)
			json_add_number(bucket, "up_to_us", rtt_bucket_us[b]);
		json_add_number(bucket, "count", stats->rtt_bucket[b]);
		json_append(array, bucket);
	}
	return array;
}

static struct json_object *stats_value(const struct collection *collection)
{
	const struct collection_stats *stats = &collection->stats;
	struct json_object *object = json_new_object();

	json_add_number(object, "elapsed_ns", collection->elapsed_ns);
	json_add_number(object, "unreachable_nodes", collection->unreachable_count);
	json_add_number(object, "requests", stats->requests);
	json_add_number(object, "replies", stats->replies);
	json_add_number(object, "unsupported", stats->unsupported);
	json_add_number(object, "refused", stats->refused);
	json_add_number(object, "malformed", stats->malformed);
	json_add_number(object, "timed_out", stats->timed_out);
	json_add_number(object, "failed", stats->failed);
	json_add_number(object, "not_cleared", stats->clear_failed);
	json_add_number(object, "duplicate_guids", collection->twins.count);
	json_add_number(object, "mads", stats->mads);
	json_add_number(object, "retries", stats->retries);
	json_add_number(object, "in_flight_peak", stats->in_flight_peak);
	json_add(object, "driver", stats->driver ? json_new_text(stats->driver) : NULL);
	json_add_number(object, "rtt_count", stats->rtt_count);
	json_add_number(object, "rtt_sum_ns", stats->rtt_sum_ns);
	json_add(object, "rtt", round_trips_value(stats));
	return object;
}

void json_print(FILE *out, const struct collection *collection, const struct names *names)
{
	char program[64];

	snprintf(program, sizeof(program), "madring-perf %s", madring_version());
	fputs("{\n", out);
	json_write_member(out, "program", json_new_text(program));
	json_write_member(out, "time_ms", json_new_signed(collection->start_time_ms));
	json_write_member(out, "complete", json_new_flag(collection_complete(collection)));
	json_write_member(out, "interrupted", json_new_flag(collection->interrupted));
	json_write_member(out, "deadline_reached", json_new_flag(collection->deadline_reached));
	json_write_member(out, "error",
			  collection->error ? json_new_text(madring_strerror(collection->error))
					    : NULL);
	write_nodes(out, collection, names);
	fputs("  \"stats\": ", out);
	json_write(out, stats_value(collection));
	fputs("\n}\n", out);
}
