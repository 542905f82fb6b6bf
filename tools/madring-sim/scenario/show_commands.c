/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands show and walk, which only answer: as text for people, and as JSON for programs. */
#include <errno.h>
#include <inttypes.h>

#include "fabric/model.h"
#include "fabric/traffic.h"
#include "fabric/walk.h"
#include "report/report.h"
#include "scenario/fabric_command.h"

#define DURATION_TEXT 32

struct unit {
	const char *name;
	uint64_t ns;
};

/* duration_text uses the largest unit that gives a whole number, so that it can be set again. */
static const char *duration_text(uint64_t ns, char *text)
{
	static const struct unit units[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }
	};
	const struct unit *unit = units;

	while (ns % unit->ns)
		unit++;
	snprintf(text, DURATION_TEXT, "%" PRIu64 "%s", ns / unit->ns, unit->name);
	return ns ? text : "0";
}

/* written returns the error of the output, which can only be -ENOMEM: it is a stream in memory. */
static int written(FILE *out)
{
	return ferror(out) ? -ENOMEM : 0;
}

static int show_model_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	char text[DURATION_TEXT];
	double value;

	(void)targets;
	for (size_t i = 0; i < MODEL_NUMBERS; i++) {
		const struct model_number *number = &model_numbers[i];

		value = model_get(fabric_model(fabric), number);
		if (number->kind == MODEL_DURATION)
			fprintf(out, "set %s %s\n", number->name,
				duration_text((uint64_t)value, text));
		else
			fprintf(out, "set %s %.15g\n", number->name, value);
	}
	return written(out);
}

static void put_port(const struct fabric *fabric, const struct topology_node *node,
		     unsigned int number, FILE *out)
{
	const struct topology_port *port = &node->port[number];
	struct fabric_port_state state;

	fabric_view_port(fabric, node, number, &state);
	fprintf(out, "  port %u: %s, %s", number, fabric_port_state_name(state.state),
		fabric_phys_state_name(state.phys_state));
	if (state.lid)
		fprintf(out, ", LID %u", state.lid);
	if (port->peer)
		fprintf(out, ", cable to %s:%u", port->peer->id, port->peer_port);
	fputc('\n', out);
}

/* put_drops prints what was dropped at a node, if anything was. */
static void put_drops(const struct fabric *fabric, const struct topology_node *node, FILE *out)
{
	const char *before = "  dropped:";

	for (enum fabric_drop cause = 0; cause < FABRIC_DROP_CAUSES; cause++) {
		uint64_t dropped = fabric_dropped(fabric, node, cause);

		if (!dropped)
			continue;
		fprintf(out, "%s %s %" PRIu64, before, drop_cause_name(cause), dropped);
		before = ",";
	}
	if (*before == ',')
		fputc('\n', out);
}

static void put_node(const struct fabric *fabric, const struct topology_node *node, FILE *out)
{
	unsigned int port = node->type == NODE_SWITCH ? 0 : 1;
	char service[DURATION_TEXT], lateness[DURATION_TEXT], busy[DURATION_TEXT];
	struct fabric_node_view view;
	struct fabric_work work;

	fabric_view_node(fabric, node, &view);
	fabric_work(fabric, node, &work);
	fprintf(out, "%s: %s, \"%s\", GUID 0x%016" PRIx64 ", %s\n", node->id,
		node_type_name(node->type), node->description, node->node_guid,
		fabric_health_name(view.health));
	fprintf(out,
		"  service %s, late %s, served %" PRIu64 " in %s, passed on %" PRIu64
		", taken %" PRIu64 "\n",
		duration_text(view.service, service), duration_text(view.lateness, lateness),
		work.served, duration_text(work.agent_busy, busy), work.passed_on, work.taken);
	put_drops(fabric, node, out);
	for (; port <= node->port_count; port++)
		put_port(fabric, node, port, out);
}

static int show_nodes_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	for (size_t i = 0; i < targets->count; i++)
		put_node(fabric, targets->target[i].node, out);
	return written(out);
}

static int show_links_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	const struct topology_port *port;
	struct fabric_port_state state;

	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->target[i];

		port = &target->node->port[target->port];
		fabric_view_port(fabric, target->node, target->port, &state);
		fprintf(out, "%s:%u %s:%u %s %s\n", target->node->id, target->port, port->peer->id,
			port->peer_port, fabric_port_state_name(state.state),
			fabric_phys_state_name(state.phys_state));
	}
	return written(out);
}

static int show_counters_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	const struct target *target = targets->target;
	uint64_t value;

	for (size_t i = 0; i < targets->count; i++, target++) {
		for (enum fabric_counter counter = 0; counter < FABRIC_COUNTERS; counter++) {
			if (!fabric_get_counter(fabric, target->node, target->port, counter,
						&value) &&
			    value)
				fprintf(out, "%s:%u %s %" PRIu64 "\n", target->node->id,
					target->port, fabric_counter_name(counter), value);
		}
	}
	return written(out);
}

