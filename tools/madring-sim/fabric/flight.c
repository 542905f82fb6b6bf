/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/chance.h"
#include "fabric/directed.h"
#include "fabric/endpoint.h"
#include "fabric/flight.h"
#include "fabric/node_agent.h"
#include "fabric/port_counters.h"
#include "fabric/smp.h"

static struct flight *take_flight(struct fabric *fabric)
{
	struct flight *flight = slab_take(&fabric->flights);

	if (!flight)
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
	return flight;
}

static enum step drop(struct fabric *fabric, struct flight *flight, enum fabric_drop cause)
{
	stats_count_drop(&fabric->stats, &flight->at.node->dropped, cause);
	slab_give_back(&fabric->flights, flight);
	return STEP_GONE;
}

static void go_on(struct fabric *fabric, struct event *event);

/* push queues the flight's next step. False: no memory, and the flight was dropped. */
static bool push(struct fabric *fabric, struct flight *flight, uint64_t time, enum step step)
{
	flight->step = step;
	flight->event.fire = go_on;
	if (!queue_push(&fabric->queue, &flight->event, time))
		return true;
	drop(fabric, flight, FABRIC_DROP_NO_MEMORY);
	return false;
}

/* wait_until queues a step for a time. A step that is due at once is returned. */
static enum step wait_until(struct fabric *fabric, struct flight *flight, uint64_t time,
			    enum step step)
{
	if (time <= fabric->now)
		return step;
	push(fabric, flight, time, step);
	return STEP_GONE;
}

static struct port *port_of(const struct flight *flight)
{
	return port_at(&flight->at);
}

/*
 * was_on_since tells whether the node has been on since the flight began to wait in it. A flight
 * that waits in a node is lost when the node is switched off.
 */
static bool was_on_since(const struct flight *flight)
{
	return flight->node_starts == flight->at.node->starts;
}

static bool is_smp(const struct flight *flight)
{
	return smp_class_is_smp(flight->packet.mad[SMP_CLASS]);
}

/*
 * is_directed_here tells whether the SMI routes the packet from here, rather than the forwarding
 * tables.
 */
static bool is_directed_here(const struct flight *flight)
{
	uint16_t dlid = flight->packet.dlid;

	if (!smp_is_directed(flight->packet.mad))
		return false;
	return dlid == LID_PERMISSIVE ||
	       port_has_lid(lid_port(flight->at.node, flight->at.port), dlid);
}

static enum step forward(struct fabric *fabric, struct flight *flight)
{
	const struct node *node = flight->at.node;
	uint16_t lid = flight->packet.dlid;

	if (port_has_lid(lid_port(node, flight->at.port), lid))
		return STEP_ARRIVE;
	if (flight->lid_hops++ == MAX_LID_HOPS)
		return drop(fabric, flight, FABRIC_DROP_LOOP);
	flight->out = (uint8_t)flight->at.port;
	if (node->type == NODE_SWITCH)
		flight->out = node_exit(node, lid);
	else if (flight->lid_hops > 1)
		return drop(fabric, flight, FABRIC_DROP_NO_ROUTE);
	if (flight->out != LFT_DROP)
		return STEP_CROSS;
	counters_not_routed(fabric, port_of(flight));
	return drop(fabric, flight, FABRIC_DROP_NO_ROUTE);
}

/*
 * overflow drops a MAD that a port has no room for. The port counts it if it is an SMP. Only newer
 * devices count GMPs, too.
 */
static enum step overflow(struct fabric *fabric, struct flight *flight)
{
	if (is_smp(flight))
		counters_vl15_dropped(fabric, port_of(flight));
	return drop(fabric, flight, FABRIC_DROP_FULL);
}

/* wait_turn queues a step for the time when the worker has done its work on the flight. */
static enum step wait_turn(struct fabric *fabric, struct flight *flight, struct worker *worker,
			   uint64_t work, enum step step)
{
	struct port *port = port_of(flight);

	if (fabric->model.queue && port->queued >= fabric->model.queue)
		return overflow(fabric, flight);
	port->queued++;
	flight->node_starts = flight->at.node->starts;
	flight->travelled += work;
	if (!push(fabric, flight, worker_take(fabric, worker, work), step))
		port->queued--;
	return STEP_GONE;
}

