/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "agent.h"
#include "directed.h"
#include "flight.h"
#include "smp.h"
#include "tally.h"

/* No forwarding table is right that sends a packet through more switches. */
#define MAX_LID_HOPS 64

#define BLOCK_FLIGHTS 128
#define MAD_BITS      (8 * FABRIC_MAD_BYTES)

/*
 * Each step does one thing to the flight, and says which is next, until it waits for a time,
 * has come out, or was dropped: then it is no longer the caller's.
 */
enum step {
	STEP_LEAVE,  /* the node sends it */
	STEP_ENTER,  /* it has come to the node by a port */
	STEP_PASS,   /* the node's SMI lets it go on */
	STEP_CROSS,  /* over the link of the port out */
	STEP_ARRIVE, /* it is for this node */
	STEP_SERVE,  /* the agent is done with it */
	STEP_GONE,
};

struct flight {
	struct event event;
	struct flight *next; /* of what has arrived, or is unused */
	enum step step;	     /* to be done when the event fires */
	struct place at;     /* the port it came in by, or is sent from */
	uint8_t out;	     /* the port to leave by */
	uint8_t lid_hops;
	bool has_tried; /* its luck, on this way */
	bool answered;
	int endpoint;	    /* where it has come out */
	uint16_t kind;	    /* of a request: position in stats.kind */
	uint64_t travelled; /* ns, without the waiting */
	struct node *passed_on_by;
	struct node *before, *target; /* of a round trip: see tally.h */
	struct fabric_packet packet;
};

struct flight_block {
	struct flight_block *next;
	struct flight flights[BLOCK_FLIGHTS];
};

static void give_back(struct fabric *fabric, struct flight *flight)
{
	flight->next = fabric->unused;
	fabric->unused = flight;
}

static bool add_block(struct fabric *fabric)
{
	struct flight_block *block = malloc(sizeof(*block));
	size_t i;

	if (!block)
		return false;
	block->next = fabric->blocks;
	fabric->blocks = block;
	for (i = 0; i < BLOCK_FLIGHTS; i++)
		give_back(fabric, &block->flights[i]);
	return true;
}

/* NULL: no memory, which was counted. */
static struct flight *take(struct fabric *fabric)
{
	struct flight *flight;

	if (!fabric->unused && !add_block(fabric)) {
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
		return NULL;
	}
	flight = fabric->unused;
	fabric->unused = flight->next;
	return flight;
}

void flights_free(struct fabric *fabric)
{
	struct flight_block *block;

	while ((block = fabric->blocks)) {
		fabric->blocks = block->next;
		free(block);
	}
}

static enum step drop(struct fabric *fabric, struct flight *flight, enum fabric_drop cause)
{
	fabric_drop(fabric, cause);
	give_back(fabric, flight);
	return STEP_GONE;
}

static void go_on(struct fabric *fabric, struct event *event);

/* Has the step done at a time; what is due at once goes on without the queue. */
static enum step wait_until(struct fabric *fabric, struct flight *flight, uint64_t time,
			    enum step step)
{
	if (time <= fabric->now)
		return step;
	flight->step = step;
	flight->event.fire = go_on;
	if (queue_push(&fabric->queue, &flight->event, time))
		return drop(fabric, flight, FABRIC_DROP_NO_MEMORY);
	return STEP_GONE;
}

static struct port *port_of(const struct flight *flight)
{
	return &flight->at.node->port[flight->at.port];
}

static bool is_smp(const struct flight *flight)
{
	return smp_class_is_smp(flight->packet.mad[SMP_CLASS]);
}

/* Whether the SMI has to do with it here, rather than the forwarding tables. */
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
		flight->out =
			lid <= node->lft_top && lid < node->lft_size ? node->lft[lid] : LFT_DROP;
	else if (flight->lid_hops > 1)
		return drop(fabric, flight, FABRIC_DROP_NO_ROUTE);
	return flight->out == LFT_DROP ? drop(fabric, flight, FABRIC_DROP_NO_ROUTE) : STEP_CROSS;
}

/* The SMI of a switch passes on one SMP at a time; what it starts costs it nothing more. */
static enum step pass_on(struct fabric *fabric, struct flight *flight, bool starts)
{
	struct node *node = flight->at.node;
	uint64_t cost = fabric->model.transit;

	flight->packet.slid = LID_PERMISSIVE;
	flight->packet.dlid = LID_PERMISSIVE;
	if (starts)
		return STEP_CROSS;
	flight->passed_on_by = node;
	node->passed_on++;
	if (!cost)
		return STEP_CROSS;
	if (!agent_queue_enter(fabric, port_of(flight)))
		return drop(fabric, flight, FABRIC_DROP_FULL);
	flight->travelled += cost;
	node->transit_busy += cost;
	return wait_until(fabric, flight, agent_turn(fabric, &node->transit_free, cost), STEP_PASS);
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
	if (flight->at.node->health == FABRIC_DEAD || flight->at.node->health == FABRIC_OFF)
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

	/* The link went down while it was on it. */
	if (!port->up)
		return drop(fabric, flight, FABRIC_DROP_NO_LINK);
	if (flight->at.node->health == FABRIC_DEAD)
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	if (!is_smp(flight) && port_state(port) < PORT_ARMED)
		return drop(fabric, flight, FABRIC_DROP_INACTIVE);
	return is_directed_here(flight) ? direct(fabric, flight, false) : forward(fabric, flight);
}

/* One more of the same, right behind it. */
static void duplicate(struct fabric *fabric, const struct flight *flight, uint64_t time)
{
	struct flight *twin = take(fabric);

	if (!twin)
		return;
	*twin = *flight;
	fabric->stats.duplicated++;
	if (wait_until(fabric, twin, time, STEP_ENTER) != STEP_GONE) {
		twin->step = STEP_ENTER;
		go_on(fabric, &twin->event);
	}
}

