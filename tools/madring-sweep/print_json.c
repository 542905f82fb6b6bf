/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes all results as JSON, node by node. */
#include "common/discover.h"
#include "print.h"

static void write_route(struct json_writer *writer, const char *key, const uint8_t *path,
			uint8_t hops)
{
	json_write_open(writer, key, '[');
	for (unsigned int hop = 0; hop <= hops; hop++)
		json_write_number(writer, NULL, hop ? path[hop] : 0);
	json_write_close(writer, ']');
}

/* Writes a problem as an element of an array. */
static void write_problem(struct json_writer *writer, const struct madring_problem *problem)
{
	const struct madring_node *node = problem->node;
	char text[MADRING_PROBLEM_TEXT_BYTES];

	json_write_open(writer, NULL, '{');
	write_route(writer, "path", problem->path, problem->hops);
	if (problem->kind == MADRING_PROBLEM_CONFLICT) {
		json_write_guid(writer, "node_guid", node->guid);
		json_write_text(writer, "description", problem->description);
		write_route(writer, "other_path", node->path, node->hops);
		json_write_text(writer, "other_description", node->description);
	} else {
		json_write_text(writer, "attribute", problem->attribute_name);
		json_write_number(writer, "attribute_modifier", problem->modifier);
	}
	if (problem->kind == MADRING_PROBLEM_LIMIT || problem->kind == MADRING_PROBLEM_TOO_FAR)
		json_write_number(writer, "left_out", problem->left_out);
	if (problem->kind == MADRING_PROBLEM_STATUS)
		json_write_number(writer, "status", problem->status);
	json_write_text(writer, "reason", discover_problem_text(problem, text));
	json_write_close(writer, '}');
}

static void write_local(struct json_writer *writer, const struct madring_fabric *fabric)
{
	const struct madring_node_port *local = madring_fabric_local_port(fabric);

	if (!local) {
		json_write_null(writer, "local");
		return;
	}
	json_write_open(writer, "local", '{');
	json_write_guid(writer, "node_guid", local->node->guid);
	json_write_guid(writer, "port_guid", local->node->port_guid);
	json_write_number(writer, "port", local->number);
	json_write_close(writer, '}');
}

static const char *name_of(void *names, const struct madring_node *node)
{
	return node_name(names, node);
}

static void write_nodes(struct json_writer *writer, const struct result *result)
{
	json_write_foreign(writer, "nodes");
	madring_fabric_save_nodes(result->fabric, writer->out, name_of, (void *)result->names);
}

static void write_problems(struct json_writer *writer, const struct result *result, const char *key,
			   bool conflicts)
{
	const struct madring_problem *problem;

	json_write_open_lines(writer, key, '[');
	for (size_t i = 0; (problem = madring_fabric_problem(result->fabric, i)); i++)
		if ((problem->kind == MADRING_PROBLEM_CONFLICT) == conflicts)
			write_problem(writer, problem);
	json_write_close(writer, ']');
}

static void write_rtt(struct json_writer *writer, const struct madring_stats *stats)
{
	json_write_open(writer, "rtt", '{');
	json_write_number(writer, "count", stats->rtt_count);
	json_write_number(writer, "min_ns", stats->rtt_min_ns);
	json_write_number(writer, "mean_ns", stats->rtt_mean_ns);
	json_write_number(writer, "max_ns", stats->rtt_max_ns);
	json_write_number(writer, "p50_ns", stats->rtt_p50_ns);
	json_write_number(writer, "p90_ns", stats->rtt_p90_ns);
	json_write_number(writer, "p99_ns", stats->rtt_p99_ns);
	json_write_number(writer, "p999_ns", stats->rtt_p999_ns);
	json_write_close(writer, '}');
}

static void write_lids(struct json_writer *writer, const struct madring_sweep_state *state)
{
	json_write_open(writer, "lid_routed", '{');
	json_write_number(writer, "requests", state->lid_requests);
	json_write_number(writer, "nodes", state->lid_nodes);
	json_write_number(writer, "nodes_refused", state->lid_refused);
	json_write_number(writer, "requests_repeated", state->lid_repeated);
	json_write_close(writer, '}');
}