/*
 * pass_on has a switch's SMI pass on an SMP, one at a time. An SMP that the node sends itself takes
 * no time.
 */
static enum step pass_on(struct fabric *fabric, struct flight *flight, bool starts)
{
	struct node *node = flight->at.node;
	uint64_t cost = fabric->model.transit;

	flight->packet.slid = LID_PERMISSIVE;
	flight->packet.dlid = LID_PERMISSIVE;
	if (starts)
		return STEP_CROSS;
	flight->passed_on_by = node;
	if (cost)
		return wait_turn(fabric, flight, &node->smi, cost, STEP_PASS);
	node->smi.done++;
	return STEP_CROSS;
}

/* leave_queue returns false if the node has been off, and the queue is gone. */
static bool leave_queue(const struct flight *flight)
{
	if (!was_on_since(flight))
		return false;
	port_of(flight)->queued--;
	return true;
}

/* pass is the step after the SMI has worked on the SMP. The node may have died meanwhile. */
static enum step pass(struct fabric *fabric, struct flight *flight)
{
	if (!leave_queue(flight) || !node_forwards(flight->at.node))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	return STEP_CROSS;
}

static enum step direct(struct fabric *fabric, struct flight *flight, bool starts)
{
	unsigned int out = 0;
	uint16_t lid = 0;

	switch (directed_step(&flight->at, starts, flight->packet.mad, &out, &lid)) {
	case DIRECTED_HERE:
		return STEP_ARRIVE;
	case DIRECTED_OUT:
		flight->out = (uint8_t)out;
		return pass_on(fabric, flight, starts);
	case DIRECTED_FORWARD:
		flight->packet.slid = lid_port(flight->at.node, flight->at.port)->lid;
		flight->packet.dlid = lid;
		return forward(fabric, flight);
	default:
		return drop(fabric, flight, FABRIC_DROP_INVALID);
	}
}

static enum step leave(struct fabric *fabric, struct flight *flight)
{
	if (!node_forwards(flight->at.node) || !was_on_since(flight))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	flight->lid_hops = 0;
	flight->has_tried = false;
	flight->passed_on_by = NULL;
	if (is_directed_here(flight))
		return direct(fabric, flight, true);
	if (!flight->packet.dlid || flight->packet.dlid == LID_PERMISSIVE)
		return drop(fabric, flight, FABRIC_DROP_INVALID);
	return forward(fabric, flight);
}

static enum step enter(struct fabric *fabric, struct flight *flight)
{
	const struct port *port = port_of(flight);

	/* The link went down while the packet was on it. */
	if (!port->up)
		return drop(fabric, flight, FABRIC_DROP_NO_LINK);
	if (!node_forwards(flight->at.node))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	if (!is_smp(flight) && port_state(port) < PORT_ARMED)
		return drop(fabric, flight, FABRIC_DROP_INACTIVE);
	return is_directed_here(flight) ? direct(fabric, flight, false) : forward(fabric, flight);
}

/* duplicate sends a duplicate at once behind the packet. */
static void duplicate(struct fabric *fabric, const struct flight *flight, uint64_t time)
{
	struct flight *twin = take_flight(fabric);

	if (!twin)
		return;
	*twin = *flight;
	fabric->stats.duplicated++;
	if (wait_until(fabric, twin, time, STEP_ENTER) != STEP_GONE) {
		twin->step = STEP_ENTER;
		go_on(fabric, &twin->event);
	}
}

static enum step discard(struct fabric *fabric, struct flight *flight, struct port *port,
			 enum fabric_drop cause)
{
	counters_discarded(fabric, port);
	return drop(fabric, flight, cause);
}

static struct chance draw_chance(struct fabric *fabric, struct flight *flight)
{
	struct chance chance = chance_draw(&fabric->model, &fabric->random, flight->packet.mad);

