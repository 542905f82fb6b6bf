/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes all results as JSON, node by node. */
#include "common/discover.h"
#include "common/json_write.h"
#include "print.h"

static struct json_object *route_value(const uint8_t *path, uint8_t hops)
{
	struct json_object *value = json_new_array();

	for (unsigned int hop = 0; hop <= hops; hop++)
		json_append(value, json_new_number(hop ? path[hop] : 0));
	return value;
}

/* Returns the object of a problem. */
static struct json_object *problem_value(const struct madring_problem *problem)
{
	struct json_object *object = json_new_object();
	const struct madring_node *node = problem->node;
	char text[MADRING_PROBLEM_TEXT_BYTES];

	json_add(object, "path", route_value(problem->path, problem->hops));
	if (problem->kind == MADRING_PROBLEM_CONFLICT) {
		json_add(object, "node_guid", json_guid(node->guid));
		json_add_text(object, "description", problem->description);
		json_add(object, "other_path", route_value(node->path, node->hops));
		json_add_text(object, "other_description", node->description);
	} else {
		json_add_text(object, "attribute", problem->attribute_name);
		json_add_number(object, "attribute_modifier", problem->modifier);
	}
	if (problem->kind == MADRING_PROBLEM_LIMIT || problem->kind == MADRING_PROBLEM_TOO_FAR)
		json_add_number(object, "left_out", problem->left_out);
	if (problem->kind == MADRING_PROBLEM_STATUS)
		json_add_number(object, "status", problem->status);
	json_add_text(object, "reason", discover_problem_text(problem, text));
	return object;
}

static struct json_object *local_value(const struct madring_fabric *fabric)
{
	const struct madring_node_port *local = madring_fabric_local_port(fabric);
	struct json_object *object;

	if (!local)
		return NULL;
	object = json_new_object();
	json_add(object, "node_guid", json_guid(local->node->guid));
	json_add(object, "port_guid", json_guid(local->node->port_guid));
	json_add_number(object, "port", local->number);
	return object;
}

static const char *name_of(void *names, const struct madring_node *node)
{
	return node_name(names, node);
}

static void write_nodes(FILE *out, const struct result *result)
{
	fputs("  \"nodes\": ", out);
	madring_fabric_save_nodes(result->fabric, out, name_of, (void *)result->names);
}

static void write_problems(FILE *out, const struct result *result, const char *key, bool conflicts)
{
	const struct madring_problem *problem;
	bool first = true;

	fprintf(out, ",\n  \"%s\": [", key);
	for (size_t i = 0; (problem = madring_fabric_problem(result->fabric, i)); i++)
		if ((problem->kind == MADRING_PROBLEM_CONFLICT) == conflicts)
			json_write_element(out, problem_value(problem), &first);
	fputs(first ? "]" : "\n  ]", out);
}

static struct json_object *rtt_value(const struct madring_stats *stats)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "count", stats->rtt_count);
	json_add_number(object, "min_ns", stats->rtt_min_ns);
	json_add_number(object, "mean_ns", stats->rtt_mean_ns);
	json_add_number(object, "max_ns", stats->rtt_max_ns);
	json_add_number(object, "p50_ns", stats->rtt_p50_ns);
	json_add_number(object, "p90_ns", stats->rtt_p90_ns);
	json_add_number(object, "p99_ns", stats->rtt_p99_ns);
	json_add_number(object, "p999_ns", stats->rtt_p999_ns);
	return object;
}

static struct json_object *lids_value(const struct madring_sweep_state *state)
{
	struct json_object *object = json_new_object();

	json_add_number(object, "requests", state->lid_requests);
	json_add_number(object, "nodes", state->lid_nodes);
	json_add_number(object, "nodes_refused", state->lid_refused);
	json_add_number(object, "requests_repeated", state->lid_repeated);
	return object;
}

/* Returns the object of the sweep's own figures. */
static struct json_object *stats_value(const struct result *result)
{
	struct json_object *object = json_new_object();
	const struct madring_stats *stats = &result->stats;
	struct madring_fabric_counts counts;

	madring_fabric_get_counts(result->fabric, &counts);
	json_add_number(object, "elapsed_ns", result->elapsed_ns);
	json_add_number(object, "switches", counts.switches);
	json_add_number(object, "cas", counts.cas);
	json_add_number(object, "routers", counts.routers);
	json_add_number(object, "cables", counts.links);
	json_add_number(object, "max_hops", counts.hops);
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
	json_add_number(object, "buffers_peak", stats->pool_plain_peak);
	json_add_number(object, "pinned_bytes", stats->pool_pinned_bytes);
	json_add_number(object, "unpinned_bytes", stats->pool_unpinned_bytes);
	json_add(object, "rtt", rtt_value(stats));
	if (result->options->lid_routed)
		json_add(object, "lid_routed", lids_value(&result->state));
	return object;
}

static struct json_object *switch_value(const struct switch_drops *from)
{
	struct json_object *object = json_new_object();

	json_add(object, "guid", json_guid(from->node->guid));
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
		 drops->error ? json_new_text(madring_error_text(drops->error)) : NULL);
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
	json_write_member(
		out, "complete",
		json_new_flag(!result->error && madring_fabric_is_complete(result->fabric)));
	json_write_member(out, "interrupted", json_new_flag(result->interrupted));
	json_write_member(out, "deadline_reached", json_new_flag(result->state.deadline_reached));
	json_write_member(out, "error",
			  result->error ? json_new_text(madring_error_text(result->error)) : NULL);
	json_write_member(out, "unanswered", json_new_number(result->state.unanswered));
	json_write_member(out, "local", local_value(result->fabric));
	if (result->old)
		print_changes_json(out, result);
	else
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
