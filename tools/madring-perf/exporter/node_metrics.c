/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "node_metrics.h"

#define BITS_PER_BYTE 8

#define FAMILY(type, suffix, unit_name, text)                                                      \
	{ "infiniband_" type "_" suffix, METRIC_GAUGE, unit_name, text " (" type ")" }
#define FAMILIES(suffix, unit_name, text)                                                          \
	{ FAMILY("switch", suffix, unit_name, text), FAMILY("hca", suffix, unit_name, text),       \
	  FAMILY("router", suffix, unit_name, text) }

/*
 * The families of a rate, one for each type of node. An adapter has rates, as each of its ports has
 * a GUID; the ports of other nodes have rates of their own.
 */
#define RATES(suffix, text)                                                                        \
	{ FAMILY("switch", "port_" suffix, "bytes_per_second", text),                              \
	  FAMILY("hca", suffix, "bytes_per_second", text),                                         \
	  FAMILY("router", "port_" suffix, "bytes_per_second", text) }

static const struct metric info[] = FAMILIES("info", NULL, "A node, by its name and LID");
static const struct metric uplink[] =
	FAMILIES("uplink_info", NULL, "What is at the other end of a port's cable");
static const struct metric rate[] =
	RATES("rate_bytes_per_second", "What a port's link carries, without its coding");
static const struct metric raw_rate[] =
	RATES("raw_rate_bytes_per_second", "What a port's link signals");
static const struct metric duration[] =
	FAMILIES("collect_duration_seconds", "seconds", "Until the last reply of a node");
static const struct metric failed[] =
	FAMILIES("collect_error", NULL, "1: replies of the node were unusable");
static const struct metric timed_out[] =
	FAMILIES("collect_timeout", NULL, "1: the node left requests without a reply");

/*
 * The rates of one lane, in Gbit/s. FDR and EDR are coded in 64 of 66 bits. From HDR on the rate
 * and the signalling rate differ by forward error correction alone, which does not count.
 */
static const struct lane {
	const char *speed;
	double signalled, carried;
} lanes[] = {
	{ "SDR", 2.5, 2 },	  { "DDR", 5, 4 },	     { "QDR", 10, 8 },
	{ "FDR10", 10.3125, 10 }, { "FDR", 14.0625, 13.64 }, { "EDR", 25.78125, 25 },
	{ "HDR", 50, 50 },	  { "NDR", 100, 100 },	     { "XDR", 200, 200 },
};

static const struct lane *lane_of(const struct madring_node_port *port)
{
	const char *speed = madring_link_speed_text(port);

	for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
		if (!strcmp(speed, lanes[i].speed))
			return &lanes[i];
	return NULL;
}

/* Returns the number of lanes, or 0 if it is not known. */
static unsigned int width_of(const struct madring_node_port *port)
{
	return (unsigned int)strtoul(madring_link_width_text(port->width), NULL, 10);
}

struct pass {
	const struct view *view;
	enum view_type type;
};

typedef void (*visit_port)(struct exposition *page, const struct pass *pass,
			   const struct port_counters *port);

static void begin_sample(struct exposition *page, const struct port_counters *port)
{
	exposition_sample(page, NULL);
	view_label_guid(page, port);
}

static void label_name(struct exposition *page, const struct pass *pass,
		       const struct madring_node *node)
{
	exposition_label(page, view_type_word(pass->type), node_name(pass->view->names, node));
}

/*
 * Returns whether a port is the first one of its node with its GUID. All ports of an adapter are,
 * as a rule.
 */
static bool stands_for_guid(const struct port_counters *port)
{
	for (const struct port_counters *other = port->node->ports; other < port; other++)
		if (view_guid(other) == view_guid(port))
			return false;
	return true;
}

static void write_info(struct exposition *page, const struct pass *pass,
		       const struct port_counters *port)
{
	if (!stands_for_guid(port))
		return;
	begin_sample(page, port);
	exposition_label_u64(page, "lid", port->port->lid);
	label_name(page, pass, port->port->node);
	exposition_value(page, 1);
}

static const char *type_label(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return "SW";
	case MADRING_NODE_CA:
		return "CA";
	case MADRING_NODE_ROUTER:
		return "RT";
	}
	return "??";
}

