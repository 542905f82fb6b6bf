/* SPDX-License-Identifier: BSD-2-Clause */
#include "json/json_line.h"
#include "common/json_write.h"
#include "counter.h"
#include "json.h"

/* Writes the counters, and those that are full, and so may be larger. */
static void write_counters(struct json_line *line, const struct port_counters *port)
{
	bool is_full[COUNTERS] = { false };
	struct counter_value value;

	json_line_open(line, "counters", '{');
	for (unsigned int c = 0; c < COUNTERS; c++) {
		if (!counter_get(port, c, &value))
			continue;
		json_line_number(line, counter_name(c), value.value);
		is_full[c] = value.saturated;
	}
	json_line_close(line, '}');
	json_line_open(line, "saturated", '[');
	for (unsigned int c = 0; c < COUNTERS; c++)
		if (is_full[c])
			json_line_text(line, NULL, counter_name(c));
	json_line_close(line, ']');
}

static void write_fields(struct json_line *line, enum pma_attribute attribute, const uint8_t *data)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);

	json_line_open(line, info->name, '{');
	for (unsigned int field = info->first; field < info->last; field++)
		json_line_number(line, mad_field_name(field), pma_field(field, data));
	json_line_close(line, '}');
}

/* Writes the outcome of each attribute that was asked for. */
static void write_readings(struct json_line *line, const struct port_counters *port)
{
	char text[READING_TEXT_BYTES];

	json_line_open(line, "readings", '{');
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (port->reading[a])
			json_line_text(line, pma_attribute_info(a)->name,
				       reading_text(port->reading[a], text));
	json_line_close(line, '}');
}

static void write_other_attributes(struct json_line *line, const struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (!(PMA_SET(a) & PMA_SET_BASE) && port_data(port, a))
			write_fields(line, a, port_data(port, a));
}

static void write_peer(struct json_line *line, const struct madring_node_port *peer,
		       const struct names *names)
{
	if (!peer) {
		json_line_null(line, "peer");
		return;
	}
	json_line_open(line, "peer", '{');
	json_line_guid(line, "node_guid", peer->node->guid);
	json_line_text(line, "name", node_name(names, peer->node));
	json_line_number(line, "port", peer->number);
	json_line_close(line, '}');
}

static void write_port(struct json_line *line, const struct port_counters *port,
		       const struct names *names)
{
	json_line_open(line, NULL, '{');
	json_line_number(line, "port", port->number);
	json_line_guid(line, "guid", port->port->guid);
	json_line_number(line, "lid", port->port->lid);
	write_peer(line, port->port->peer, names);
	write_readings(line, port);
	write_counters(line, port);
	write_other_attributes(line, port);
	json_line_close(line, '}');
}

static void write_node(struct json_line *line, const struct node_counters *node,
		       const struct names *names)
{
	char text[READING_TEXT_BYTES];

	json_line_open(line, NULL, '{');
	json_line_guid(line, "guid", node->node->guid);
	json_line_text(line, "type", madring_node_type_text(node->node->type));
	json_line_text(line, "description", node->node->description);
	json_line_text(line, "name", node_name(names, node->node));
	json_line_flag(line, "reachable", !node->unreachable);
	json_line_text(line, "class_port_info", reading_text(&node->class_port_info, text));
	json_line_number(line, "capability_mask", node->capabilities.mask);
	json_line_number(line, "capability_mask2", node->capabilities.mask2);
	json_line_open(line, "ports", '[');
	for (size_t i = 0; i < node->port_count; i++)
		write_port(line, &node->ports[i], names);
	json_line_close(line, ']');
	json_line_close(line, '}');
}

static void write_nodes(FILE *out, const struct collection *collection, const struct names *names)
{
	struct json_line line;
	bool first = true;

	json_line_start(&line, out);
	fputs("  \"nodes\": [", out);
	for (size_t i = 0; i < collection->node_count; i++) {
		if (!collection->nodes[i].wanted)
			continue;
		json_write_next(out, &first);
		write_node(&line, &collection->nodes[i], names);
		json_line_end(&line);
	}
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

/* Returns the object of the collection's own figures. */
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
			  collection->error ? json_new_text(madring_error_text(collection->error))
					    : NULL);
	write_nodes(out, collection, names);
	fputs("  \"stats\": ", out);
	json_write(out, stats_value(collection));
	fputs("\n}\n", out);
}