static int show_model_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	struct json_writer writer;

	(void)targets;
	json_write_start(&writer, out, JSON_INDENTED);
	report_model(&writer, NULL, fabric_model(fabric));
	json_write_end(&writer);
	return written(out);
}

/* open_end opens the object of a node's port. */
static void open_end(struct json_writer *writer, const char *key, const struct topology_node *node,
		     unsigned int port)
{
	json_write_open(writer, key, '{');
	report_node(writer, node);
	json_write_number(writer, "port", port);
}

static void put_end(struct json_writer *writer, const char *key, const struct topology_node *node,
		    unsigned int port)
{
	open_end(writer, key, node, port);
	json_write_close(writer, '}');
}

static void put_state(struct json_writer *writer, const struct fabric_port_state *state)
{
	json_write_text(writer, "state", fabric_port_state_name(state->state));
	json_write_text(writer, "physical_state", fabric_phys_state_name(state->phys_state));
}

static void put_port_json(struct json_writer *writer, const struct fabric *fabric,
			  const struct topology_node *node, unsigned int number)
{
	const struct topology_port *port = &node->port[number];
	struct fabric_port_state state;

	fabric_view_port(fabric, node, number, &state);
	json_write_open(writer, NULL, '{');
	json_write_number(writer, "port", number);
	put_state(writer, &state);
	json_write_number(writer, "lid", state.lid);
	if (port->peer)
		put_end(writer, "cable_to", port->peer, port->peer_port);
	json_write_close(writer, '}');
}

static void put_node_json(struct json_writer *writer, const struct fabric *fabric,
			  const struct target *target)
{
	const struct topology_node *node = target->node;
	unsigned int port = node->type == NODE_SWITCH ? 0 : 1;
	struct fabric_node_view view;

	fabric_view_node(fabric, node, &view);
	json_write_open(writer, NULL, '{');
	report_node(writer, node);
	json_write_text(writer, "health", fabric_health_name(view.health));
	json_write_number(writer, "service_ns", view.service);
	json_write_number(writer, "late_ns", view.lateness);
	report_work(writer, fabric, node);
	json_write_open(writer, "ports", '[');
	for (; port <= node->port_count; port++)
		put_port_json(writer, fabric, node, port);
	json_write_close(writer, ']');
	json_write_close(writer, '}');
}

static void put_link_json(struct json_writer *writer, const struct fabric *fabric,
			  const struct target *target)
{
	const struct topology_port *port = &target->node->port[target->port];
	struct fabric_port_state state;

	fabric_view_port(fabric, target->node, target->port, &state);
	json_write_open(writer, NULL, '{');
	json_write_open(writer, "ends", '[');
	put_end(writer, NULL, target->node, target->port);
	put_end(writer, NULL, port->peer, port->peer_port);
	json_write_close(writer, ']');
	put_state(writer, &state);
	json_write_close(writer, '}');
}

static void put_counters_json(struct json_writer *writer, const struct fabric *fabric,
			      const struct target *target)
{
	uint64_t value;

	open_end(writer, NULL, target->node, target->port);
	json_write_open(writer, "counters", '{');
	for (enum fabric_counter counter = 0; counter < FABRIC_COUNTERS; counter++) {
		if (!fabric_get_counter(fabric, target->node, target->port, counter, &value) &&
		    value)
			json_write_number(writer, fabric_counter_name(counter), value);
	}
	json_write_close(writer, '}');
	json_write_close(writer, '}');
}

typedef void put_json_fn(struct json_writer *writer, const struct fabric *fabric,
			 const struct target *target);

static int put_array(const struct fabric *fabric, const struct targets *targets, FILE *out,
		     put_json_fn *put_target)
{
	struct json_writer writer;

	json_write_start(&writer, out, JSON_INDENTED);
	json_write_open(&writer, NULL, '[');
	for (size_t i = 0; i < targets->count; i++)
		put_target(&writer, fabric, &targets->target[i]);
	json_write_close(&writer, ']');
	json_write_end(&writer);
	return written(out);
}

static int show_nodes_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	return put_array(fabric, targets, out, put_node_json);
}

static int show_links_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	return put_array(fabric, targets, out, put_link_json);
}

static int show_counters_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	return put_array(fabric, targets, out, put_counters_json);
}

static const char *const things[] = { "model", "stats", "node", "links", "counters", NULL };

enum { SHOW_MODEL, SHOW_STATS, SHOW_NODE, SHOW_LINKS, SHOW_COUNTERS };

typedef int show_fn(const struct fabric *fabric, const struct targets *targets, FILE *out);