static void write_uplink(struct exposition *page, const struct pass *pass,
			 const struct port_counters *port)
{
	const struct madring_node_port *peer = port->port->peer;

	if (!peer)
		return;
	begin_sample(page, port);
	exposition_label_u64(page, "port", port->number);
	label_name(page, pass, port->port->node);
	exposition_label(page, "uplink", node_name(pass->view->names, peer->node));
	exposition_label_guid(page, "uplink_guid", peer->guid);
	exposition_label_u64(page, "uplink_lid", peer->lid);
	exposition_label_u64(page, "uplink_port", peer->number);
	exposition_label(page, "uplink_type", type_label(peer->node->type));
	exposition_value(page, 1);
}

static void write_gbits(struct exposition *page, const struct pass *pass,
			const struct port_counters *port, double gbits)
{
	begin_sample(page, port);
	if (pass->type != VIEW_HCA)
		exposition_label_u64(page, "port", port->number);
	exposition_value_double(page, gbits * 1e9 / BITS_PER_BYTE);
}

static bool has_rate(const struct pass *pass, const struct port_counters *port)
{
	if (pass->type == VIEW_HCA && !stands_for_guid(port))
		return false;
	return port->port->peer && lane_of(port->port) && width_of(port->port);
}

static void write_rate(struct exposition *page, const struct pass *pass,
		       const struct port_counters *port)
{
	if (has_rate(pass, port))
		write_gbits(page, pass, port, lane_of(port->port)->carried * width_of(port->port));
}

static void write_raw_rate(struct exposition *page, const struct pass *pass,
			   const struct port_counters *port)
{
	if (has_rate(pass, port))
		write_gbits(page, pass, port,
			    lane_of(port->port)->signalled * width_of(port->port));
}

static void label_collector(struct exposition *page, const struct pass *pass)
{
	char collector[32];

	snprintf(collector, sizeof(collector), "%s%s", view_type_word(pass->type),
		 pass->view->manner);
	exposition_label(page, "collector", collector);
}

/* Counts how the port's node has answered. Returns false if another port has these counts. */
static bool take_answers(const struct port_counters *port, struct answers *answers)
{
	if (!stands_for_guid(port))
		return false;
	*answers = (struct answers){ 0 };
	answers_add(answers, port->node);
	return true;
}

static void write_duration(struct exposition *page, const struct pass *pass,
			   const struct port_counters *port)
{
	uint64_t start = pass->view->collection->start_ns;
	struct answers answers;

	if (!take_answers(port, &answers) || answers.last_ns < start)
		return;
	begin_sample(page, port);
	label_collector(page, pass);
	exposition_value_double(page, (double)(answers.last_ns - start) / 1e9);
}

static void write_whether(struct exposition *page, const struct pass *pass,
			  const struct port_counters *port, bool it_is_so)
{
	begin_sample(page, port);
	label_collector(page, pass);
	exposition_value(page, it_is_so);
}

static void write_failed(struct exposition *page, const struct pass *pass,
			 const struct port_counters *port)
{
	struct answers answers;

	if (take_answers(port, &answers))
		write_whether(page, pass, port, answers.errors > 0);
}

static void write_timed_out(struct exposition *page, const struct pass *pass,
			    const struct port_counters *port)
{
	struct answers answers;

	if (take_answers(port, &answers))
		write_whether(page, pass, port, answers.timeouts > 0);
}

static void begin_family(struct exposition *page, const struct pass *pass,
			 const struct metric *metrics, visit_port visit)
{
	exposition_family(page, &metrics[pass->type]);
	for (size_t i = 0; i < pass->view->collection->node_count; i++) {
		const struct node_counters *node = view_node(pass->view, i, pass->type);

		for (size_t p = 0; node && p < node->port_count; p++)
			visit(page, pass, &node->ports[p]);
	}
}

void node_metrics(struct exposition *page, const struct view *view)
{
	for (enum view_type type = 0; type < VIEW_TYPES; type++) {
		struct pass pass = { view, type };

		begin_family(page, &pass, info, write_info);
		begin_family(page, &pass, uplink, write_uplink);
		begin_family(page, &pass, rate, write_rate);
		begin_family(page, &pass, raw_rate, write_raw_rate);
		begin_family(page, &pass, duration, write_duration);
		begin_family(page, &pass, failed, write_failed);
		begin_family(page, &pass, timed_out, write_timed_out);
	}
}
