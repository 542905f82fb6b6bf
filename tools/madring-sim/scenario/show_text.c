/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "fabric/model.h"
#include "fabric/traffic.h"
#include "report/node_type.h"
#include "scenario/show.h"

#define DURATION_TEXT 32

struct unit {
	const char *name;
	uint64_t ns;
};

/* The largest unit that it is a whole number of; so it can be set again. */
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

/* The output is in memory; only that can have run out. */
static int written(FILE *out)
{
	return ferror(out) ? -ENOMEM : 0;
}

int show_model_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
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
	fprintf(out, "  service %s, late %s, served %" PRIu64 " in %s, passed on %" PRIu64 "\n",
		duration_text(view.service, service), duration_text(view.lateness, lateness),
		work.served, duration_text(work.agent_busy, busy), work.passed_on);
	for (; port <= node->port_count; port++)
		put_port(fabric, node, port, out);
}

int show_nodes_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
{
	for (size_t i = 0; i < targets->count; i++)
		put_node(fabric, targets->target[i].node, out);
	return written(out);
}

int show_links_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
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

int show_counters_text(const struct fabric *fabric, const struct targets *targets, FILE *out)
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
