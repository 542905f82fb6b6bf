/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "fabric/pma/counter_attribute.h"
#include "fabric/port_counters.h"

/* The rates of a port's counters by its traffic. */
struct rates {
	uint64_t rate[FABRIC_COUNTERS];
};

/* words converts a rate in bytes. Data is counted in words of 4 bytes, down to a quarter of one. */
static uint64_t words(uint64_t bytes)
{
	return bytes << (RATE_BITS - 2);
}

static void share_out(struct rates *rates, enum fabric_counter first, uint64_t rate,
		      const uint8_t *share)
{
	__extension__ unsigned __int128 part;
	uint64_t left = rate;
	unsigned int sum = 0, most = 0;

	for (unsigned int vl = 0; vl < FABRIC_VLS; vl++)
		sum += share[vl];
	for (unsigned int vl = 0; sum && vl < FABRIC_VLS; vl++) {
		part = rate;
		rates->rate[first + vl] = (uint64_t)(part * share[vl] / sum);
		left -= rates->rate[first + vl];
		if (share[vl] > share[most])
			most = vl;
	}
	rates->rate[first + most] += left;
}

static void work_out(const struct fabric_traffic *traffic, struct rates *rates)
{
	uint64_t *rate = rates->rate;

	*rates = (struct rates){ { 0 } };
	rate[FABRIC_XMIT_DATA] = words(traffic->xmit_bytes);
	rate[FABRIC_RCV_DATA] = words(traffic->rcv_bytes);
	rate[FABRIC_XMIT_PKTS] = traffic->xmit_packets << RATE_BITS;
	rate[FABRIC_RCV_PKTS] = traffic->rcv_packets << RATE_BITS;
	rate[FABRIC_XMIT_WAIT] = traffic->xmit_wait << RATE_BITS;
	rate[FABRIC_MULTICAST_XMIT_PKTS] = traffic->xmit_multicasts << RATE_BITS;
	rate[FABRIC_MULTICAST_RCV_PKTS] = traffic->rcv_multicasts << RATE_BITS;
	rate[FABRIC_UNICAST_XMIT_PKTS] = rate[FABRIC_XMIT_PKTS] - rate[FABRIC_MULTICAST_XMIT_PKTS];
	rate[FABRIC_UNICAST_RCV_PKTS] = rate[FABRIC_RCV_PKTS] - rate[FABRIC_MULTICAST_RCV_PKTS];
	share_out(rates, FABRIC_XMIT_DATA_SL, rate[FABRIC_XMIT_DATA], traffic->share);
	share_out(rates, FABRIC_RCV_DATA_SL, rate[FABRIC_RCV_DATA], traffic->share);
	share_out(rates, FABRIC_VL_XMIT_WAIT, rate[FABRIC_XMIT_WAIT], traffic->share);
}

static bool is_possible(const struct fabric_traffic *traffic)
{
	return traffic->xmit_bytes / 4 < FABRIC_MAX_RATE &&
	       traffic->rcv_bytes / 4 < FABRIC_MAX_RATE &&
	       traffic->xmit_packets <= FABRIC_MAX_RATE &&
	       traffic->rcv_packets <= FABRIC_MAX_RATE && traffic->xmit_wait <= FABRIC_MAX_RATE &&
	       traffic->xmit_multicasts <= traffic->xmit_packets &&
	       traffic->rcv_multicasts <= traffic->rcv_packets;
}

int fabric_set_traffic(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		       const struct fabric_traffic *traffic)
{
	struct port *port = fabric_port(fabric, node, number);
	struct rates rates;

	if (!port || !is_possible(traffic))
		return -EINVAL;
	work_out(traffic, &rates);
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		if (rates.rate[i] && !counters_take(fabric, port, i))
			return -ENOMEM;
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++)
		if (counter_is_even(i))
			counters_set_rate(fabric, port, i, RATE_OWN, rates.rate[i]);
	return 0;
}

int fabric_set_error_rate(struct fabric *fabric, const struct topology_node *node,
			  unsigned int number, enum fabric_counter counter, double per_second)
{
	struct port *port = fabric_port(fabric, node, number);
	double rate = per_second * (double)RATE_ONE;

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	if (per_second != 0 && !(rate >= 1 && rate <= (double)RATE_MAX))
		return -EINVAL;
	return counters_set_rate(fabric, port, counter, RATE_OWN, (uint64_t)(rate + 0.5));
}

int fabric_count(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		 enum fabric_counter counter, uint64_t amount)
{
	struct port *port = fabric_port(fabric, node, number);

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	return counters_add(fabric, port, counter, amount);
}

int fabric_set_counter(struct fabric *fabric, const struct topology_node *node, unsigned int number,
		       enum fabric_counter counter, uint64_t value)
{
	struct port *port = fabric_port(fabric, node, number);

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	if (counters_set(fabric, port, counter, COUNTER_STICKS, value))
		return -ENOMEM;
	return counters_set(fabric, port, counter, COUNTER_WRAPS, value);
}

int fabric_get_counter(const struct fabric *fabric, const struct topology_node *node,
		       unsigned int number, enum fabric_counter counter, uint64_t *value)
{
	const struct port *port = fabric_port(fabric, node, number);
	const struct counter_run *run;
	enum counter_view view;

	if (!port || counter >= FABRIC_COUNTERS)
		return -EINVAL;
	run = attribute_shows(counter, &view);
	*value = counters_value(fabric, port, counter, view);
	if (*value > run_limit(run))
		*value = run_limit(run);
	return 0;
}

/* ---- Flows ---- */

struct flow {
	struct place from;
	uint16_t lid;
	uint8_t sl;
	uint64_t data, packets; /* rates */
};

/*
 * A visit_fn is called for each port on a flow's way. Returns 0, or an error, which ends the walk.
 */
typedef int (*visit_fn)(struct fabric *fabric, const struct flow *flow, struct port *port,
			bool is_xmit);

/* way_out returns the port by which a packet leaves that came in, or starts, by @in; or NULL. */
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

static int walk_flow(struct fabric *fabric, const struct flow *flow, visit_fn visit)
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

/* prepare makes all counters of the flow, so that laying it cannot fail. */
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
	int error = walk_flow(fabric, flow, prepare);

	return error ? error : walk_flow(fabric, flow, lay);
}

static bool flow_is_possible(const struct fabric *fabric, const struct fabric_flow *asked)
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

/*
 * make_flow_room makes room for one more flow. The room doubles whenever the count is a power of 2.
 */
static bool make_flow_room(struct fabric *fabric)
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

	if (!flow_is_possible(fabric, asked))
		return -EINVAL;
	if (fabric->flow_count == FABRIC_FLOWS)
		return -ENOSPC;
	flow = flow_of(fabric, asked);
	if (!make_flow_room(fabric))
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
