/* SPDX-License-Identifier: BSD-2-Clause */
#include "route.h"
#include "smp.h"

/* No forwarding table is right that sends a packet through more switches. */
#define MAX_LID_HOPS 64

/* Over the cable of @port. */
static enum route_result cross(struct place *place, unsigned int number)
{
	const struct port *port;

	if (!number || number > place->node->port_count)
		return ROUTE_NOWHERE;
	port = &place->node->port[number];
	if (!port_is_up(port))
		return ROUTE_NOWHERE;
	place->node = port->peer;
	place->port = port->peer_port;
	return ROUTE_ARRIVED;
}

/* A CA or router has the SMPs of one port leave by that port. */
static bool may_leave(const struct place *place, unsigned int number)
{
	return place->node->type == NODE_SWITCH || number == place->port;
}

static enum route_result go_out(struct place *place, uint8_t *mad)
{
	const uint8_t *initial_path = mad + SMP_INITIAL_PATH;
	uint8_t *return_path = mad + SMP_RETURN_PATH;
	unsigned int count = mad[SMP_HOP_COUNT];
	enum route_result result;
	unsigned int hop;

	if (mad[SMP_HOP_POINTER])
		return ROUTE_INVALID;
	if (count && !may_leave(place, initial_path[1]))
		return ROUTE_INVALID;
	for (hop = 1; hop <= count; hop++) {
		if (hop > 1 && place->node->type != NODE_SWITCH)
			return ROUTE_INVALID;
		result = cross(place, initial_path[hop]);
		if (result)
			return result;
		return_path[hop] = (uint8_t)place->port;
	}
	mad[SMP_HOP_POINTER] = (uint8_t)(count + 1);
	return ROUTE_ARRIVED;
}

static enum route_result go_back(struct place *place, uint8_t *mad)
{
	const uint8_t *return_path = mad + SMP_RETURN_PATH;
	unsigned int count = mad[SMP_HOP_COUNT];
	enum route_result result;
	unsigned int hop;

	if (mad[SMP_HOP_POINTER] != count + 1)
		return ROUTE_INVALID;
	if (count && !may_leave(place, return_path[count]))
		return ROUTE_INVALID;
	for (hop = count; hop; hop--) {
		if (hop < count && place->node->type != NODE_SWITCH)
			return ROUTE_INVALID;
		result = cross(place, return_path[hop]);
		if (result)
			return result;
	}
	mad[SMP_HOP_POINTER] = 0;
	return ROUTE_ARRIVED;
}

enum route_result route_directed(struct place *place, uint8_t *mad)
{
	if (mad[SMP_HOP_COUNT] > SMP_MAX_HOPS)
		return ROUTE_INVALID;
	/* A route with LID-routed parts. */
	if (smp_get16(mad, SMP_DR_SLID) != LID_PERMISSIVE ||
	    smp_get16(mad, SMP_DR_DLID) != LID_PERMISSIVE)
		return ROUTE_INVALID;
	return smp_returns(mad) ? go_back(place, mad) : go_out(place, mad);
}

/* Whether a packet to @lid has arrived. */
static bool is_there(const struct place *place, uint16_t lid)
{
	unsigned int port = place->node->type == NODE_SWITCH ? 0 : place->port;

	return port_has_lid(&place->node->port[port], lid);
}

static unsigned int exit_of(const struct node *node, uint16_t lid)
{
	return lid <= node->lft_top && lid < node->lft_size ? node->lft[lid] : LFT_DROP;
}

enum route_result route_by_lid(struct place *place, uint16_t lid)
{
	enum route_result result;
	unsigned int hop;

	if (!lid)
		return ROUTE_INVALID;
	for (hop = 0; hop < MAX_LID_HOPS && !is_there(place, lid); hop++) {
		unsigned int out = place->port;

		if (place->node->type == NODE_SWITCH)
			out = exit_of(place->node, lid);
		else if (hop)
			return ROUTE_NOWHERE;
		result = cross(place, out);
		if (result)
			return result;
	}
	return hop < MAX_LID_HOPS ? ROUTE_ARRIVED : ROUTE_NOWHERE;
}
