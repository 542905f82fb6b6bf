/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes all results as JSON, node by node. */
#include "json/json_line.h"
#include "common/json_write.h"
#include "fabric/link_text.h"
#include "print.h"

static struct json_object *route_value(const struct route *route)
{
	struct json_object *hops = json_new_array();

	for (unsigned int hop = 0; hop <= route->hops; hop++)
		json_append(hops, json_new_number(hop ? route->port[hop] : 0));
	return hops;
}

static void write_peer(struct json_line *line, const struct port *peer)
{
	if (!peer) {
		json_line_null(line, "peer");
		return;
	}
	json_line_open(line, "peer", '{');
	json_line_guid(line, "node_guid", peer->node->info.node_guid);
	json_line_number(line, "port", peer->number);
	json_line_close(line, '}');
}

static void write_port(struct json_line *line, const struct port *port)
{
	json_line_open(line, NULL, '{');
	json_line_number(line, "port", port->number);
	json_line_guid(line, "guid", port->guid);
	json_line_flag(line, "known", port->known);
	json_line_number(line, "lid", port_lid(port));
	json_line_number(line, "lmc", port->info.lmc);
	json_line_number(line, "state", port->info.state);
	json_line_number(line, "physical_state", port->info.physical_state);
	json_line_text(line, "width", link_width_text(port->info.width));
	json_line_text(line, "speed", link_speed_text(port));
	json_line_number(line, "vl_cap", port->info.vl_cap);
	write_peer(line, port->peer);
	json_line_close(line, '}');
}

static void write_path(struct json_line *line, const struct route *route)
{
	json_line_open(line, "path", '[');
	for (unsigned int hop = 0; hop <= route->hops; hop++)
		json_line_number(line, NULL, hop ? route->port[hop] : 0);
	json_line_close(line, ']');
}

static void write_ports(struct json_line *line, const struct node *node)
{
	json_line_open(line, "ports", '[');
	for (unsigned int p = 0; p <= node->info.port_count; p++)
		if (node->port[p].found)
			write_port(line, &node->port[p]);
	json_line_close(line, ']');
}

static void write_node(struct json_line *line, const struct result *result, const struct node *node)
{
	json_line_open(line, NULL, '{');
	json_line_guid(line, "guid", node->info.node_guid);
	json_line_text(line, "type", node_type_word(node->info.type));
	json_line_text(line, "description", node->description);
	json_line_text(line, "name", node_name(result->names, node));
	json_line_guid(line, "system_image_guid", node->info.system_guid);
	json_line_guid(line, "port_guid", node->info.port_guid);
	json_line_number(line, "vendor_id", node->info.vendor_id);
	json_line_number(line, "device_id", node->info.device_id);
	json_line_number(line, "revision", node->info.revision);
	json_line_number(line, "port_count", node->info.port_count);
	if (node->info.type == NODE_SWITCH)
		json_line_flag(line, "enhanced_port0", node->enhanced_port0);
	write_path(line, &node->route);
	write_ports(line, node);
	json_line_close(line, '}');
}

static struct json_object *problem_value(const struct problem *problem)
{
	struct json_object *object = json_new_object();
	char text[PROBLEM_TEXT_BYTES];
	struct route route;

	problem_route(problem, &route);
	json_add(object, "path", route_value(&route));
	if (problem->kind == PROBLEM_CONFLICT) {
		json_add(object, "node_guid", json_guid(problem->node->info.node_guid));
		json_add_text(object, "description", problem->description);
		json_add(object, "other_path", route_value(&problem->node->route));
		json_add_text(object, "other_description", problem->node->description);
	} else {
		json_add_text(object, "attribute", attribute_name(problem->attribute));
		json_add_number(object, "attribute_modifier", problem->modifier);
	}
	if (problem->kind == PROBLEM_LIMIT)
		json_add_number(object, "left_out", problem->left_out);
	if (problem->kind == PROBLEM_STATUS)
		json_add_number(object, "status", problem->status);
	json_add_text(object, "reason", problem_text(problem, text));
	return object;
}

static struct json_object *local_value(const struct fabric *fabric)
{
	struct json_object *object;

	if (!fabric->root)
		return NULL;
	object = json_new_object();
	json_add(object, "node_guid", json_guid(fabric->root->info.node_guid));
	json_add(object, "port_guid", json_guid(fabric->root->info.port_guid));
	json_add_number(object, "port", fabric->root_port);
	return object;
}

