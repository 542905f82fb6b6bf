/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/traffic.h"
#include "report/json_value.h"
#include "report/report.h"
#include "scenario/show.h"

static int print_and_free(struct json_object *object, FILE *out)
{
	int error = report_print(object, out);

	json_object_put(object);
	return error;
}

int show_model_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
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
	struct fabric_work work;

	fabric_view_node(fabric, node, &view);
	fabric_work(fabric, node, &work);
	json_add_node(object, node);
	json_add_text(object, "health", fabric_health_name(view.health));
	json_add_number(object, "service_ns", view.service);
	json_add_number(object, "late_ns", view.lateness);
	json_add_number(object, "served", work.served);
	json_add_number(object, "busy_ns", work.agent_busy);
	json_add_number(object, "passed_on", work.passed_on);
	json_add_number(object, "transit_ns", work.transit_busy);
	for (; port <= node->port_count; port++)
		json_append(ports, port_object(fabric, node, port));
	json_add(object, "ports", ports);
	return object;
}

int show_nodes_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
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

int show_links_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
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

int show_counters_json(const struct fabric *fabric, const struct targets *targets, FILE *out)
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