static void corrupt(struct fabric *fabric, uint8_t *mad)
{
	uint64_t bit = fabric_random(fabric) % MAD_BITS;

	mad[bit / 8] ^= (uint8_t)(1 << bit % 8);
	fabric->stats.corrupted++;
}

/* What happens to a packet by chance, once on its way. How much later; FABRIC_NEVER: it is lost. */
static uint64_t try_luck(struct fabric *fabric, struct flight *flight)
{
	const struct fabric_model *model = &fabric->model;

	if (flight->has_tried)
		return 0;
	flight->has_tried = true;
	if (fabric_chance(fabric, model->loss))
		return FABRIC_NEVER;
	if (fabric_chance(fabric, model->corrupt))
		corrupt(fabric, flight->packet.mad);
	if (!model->reorder_delay || !fabric_chance(fabric, model->reorder))
		return 0;
	fabric->stats.reordered++;
	return 1 + fabric_random(fabric) % model->reorder_delay;
}

static enum step cross(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;
	const struct port *port = &node->port[flight->out];
	bool is_first = !flight->has_tried;
	uint64_t time = fabric->now + fabric->model.hop, later;

	if (!flight->out || flight->out > node->port_count || !port->up)
		return drop(fabric, flight, FABRIC_DROP_NO_LINK);
	if (!is_smp(flight) && port_state(port) != PORT_ACTIVE)
		return drop(fabric, flight, FABRIC_DROP_INACTIVE);
	later = try_luck(fabric, flight);
	if (later == FABRIC_NEVER)
		return drop(fabric, flight, FABRIC_DROP_LOST);
	flight->travelled += fabric->model.hop;
	flight->at = (struct place){ .node = port->peer, .port = port->peer_port };
	if (is_first && fabric_chance(fabric, fabric->model.duplicate))
		duplicate(fabric, flight, time);
	return wait_until(fabric, flight, time + later, STEP_ENTER);
}

/* It comes out at whoever is attached here. */
static enum step come_out(struct fabric *fabric, struct flight *flight)
{
	flight->endpoint = lid_port(flight->at.node, flight->at.port)->endpoint;
	if (flight->endpoint < 0)
		return drop(fabric, flight, FABRIC_DROP_UNCLAIMED);
	if (flight->answered)
		tally_round_trip(fabric, flight->target, flight->before, flight->travelled);
	flight->next = NULL;
	*fabric->last_arrival = flight;
	fabric->last_arrival = &flight->next;
	return STEP_GONE;
}

static void turn_addresses(struct fabric_packet *packet)
{
	uint16_t lid = packet->slid;
	uint32_t qp = packet->sqp;

	packet->slid = packet->dlid;
	packet->dlid = lid;
	packet->sqp = packet->dqp;
	packet->dqp = qp;
}

static enum step answer(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;

	fabric->stats.answered++;
	fabric->stats.kind[flight->kind].answered++;
	flight->answered = true;
	flight->target = node;
	flight->before = flight->passed_on_by;
	flight->travelled += node->lateness;
	turn_addresses(&flight->packet);
	return wait_until(fabric, flight, fabric->now + node->lateness, STEP_LEAVE);
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
		give_back(fabric, flight);
		return STEP_GONE;
	default:
		return drop(fabric, flight, request.drop);
	}
}

/* The agent's time is up, unless the node's was. */
static enum step serve(struct fabric *fabric, struct flight *flight)
{
	port_of(flight)->queued--;
	if (flight->at.node->health != FABRIC_WELL)
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	return have_answered(fabric, flight);
}

static enum step arrive(struct fabric *fabric, struct flight *flight)
{
	struct node *node = flight->at.node;
	uint64_t work = node->service;

	if (!agent_is_asked(flight->packet.mad))
		return come_out(fabric, flight);
	if (node->health == FABRIC_HUNG)
		return drop(fabric, flight, FABRIC_DROP_DEAD);
	if (work == FABRIC_AS_MODEL)
		work = fabric->model.service[node->type];
	node->served++;
	if (!work && node->agent_free <= fabric->now)
		return have_answered(fabric, flight);
	if (!agent_queue_enter(fabric, port_of(flight)))
		return drop(fabric, flight, FABRIC_DROP_FULL);
	node->agent_busy += work;
	flight->travelled += work;
	return wait_until(fabric, flight, agent_turn(fabric, &node->agent_free, work), STEP_SERVE);
}

static enum step take_step(struct fabric *fabric, struct flight *flight, enum step step)
{
	switch (step) {
	case STEP_LEAVE:
		return leave(fabric, flight);
	case STEP_ENTER:
		return enter(fabric, flight);
	case STEP_PASS:
		port_of(flight)->queued--;
		return STEP_CROSS;
	case STEP_CROSS:
		return cross(fabric, flight);
	case STEP_ARRIVE:
		return arrive(fabric, flight);
	case STEP_SERVE:
		return serve(fabric, flight);
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

/* A source LID of 0 is for the port to fill in. */
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
	uint16_t kind = tally_kind(fabric, packet->mad);
	struct flight *flight = take(fabric);

	fabric->stats.kind[kind].sent++;
	if (!flight)
		return;
	flight->at = *from;
	flight->kind = kind;
	flight->answered = false;
	flight->travelled = 0;
	flight->packet = *packet;
	start(fabric, flight);
}

void fabric_originate(struct fabric *fabric, struct node *node, unsigned int port,
		      const struct fabric_packet *packet)
{
	const struct place from = { .node = node, .port = port };

	fabric->stats.traps++;
	flight_start(fabric, &from, packet);
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
	give_back(fabric, flight);
	return true;
}
