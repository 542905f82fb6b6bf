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

static int print_and_free(struct json_object *object, FILE *out)
{
	int error = report_print(object, out);

	json_object_put(object);
	return error;
}

static int show_model_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	(void)targets;
	return print_and_free(json_of_model(fabric_model(fabric)), out);
}

static struct json_object *end_object(const struct topology_node *node, unsigned int port)
{
	struct json_object *object = json_new_object();

	json_add_node(object, node);
	json_add_number(object, "port", port);
	return object;
}

static void add_state(struct json_object *object, const struct fabric_port_state *state)
{
	json_add_text(object, "state", fabric_port_state_name(state->state));
	json_add_text(object, "physical_state", fabric_phys_state_name(state->phys_state));
}

static struct json_object *port_object(const struct fabric *fabric,
				       const struct topology_node *node, unsigned int number)
{
	const struct topology_port *port = &node->port[number];
	struct json_object *object = json_new_object();
	struct fabric_port_state state;

	fabric_view_port(fabric, node, number, &state);
	json_add_number(object, "port", number);
	add_state(object, &state);
	json_add_number(object, "lid", state.lid);
	if (port->peer)
		json_add(object, "cable_to", end_object(port->peer, port->peer_port));
	return object;
}

static struct json_object *node_object(const struct fabric *fabric,
				       const struct topology_node *node)
{
	struct json_object *object = json_new_object(), *ports = json_new_array();
	unsigned int port = node->type == NODE_SWITCH ? 0 : 1;
	struct fabric_node_view view;

	fabric_view_node(fabric, node, &view);
	json_add_node(object, node);
	json_add_text(object, "health", fabric_health_name(view.health));
	json_add_number(object, "service_ns", view.service);
	json_add_number(object, "late_ns", view.lateness);
	json_add_work(object, fabric, node);
	for (; port <= node->port_count; port++)
		json_append(ports, port_object(fabric, node, port));
	json_add(object, "ports", ports);
	return object;
}

static int show_nodes_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < targets->count; i++)
		json_append(array, node_object(fabric, targets->target[i].node));
	return print_and_free(array, out);
}

static struct json_object *link_object(const struct fabric *fabric, const struct target *target)
{
	const struct topology_port *port = &target->node->port[target->port];
	struct json_object *object = json_new_object(), *ends = json_new_array();
	struct fabric_port_state state;

	fabric_view_port(fabric, target->node, target->port, &state);
	json_append(ends, end_object(target->node, target->port));
	json_append(ends, end_object(port->peer, port->peer_port));
	json_add(object, "ends", ends);
	add_state(object, &state);
	return object;
}

static int show_links_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	struct json_object *array = json_new_array();

	for (size_t i = 0; i < targets->count; i++)
		json_append(array, link_object(fabric, &targets->target[i]));
	return print_and_free(array, out);
}

static struct json_object *counters_object(const struct fabric *fabric, const struct target *target)
{
	struct json_object *object = json_new_object();
	uint64_t value;

	for (enum fabric_counter counter = 0; counter < FABRIC_COUNTERS; counter++) {
		if (!fabric_get_counter(fabric, target->node, target->port, counter, &value) &&
		    value)
			json_add_number(object, fabric_counter_name(counter), value);
	}
	return object;
}

static int show_counters_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	const struct target *target = targets->target;
	struct json_object *array = json_new_array(), *object;

	for (size_t i = 0; i < targets->count; i++, target++) {
		object = end_object(target->node, target->port);
		json_add(object, "counters", counters_object(fabric, target));
		json_append(array, object);
	}
	return print_and_free(array, out);
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

	if (command->choice == SHOW_STATS)
		return scenario->config.show_stats(scenario->config.user, answer->out);
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

static struct json_object *failure_object(const struct walk_failure *failure)
{
	struct json_object *object = json_new_object();
	struct json_object *at = json_new_object();

	json_add_node(at, failure->at);
	json_add(object, "from", end_object(failure->from, failure->from_port));
	json_add(object, "to", end_object(failure->to, failure->to_port));
	json_add(object, "at", at);
	json_add_number(object, "lid", failure->lid);
	json_add_text(object, "why", walk_end_name(failure->end));
	return object;
}

static int put_json(const struct fabric_walk *walk, FILE *out)
{
	struct json_object *object = json_new_object(), *failures = json_new_array();

	json_add(object, "complete", json_new_flag(walk_is_complete(walk)));
	json_add_number(object, "host_ports", walk->host_ports);
	json_add_number(object, "switches", walk->switches);
	json_add_number(object, "left_out", walk->left_out);
	json_add_number(object, "host_ways", walk->host_ways);
	json_add_number(object, "host_ways_reached", walk->host_ways_reached);
	json_add_number(object, "switch_ways", walk->switch_ways);
	json_add_number(object, "switch_ways_reached", walk->switch_ways_reached);
	for (unsigned int i = 0; i < walk->failure_count; i++)
		json_append(failures, failure_object(&walk->failure[i]));
	json_add(object, "failures", failures);
	return print_and_free(object, out);
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
