/* SPDX-License-Identifier: BSD-2-Clause */
#include "json/json_write.h"
#include "counter.h"
#include "json.h"

/* Writes the counters, and those that are full, and so may be larger. */
static void write_counters(struct json_writer *writer, const struct port_counters *port)
{
	bool is_full[COUNTERS] = { false };
	struct counter_value value;

	json_write_open(writer, "counters", '{');
	for (unsigned int c = 0; c < COUNTERS; c++) {
		if (!counter_get(port, c, &value))
			continue;
		json_write_number(writer, counter_name(c), value.value);
		is_full[c] = value.saturated;
	}
	json_write_close(writer, '}');
	json_write_open(writer, "saturated", '[');
	for (unsigned int c = 0; c < COUNTERS; c++)
		if (is_full[c])
			json_write_text(writer, NULL, counter_name(c));
	json_write_close(writer, ']');
}

static void write_fields(struct json_writer *writer, enum pma_attribute attribute,
			 const uint8_t *data)
{
	const struct pma_attribute_info *info = pma_attribute_info(attribute);

	json_write_open(writer, info->name, '{');
	for (unsigned int field = info->first; field < info->last; field++)
		json_write_number(writer, mad_field_name(field), pma_field(field, data));
	json_write_close(writer, '}');
}

/* Writes the outcome of each attribute that was asked for. */
static void write_readings(struct json_writer *writer, const struct port_counters *port)
{
	char text[READING_TEXT_BYTES];

	json_write_open(writer, "readings", '{');
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (port->reading[a])
			json_write_text(writer, pma_attribute_info(a)->name,
					reading_text(port->reading[a], text));
	json_write_close(writer, '}');
}

static void write_other_attributes(struct json_writer *writer, const struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		if (!(PMA_SET(a) & PMA_SET_BASE) && port_data(port, a))
			write_fields(writer, a, port_data(port, a));
}

static void write_peer(struct json_writer *writer, const struct madring_node_port *peer,
		       const struct names *names)
{
	if (!peer) {
		json_write_null(writer, "peer");
		return;
	}
	json_write_open(writer, "peer", '{');
	json_write_guid(writer, "node_guid", peer->node->guid);
	json_write_text(writer, "name", node_name(names, peer->node));
	json_write_number(writer, "port", peer->number);
	json_write_close(writer, '}');
}

static void write_port(struct json_writer *writer, const struct port_counters *port,
		       const struct names *names)
{
	json_write_open(writer, NULL, '{');
	json_write_number(writer, "port", port->number);
	json_write_guid(writer, "guid", port->port->guid);
	json_write_number(writer, "lid", port->port->lid);
	write_peer(writer, port->port->peer, names);
	write_readings(writer, port);
	write_counters(writer, port);
	write_other_attributes(writer, port);
	json_write_close(writer, '}');
}

static void write_node(struct json_writer *writer, const struct node_counters *node,
		       const struct names *names)
{
	char text[READING_TEXT_BYTES];

	json_write_open(writer, NULL, '{');
	json_write_guid(writer, "guid", node->node->guid);
	json_write_text(writer, "type", madring_node_type_text(node->node->type));
	json_write_text(writer, "description", node->node->description);
	json_write_text(writer, "name", node_name(names, node->node));
	json_write_flag(writer, "reachable", !node->unreachable);
	json_write_text(writer, "class_port_info", reading_text(&node->class_port_info, text));
	json_write_number(writer, "capability_mask", node->capabilities.mask);
	json_write_number(writer, "capability_mask2", node->capabilities.mask2);
	json_write_open(writer, "ports", '[');
	for (size_t i = 0; i < node->port_count; i++)
		write_port(writer, &node->ports[i], names);
	json_write_close(writer, ']');
	json_write_close(writer, '}');
}

static void write_nodes(struct json_writer *writer, const struct collection *collection,
			const struct names *names)
{
	json_write_open_lines(writer, "nodes", '[');
	for (size_t i = 0; i < collection->node_count; i++)
		if (collection->nodes[i].wanted)
			write_node(writer, &collection->nodes[i], names);
	json_write_close(writer, ']');
}

static void write_round_trips(struct json_writer *writer, const struct collection_stats *stats)
{
	json_write_open(writer, "rtt", '[');
	for (unsigned int b = 0; b <= RTT_BUCKETS; b++) {
		json_write_open(writer, NULL, '{');
		if (b < RTT_BUCKETS)
			json_write_number(writer, "up_to_us", rtt_bucket_us[b]);
		json_write_number(writer, "count", stats->rtt_bucket[b]);
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

/* Writes the collection's own figures. */
static void write_stats(struct json_writer *writer, const struct collection *collection)
{
	const struct collection_stats *stats = &collection->stats;

	json_write_open(writer, "stats", '{');
	json_write_number(writer, "elapsed_ns", collection->elapsed_ns);
	json_write_number(writer, "unreachable_nodes", collection->unreachable_count);
	json_write_number(writer, "requests", stats->requests);
	json_write_number(writer, "replies", stats->replies);
	json_write_number(writer, "unsupported", stats->unsupported);
	json_write_number(writer, "refused", stats->refused);
	json_write_number(writer, "malformed", stats->malformed);
	json_write_number(writer, "timed_out", stats->timed_out);
	json_write_number(writer, "failed", stats->failed);
	json_write_number(writer, "not_cleared", stats->clear_failed);
	json_write_number(writer, "duplicate_guids", collection->twins.count);
	json_write_number(writer, "mads", stats->mads);
	json_write_number(writer, "retries", stats->retries);
	json_write_number(writer, "in_flight_peak", stats->in_flight_peak);
	json_write_text(writer, "driver", stats->driver);
	json_write_number(writer, "rtt_count", stats->rtt_count);
	json_write_number(writer, "rtt_sum_ns", stats->rtt_sum_ns);
	write_round_trips(writer, stats);
	json_write_close(writer, '}');
}

void json_print(FILE *out, const struct collection *collection, const struct names *names)
{
	const int error = collection->error;
	struct json_writer writer;
	char program[64];

	snprintf(program, sizeof(program), "madring-perf %s", madring_version());
	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	json_write_open_lines(&writer, NULL, '{');
	json_write_text(&writer, "program", program);
	json_write_signed(&writer, "time_ms", collection->start_time_ms);
	json_write_flag(&writer, "complete", collection_complete(collection));
	json_write_flag(&writer, "interrupted", collection->interrupted);
	json_write_flag(&writer, "deadline_reached", collection->deadline_reached);
	json_write_text(&writer, "error", error ? madring_error_text(error) : NULL);
	write_nodes(&writer, collection, names);
	write_stats(&writer, collection);
	json_write_close(&writer, '}');
	json_write_end(&writer);
}