	flight->has_tried = true;
	fabric->stats.corrupted += chance.is_corrupted;
	fabric->stats.reordered += chance.delay > 0;
	return chance;
}

/* Lets a packet leave a node by its link, which may lose, duplicate or delay it. */
static enum step cross(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;
	uint64_t time = time_after(fabric->now, fabric->model.hop);
	struct chance chance = { 0 };
	struct port *port;

	if (!flight->out || flight->out > node->port_count)
		return drop(fabric, flight, FABRIC_DROP_NO_LINK);
	port = &node->port[flight->out];
	if (!port->up)
		return discard(fabric, flight, port, FABRIC_DROP_NO_LINK);
	if (!is_smp(flight) && port_state(port) != PORT_ACTIVE)
		return discard(fabric, flight, port, FABRIC_DROP_INACTIVE);
	if (!flight->has_tried)
		chance = draw_chance(fabric, flight);
	if (chance.is_lost)
		return drop(fabric, flight, FABRIC_DROP_LOST);
	flight->travelled += fabric->model.hop;
	flight->at = (struct place){ .node = port->peer, .port = port->peer_port };
	if (chance.is_duplicated)
		duplicate(fabric, flight, time);
	return wait_until(fabric, flight, time_after(time, chance.delay), STEP_ENTER);
}

/* hand_over gives the packet to the user of the endpoint that it is at. */
static enum step hand_over(struct fabric *fabric, struct flight *flight)
{
	if (flight->answered)
		stats_count_round_trip(&fabric->stats, &flight->target->chain,
				       flight->before ? &flight->before->chain : NULL,
				       flight->travelled);
	flight->next = NULL;
	*fabric->last_arrival = flight;
	fabric->last_arrival = &flight->next;
	return STEP_GONE;
}

/* qp_of returns the QP that takes a MAD: 0 is for SMPs. */
static unsigned int qp_of(const struct flight *flight)
{
	return !is_smp(flight);
}

/*
 * wait_for_kernel has the packet wait until the kernel takes it, if there is room. VL15Dropped
 * counts what the port has no room for; a QP without a receive buffer is none of the port's
 * resources.
 */
static enum step wait_for_kernel(struct fabric *fabric, struct flight *flight)
{
	struct endpoint *endpoint = &fabric->endpoints[flight->endpoint];
	unsigned int qp = qp_of(flight);
	enum fabric_drop cause;

	if (!endpoint_has_room(fabric, endpoint, qp, &cause)) {
		if (cause == FABRIC_DROP_LOCAL_VL15)
			counters_vl15_dropped(fabric, port_of(flight));
		return drop(fabric, flight, cause);
	}
	flight->node_starts = flight->at.node->starts;
	flight->travelled += fabric->model.local_service;
	if (!push(fabric, flight, endpoint_add(fabric, endpoint, qp), STEP_TAKE))
		endpoint_remove(endpoint, qp);
	return STEP_GONE;
}

/* take is the step after the kernel has taken the MAD. The node may have been off meanwhile. */
static enum step take(struct fabric *fabric, struct flight *flight)
{
	if (!was_on_since(flight))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	endpoint_remove(&fabric->endpoints[flight->endpoint], qp_of(flight));
	return hand_over(fabric, flight);
}

/*
 * come_out takes the packet out at the endpoint here, if there is one. A packet that no link has
 * carried comes from the HCA itself.
 */
static enum step come_out(struct fabric *fabric, struct flight *flight)
{
	flight->endpoint = lid_port(flight->at.node, flight->at.port)->endpoint;
	if (flight->endpoint < 0)
		return drop(fabric, flight, FABRIC_DROP_UNCLAIMED);
	if (flight->has_tried && endpoint_has_wait(fabric, &fabric->endpoints[flight->endpoint]))
		return wait_for_kernel(fabric, flight);
	return hand_over(fabric, flight);
}

static enum step answer(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;

	fabric->stats.answered++;
	fabric->stats.kind[flight->kind].answered++;
	flight->answered = true;
	flight->target = node;
	flight->before = flight->passed_on_by;
	flight->node_starts = node->starts;
	flight->travelled += node->lateness;
	fabric_turn(&flight->packet);
	return wait_until(fabric, flight, time_after(fabric->now, node->lateness), STEP_LEAVE);
}