static void write_nodes(FILE *out, const struct result *result)
{
	struct json_line line;
	bool first = true;

	json_line_start(&line, out);
	fputs("  \"nodes\": [", out);
	for (size_t i = 0; i < result->fabric->node_count; i++) {
		json_write_next(out, &first);
		write_node(&line, result, result->fabric->nodes[i]);
		json_line_end(&line);
	}
	fputs(first ? "]" : "\n  ]", out);
}

static void write_problems(FILE *out, const struct result *result, const char *key, bool conflicts)
{
	const struct problems *problems = &result->discovery->problems;
	bool first = true;

	fprintf(out, ",\n  \"%s\": [", key);
	for (size_t i = 0; i < problems->count; i++)
		if ((problems->list[i]->kind == PROBLEM_CONFLICT) == conflicts)
			json_write_element(out, problem_value(problems->list[i]), &first);
	fputs(first ? "]" : "\n  ]", out);
}

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

static struct json_object *lids_value(const struct lids *lids)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "requests", lids->requests);
	json_add_number(object, "nodes", lids->trusted);
	json_add_number(object, "nodes_refused", lids->refused);
	json_add_number(object, "requests_repeated", lids->lost);
	return object;
}

static struct json_object *stats_value(const struct result *result)
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
	json_add_text(object, "driver", result->driver);
	json_add_number(object, "buffers_peak", stats->pool.plain.peak);
	json_add_number(object, "pinned_bytes", stats->pool.pinned_bytes);
	json_add_number(object, "unpinned_bytes", stats->pool.unpinned_bytes);
	json_add(object, "rtt", rtt_value(&stats->rtt));
	if (result->options->lid_routed)
		json_add(object, "lid_routed", lids_value(&result->discovery->lids));
	return object;
}

static struct json_object *switch_value(const struct switch_drops *from)
{
	struct json_object *object = json_new_object();

	json_add(object, "guid", json_guid(from->node->info.node_guid));
	json_add_number(object, "lid", from->lid);
	return object;
}

static struct json_object *read_value(const struct switch_drops *from)
{
	struct json_object *object = switch_value(from);

	json_add_number(object, "before", from->before);
	json_add_number(object, "after", from->after);
	json_add_number(object, "dropped", switch_dropped(from));
	json_add_flag(object, "saturated", from->saturated);
	return object;
}

static struct json_object *unread_value(const struct switch_drops *from)
{
	struct json_object *object = switch_value(from);
	char text[READING_TEXT_BYTES];

	json_add_text(object, "reason", switch_drops_text(from, text));
	return object;
}

static struct json_object *drops_value(const struct drops *drops)
{
	struct json_object *object = json_new_object();
	struct json_object *read = json_new_array(), *unread = json_new_array();
	struct drops_total total;

	drops_add_up(drops, &total);
	for (size_t i = 0; i < drops->count; i++)
		if (drops->switches[i]->step == DROPS_READ)
			json_append(read, read_value(drops->switches[i]));
		else
			json_append(unread, unread_value(drops->switches[i]));
	json_add(object, "error",
		 drops->error ? json_new_text(madring_strerror(drops->error)) : NULL);
	json_add(object, "vl15_dropped", total.read ? json_new_number(total.dropped) : NULL);
	json_add_flag(object, "saturated", total.saturated > 0);
	json_add_number(object, "mads", drops->mads);
	json_add(object, "switches", read);
	json_add(object, "unread", unread);
	return object;
}

void print_json(FILE *out, const struct result *result)
{
	char program[64];

	snprintf(program, sizeof(program), "madring-sweep %s", madring_version());
	fputs("{\n", out);
	json_write_member(out, "program", json_new_text(program));
	json_write_member(out, "complete",
			  json_new_flag(!result->error && discovery_complete(result->discovery)));
	json_write_member(out, "interrupted", json_new_flag(result->interrupted));
	json_write_member(out, "deadline_reached",
			  json_new_flag(result->discovery->deadline_reached));
	json_write_member(out, "error",
			  result->error ? json_new_text(madring_strerror(result->error)) : NULL);
	json_write_member(out, "unanswered", json_new_number(result->discovery->dropped));
	json_write_member(out, "local", local_value(result->fabric));
	write_nodes(out, result);
	write_problems(out, result, "missing", false);
	write_problems(out, result, "conflicts", true);
	if (result->options->count_drops) {
		fputs(",\n  \"drops\": ", out);
		json_write(out, drops_value(&result->drops));
	}
	if (result->options->stats) {
		fputs(",\n  \"stats\": ", out);
		json_write(out, stats_value(result));
	}
	fputs("\n}\n", out);
}