/* Writes the sweep's own figures. */
static void write_stats(struct json_writer *writer, const struct result *result)
{
	const struct madring_stats *stats = &result->stats;
	struct madring_fabric_counts counts;

	madring_fabric_get_counts(result->fabric, &counts);
	json_write_open(writer, "stats", '{');
	json_write_number(writer, "elapsed_ns", result->elapsed_ns);
	json_write_number(writer, "switches", counts.switches);
	json_write_number(writer, "cas", counts.cas);
	json_write_number(writer, "routers", counts.routers);
	json_write_number(writer, "cables", counts.links);
	json_write_number(writer, "max_hops", counts.hops);
	json_write_number(writer, "requests", stats->accepted);
	json_write_number(writer, "sent", stats->sent);
	json_write_number(writer, "received", stats->received);
	json_write_number(writer, "replies", stats->replies);
	json_write_number(writer, "retried", stats->retried);
	json_write_number(writer, "timed_out", stats->timed_out);
	json_write_number(writer, "unmatched", stats->unmatched);
	json_write_number(writer, "late_replies", stats->late_replies);
	json_write_number(writer, "in_flight_peak", stats->in_flight_peak);
	json_write_number(writer, "system_calls", stats->entries);
	json_write_text(writer, "driver", result->driver);
	json_write_number(writer, "buffers_peak", stats->pool_plain_peak);
	json_write_number(writer, "pinned_bytes", stats->pool_pinned_bytes);
	json_write_number(writer, "unpinned_bytes", stats->pool_unpinned_bytes);
	write_rtt(writer, stats);
	if (result->options->lid_routed)
		write_lids(writer, &result->state);
	json_write_close(writer, '}');
}

/* Writes the switches whose counters were read, or those whose were not. */
static void write_switches(struct json_writer *writer, const char *key, const struct drops *drops,
			   bool were_read)
{
	char text[READING_TEXT_BYTES];

	json_write_open(writer, key, '[');
	for (size_t i = 0; i < drops->count; i++) {
		const struct switch_drops *from = drops->switches[i];

		if ((from->step == DROPS_READ) != were_read)
			continue;
		json_write_open(writer, NULL, '{');
		json_write_guid(writer, "guid", from->node->guid);
		json_write_number(writer, "lid", from->lid);
		if (were_read) {
			json_write_number(writer, "before", from->before);
			json_write_number(writer, "after", from->after);
			json_write_number(writer, "dropped", switch_dropped(from));
			json_write_flag(writer, "saturated", from->saturated);
		} else {
			json_write_text(writer, "reason", switch_drops_text(from, text));
		}
		json_write_close(writer, '}');
	}
	json_write_close(writer, ']');
}

static void write_drops(struct json_writer *writer, const struct drops *drops)
{
	struct drops_total total;

	drops_add_up(drops, &total);
	json_write_open(writer, "drops", '{');
	json_write_text(writer, "error", drops->error ? madring_error_text(drops->error) : NULL);
	if (total.read)
		json_write_number(writer, "vl15_dropped", total.dropped);
	else
		json_write_null(writer, "vl15_dropped");
	json_write_flag(writer, "saturated", total.saturated > 0);
	json_write_number(writer, "mads", drops->mads);
	write_switches(writer, "switches", drops, true);
	write_switches(writer, "unread", drops, false);
	json_write_close(writer, '}');
}

void print_json(FILE *out, const struct result *result)
{
	const int error = result->error;
	struct json_writer writer;
	char program[64];

	snprintf(program, sizeof(program), "madring-sweep %s", madring_version());
	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	json_write_open_lines(&writer, NULL, '{');
	json_write_text(&writer, "program", program);
	json_write_flag(&writer, "complete", !error && madring_fabric_is_complete(result->fabric));
	json_write_flag(&writer, "interrupted", result->interrupted);
	json_write_flag(&writer, "deadline_reached", result->state.deadline_reached);
	json_write_text(&writer, "error", error ? madring_error_text(error) : NULL);
	json_write_number(&writer, "unanswered", result->state.unanswered);
	write_local(&writer, result->fabric);
	if (result->old)
		print_changes_json(&writer, result);
	else
		write_nodes(&writer, result);
	write_problems(&writer, result, "missing", false);
	write_problems(&writer, result, "conflicts", true);
	if (result->options->count_drops)
		write_drops(&writer, &result->drops);
	if (result->options->stats)
		write_stats(&writer, result);
	json_write_close(&writer, '}');
	json_write_end(&writer);
}