static enum step have_answered(struct fabric *fabric, struct flight *flight)
{
	struct agent_request request = {
		.fabric = fabric,
		.node = flight->at.node,
		.port = flight->at.port,
		.packet = &flight->packet,
	};

	switch (agent_answer(&request)) {
	case AGENT_ANSWERED:
		return answer(fabric, flight);
	case AGENT_PASSED:
		return come_out(fabric, flight);
	case AGENT_TAKEN:
		slab_give_back(&fabric->flights, flight);
		return STEP_GONE;
	default:
		return drop(fabric, flight, request.drop);
	}
}

/*
 * serve is the step after the agent has worked on the MAD. The node may have died or hung
 * meanwhile.
 */
static enum step serve(struct fabric *fabric, struct flight *flight)
{
	if (!leave_queue(flight) || !node_answers(flight->at.node))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	return have_answered(fabric, flight);
}

static enum step arrive(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;
	uint64_t work = node_service(fabric, node);

	if (!agent_is_asked(flight->packet.mad))
		return come_out(fabric, flight);
	if (!node_answers(node))
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	if (work || node->agent.free_at > fabric->now)
		return wait_turn(fabric, flight, &node->agent, work, STEP_SERVE);
	node->agent.done++;
	return have_answered(fabric, flight);
}

static enum step take_step(struct fabric *fabric, struct flight *flight, enum step step)
{
	switch (step) {
	case STEP_LEAVE:
		return leave(fabric, flight);
	case STEP_ENTER:
		return enter(fabric, flight);
	case STEP_PASS:
		return pass(fabric, flight);
	case STEP_CROSS:
		return cross(fabric, flight);
	case STEP_ARRIVE:
		return arrive(fabric, flight);
	case STEP_SERVE:
		return serve(fabric, flight);
	case STEP_TAKE:
		return take(fabric, flight);
	default:
		return STEP_GONE;
	}
}

static void go_on(struct fabric *fabric, struct event *event)
{
	struct flight *flight = (struct flight *)event;
	enum step step = flight->step;

	while (step != STEP_GONE)
		step = take_step(fabric, flight, step);
}

/* fill_slid fills in a source LID of 0, and those of directed routes. */
static void fill_slid(struct flight *flight)
{
	struct fabric_packet *packet = &flight->packet;

	if (smp_is_directed(packet->mad) && packet->dlid == LID_PERMISSIVE)
		packet->slid = LID_PERMISSIVE;
	else if (!packet->slid || packet->slid == LID_PERMISSIVE)
		packet->slid = lid_port(flight->at.node, flight->at.port)->lid;
}

static void start(struct fabric *fabric, struct flight *flight)
{
	fill_slid(flight);
	flight->step = STEP_LEAVE;
	go_on(fabric, &flight->event);
}

void flight_start(struct fabric *fabric, const struct place *from,
		  const struct fabric_packet *packet)
{
	uint16_t kind = stats_kind(&fabric->stats, &fabric->kinds, packet->mad);
	struct flight *flight = take_flight(fabric);

	if (!(packet->mad[SMP_METHOD] & IB_MAD_RESPONSE))
		fabric->stats.kind[kind].sent++;
	if (!flight)
		return;
	flight->at = *from;
	flight->node_starts = from->node->starts;
	flight->kind = kind;
	flight->answered = false;
	flight->travelled = 0;
	flight->packet = *packet;
	start(fabric, flight);
}

bool flight_take_arrival(struct fabric *fabric, int *endpoint, struct fabric_packet *packet)
{
	struct flight *flight = fabric->arrivals;

	if (!flight)
		return false;
	fabric->arrivals = flight->next;
	if (!fabric->arrivals)
		fabric->last_arrival = &fabric->arrivals;
	*endpoint = flight->endpoint;
	*packet = flight->packet;
	slab_give_back(&fabric->flights, flight);
	return true;
}
