/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "fabric/port_counters.h"

struct flow {
	struct place from;
	uint16_t lid;
	uint8_t sl;
	uint64_t data, packets; /* rates */
};

/* What is done at each port of a flow's way. 0 or an error, which ends the walk. */
typedef int (*visit_fn)(struct fabric *fabric, const struct flow *flow, struct port *port,
			bool is_xmit);

/* The port to leave a node by, for one who came in, or starts, by @in. NULL: there is none. */
static struct port *way_out(const struct node *node, unsigned int in, uint16_t lid, bool starts)
{
	unsigned int out = in;

	if (node->type == NODE_SWITCH)
		out = node_exit(node, lid);
	else if (!starts)
		return NULL;
	return out && out <= node->port_count ? &node->port[out] : NULL;
}

static bool lets_through(const struct port *port)
{
	return port->up && port_state(port) == PORT_ACTIVE;
}

static bool has_arrived(const struct place *at, uint16_t lid)
{
	return port_has_lid(lid_port(at->node, at->port), lid);
}

static int walk(struct fabric *fabric, const struct flow *flow, visit_fn visit)
{
	struct place at = flow->from;
	struct port *in;
	int error = 0;

	for (unsigned int hops = 0; !error && !has_arrived(&at, flow->lid); hops++) {
		struct port *out = way_out(at.node, at.port, flow->lid, !hops);

		if (!out || hops == MAX_LID_HOPS || !lets_through(out) || !node_forwards(at.node))
			return -EHOSTUNREACH;
		at = (struct place){ .node = out->peer, .port = out->peer_port };
		in = &at.node->port[at.port];
		if (!lets_through(in) || !node_forwards(at.node))
			return -EHOSTUNREACH;
		error = visit(fabric, flow, out, true);
		if (!error)
			error = visit(fabric, flow, in, false);
	}
	return error;
}

struct part {
	enum fabric_counter which;
	uint64_t rate;
};

#define PARTS 4

static void parts_of(const struct flow *flow, bool is_xmit, struct part *parts)
{
	parts[0] = (struct part){ is_xmit ? FABRIC_XMIT_DATA : FABRIC_RCV_DATA, flow->data };
	parts[1] = (struct part){ is_xmit ? FABRIC_XMIT_PKTS : FABRIC_RCV_PKTS, flow->packets };
	parts[2] = (struct part){ is_xmit ? FABRIC_UNICAST_XMIT_PKTS : FABRIC_UNICAST_RCV_PKTS,
				  flow->packets };
	parts[3] = (struct part){ (is_xmit ? FABRIC_XMIT_DATA_SL : FABRIC_RCV_DATA_SL) + flow->sl,
				  flow->data };
}

/* Sees to it that laying the flow cannot fail. */
static int prepare(struct fabric *fabric, const struct flow *flow, struct port *port, bool is_xmit)
{
	struct part parts[PARTS];

	parts_of(flow, is_xmit, parts);
	for (int i = 0; i < PARTS; i++) {
		struct counter *counter = counters_take(fabric, port, parts[i].which);

		if (!counter)
			return -ENOMEM;
		if (parts[i].rate > RATE_MAX - counter->rate[RATE_FLOWS])
			return -EINVAL;
	}
	return 0;
}

static int lay(struct fabric *fabric, const struct flow *flow, struct port *port, bool is_xmit)
{
	struct part parts[PARTS];

	parts_of(flow, is_xmit, parts);
	for (int i = 0; i < PARTS; i++)
		counters_take(fabric, port, parts[i].which)->rate[RATE_FLOWS] += parts[i].rate;
	return 0;
}

static int lay_flow(struct fabric *fabric, const struct flow *flow)
{
	int error = walk(fabric, flow, prepare);

	return error ? error : walk(fabric, flow, lay);
}

static bool is_possible(const struct fabric *fabric, const struct fabric_flow *asked)
{
	return fabric_port(fabric, asked->node, asked->port) &&
	       !asked->port == (asked->node->type == NODE_SWITCH) && asked->sl < FABRIC_VLS &&
	       asked->packet_bytes && asked->bytes_per_second / 4 < FABRIC_MAX_RATE &&
	       asked->bytes_per_second / asked->packet_bytes < FABRIC_MAX_RATE;
}

static struct flow flow_of(const struct fabric *fabric, const struct fabric_flow *asked)
{
	__extension__ unsigned __int128 bytes = asked->bytes_per_second;

	return (struct flow){
		.from = { .node = &fabric->nodes[asked->node->index], .port = asked->port },
		.lid = asked->lid,
		.sl = asked->sl,
		.data = asked->bytes_per_second << (RATE_BITS - 2),
		.packets = (uint64_t)((bytes << RATE_BITS) / asked->packet_bytes),
	};
}

/* The room doubles whenever the count is a power of 2. */
static bool make_room(struct fabric *fabric)
{
	size_t count = fabric->flow_count;
	struct flow *flows;

	if (count & (count - 1))
		return true;
	flows = reallocarray(fabric->flows, count ? 2 * count : 1, sizeof(*flows));
	if (flows)
		fabric->flows = flows;
	return flows;
}

int fabric_add_flow(struct fabric *fabric, const struct fabric_flow *asked)
{
	struct flow flow;
	int error;

	if (!is_possible(fabric, asked))
		return -EINVAL;
	if (fabric->flow_count == FABRIC_FLOWS)
		return -ENOSPC;
	flow = flow_of(fabric, asked);
	if (!make_room(fabric))
		return -ENOMEM;
	error = lay_flow(fabric, &flow);
	if (error)
		return error;
	fabric->flows[fabric->flow_count++] = flow;
	return 0;
}

static void take_up(struct fabric *fabric)
{
	size_t ports = fabric->port_count;

	for (size_t i = 0; i < ports; i++)
		for (unsigned int which = 0; fabric->ports[i].counters && which < FABRIC_COUNTERS;
		     which++)
			counters_set_rate(fabric, &fabric->ports[i], which, RATE_FLOWS, 0);
}

int fabric_lay_flows(struct fabric *fabric)
{
	int unreachable = 0;

	take_up(fabric);
	for (size_t i = 0; i < fabric->flow_count; i++) {
		int error = lay_flow(fabric, &fabric->flows[i]);

		if (error == -EHOSTUNREACH) {
			unreachable++;
		} else if (error) {
			take_up(fabric);
			return error;
		}
	}
	return unreachable;
}

void fabric_clear_flows(struct fabric *fabric)
{
	take_up(fabric);
	free(fabric->flows);
	fabric->flows = NULL;
	fabric->flow_count = 0;
}