static int act_show(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	static const struct {
		show_fn *text, *json;
	} show[] = {
		[SHOW_MODEL] = { show_model_text, show_model_json },
		[SHOW_NODE] = { show_nodes_text, show_nodes_json },
		[SHOW_LINKS] = { show_links_text, show_links_json },
		[SHOW_COUNTERS] = { show_counters_text, show_counters_json },
	};
	struct targets shown = command->targets;
	show_fn *write;

	if (command->choice == SHOW_STATS) {
		scenario->config.show_stats(scenario->config.user, answer->out);
		return written(answer->out);
	}
	shown.count = targets_pick(&command->targets, &scenario->random);
	write = answer->json ? show[command->choice].json : show[command->choice].text;
	return write(scenario->config.fabric, &shown, answer->out);
}

static int take_shown_links(struct parser *parser, struct command *command)
{
	static const char *const all[] = { "*:*" };
	struct parser everything = *parser;

	if (peek_word(parser))
		return take_links(parser, &command->targets);
	everything.words = all;
	everything.count = 1;
	everything.next = 0;
	return take_links(&everything, &command->targets);
}

int parse_show(struct parser *parser, struct command *command)
{
	int error;

	if (!parser->answers)
		return refuse(parser->error, "show: it only answers; use it with madring-sim ctl");
	error = take_choice(parser, things, &command->choice);
	if (error)
		return error;
	command->act = act_show;
	if (command->choice == SHOW_NODE)
		return take_nodes(parser, &command->targets);
	if (command->choice == SHOW_LINKS)
		return take_shown_links(parser, command);
	if (command->choice == SHOW_COUNTERS)
		return take_ports(parser, &command->targets);
	if (command->choice == SHOW_STATS && !parser->scenario->config.show_stats)
		return refuse(parser->error, "show stats: this simulation has no statistics");
	return 0;
}

static void put_failure(const struct walk_failure *failure, FILE *out)
{
	fprintf(out, "%s:%u to LID %u of %s:%u: %s at %s\n", failure->from->id, failure->from_port,
		failure->lid, failure->to->id, failure->to_port, walk_end_name(failure->end),
		failure->at->id);
}

static int put_text(const struct fabric_walk *walk, FILE *out)
{
	fprintf(out, "host ports: %" PRIu64 ", switches: %" PRIu64 ", left out: %" PRIu64 "\n",
		walk->host_ports, walk->switches, walk->left_out);
	fprintf(out, "host to host: %" PRIu64 " of %" PRIu64 " ways\n", walk->host_ways_reached,
		walk->host_ways);
	fprintf(out, "hosts and switches: %" PRIu64 " of %" PRIu64 " ways\n",
		walk->switch_ways_reached, walk->switch_ways);
	for (unsigned int i = 0; i < walk->failure_count; i++)
		put_failure(&walk->failure[i], out);
	return written(out);
}

static void put_failure_json(struct json_writer *writer, const struct walk_failure *failure)
{
	json_write_open(writer, NULL, '{');
	put_end(writer, "from", failure->from, failure->from_port);
	put_end(writer, "to", failure->to, failure->to_port);
	json_write_open(writer, "at", '{');
	report_node(writer, failure->at);
	json_write_close(writer, '}');
	json_write_number(writer, "lid", failure->lid);
	json_write_text(writer, "why", walk_end_name(failure->end));
	json_write_close(writer, '}');
}

/* put_json prints the outcome of a walk as an object. */
static int put_json(const struct fabric_walk *walk, FILE *out)
{
	struct json_writer writer;

	json_write_start(&writer, out, JSON_INDENTED);
	json_write_open(&writer, NULL, '{');
	json_write_flag(&writer, "complete", walk_is_complete(walk));
	json_write_number(&writer, "host_ports", walk->host_ports);
	json_write_number(&writer, "switches", walk->switches);
	json_write_number(&writer, "left_out", walk->left_out);
	json_write_number(&writer, "host_ways", walk->host_ways);
	json_write_number(&writer, "host_ways_reached", walk->host_ways_reached);
	json_write_number(&writer, "switch_ways", walk->switch_ways);
	json_write_number(&writer, "switch_ways_reached", walk->switch_ways_reached);
	json_write_open(&writer, "failures", '[');
	for (unsigned int i = 0; i < walk->failure_count; i++)
		put_failure_json(&writer, &walk->failure[i]);
	json_write_close(&writer, ']');
	json_write_close(&writer, '}');
	json_write_end(&writer);
	return written(out);
}

static int act_walk(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	struct fabric_walk walk;
	int error = fabric_walk(scenario->config.fabric, &walk);

	(void)command;
	if (error)
		return error;
	answer->no = !walk_is_complete(&walk);
	return answer->json ? put_json(&walk, answer->out) : put_text(&walk, answer->out);
}

int parse_walk(struct parser *parser, struct command *command)
{
	if (!parser->answers)
		return refuse(parser->error, "walk: it only answers; use it with madring-sim ctl");
	command->act = act_walk;
	return 0;
}
