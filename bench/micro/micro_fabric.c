/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated fabric alone: SMPs by directed route to switches and hosts some hops away, in
 * tori of about so many nodes, without delays (ideal) and with those of a plausible fabric.
 */
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "case.h"
#include "fabric/fabric.h"

#define SENDS	  1024 /* in a round */
#define LONGEST	  8
#define HOP_COUNT 7 /* where they stand in a directed-route SMP */
#define FIRST_HOP 129
#define WINDOW	  16 /* in flight when there are delays */

struct route {
	uint8_t hops;
	uint8_t path[LONGEST];
};

struct play {
	struct fabric *fabric;
	int endpoint;
	unsigned int window;
	uint64_t now, sent, answered;
	struct fabric_packet packet;
	uint32_t route_count, next_route;
	struct route *routes;
};

/* Chooses some hops from the first host on, not back and through no other host. */
static void choose_route(const struct topology_node *node, unsigned int *seed, struct route *route)
{
	unsigned int wanted = 2 + rand_r(seed) % (LONGEST - 1), port = 1;

	while (route->hops < wanted) {
		route->path[route->hops++] = (uint8_t)port;
		node = node->port[port].peer;
		if (node->type != NODE_SWITCH)
			break;
		do {
			port = 1 + rand_r(seed) % node->port_count;
		} while (!node->port[port].peer);
	}
}

static void make_packet(struct fabric_packet *packet)
{
	packet->slid = 0xffff;
	packet->dlid = 0xffff;
	mad_set_field(packet->mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(packet->mad, 0, IB_MAD_MGMTCLASS_F, IB_SMI_DIRECT_CLASS);
	mad_set_field(packet->mad, 0, IB_MAD_CLASSVER_F, 1);
	mad_set_field(packet->mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_GET);
	mad_set_field(packet->mad, 0, IB_MAD_ATTRID_F, IB_ATTR_PORT_INFO);
	mad_set_field(packet->mad, 0, IB_DRSMP_DRSLID_F, 0xffff);
	mad_set_field(packet->mad, 0, IB_DRSMP_DRDLID_F, 0xffff);
}

static const char *spec_of(uint32_t entries)
{
	if (entries <= 1u << 10)
		return "torus:8x8x4,hosts=3";
	return entries <= 1u << 14 ? "torus:16x16x16,hosts=3" : "torus:40x40x40,hosts=3";
}

static bool open_fabric(struct play *play, const char *spec, const struct fabric_model *model)
{
	const struct fabric_config config = { .seed = 1, .model = *model };
	struct topology_error error;
	struct topology *topology;

	if (topology_generate(&topology, spec, &error))
		return false;
	if (fabric_open(&play->fabric, topology, &config)) {
		topology_free(topology);
		return false;
	}
	play->endpoint = fabric_attach(play->fabric, topology->nodes[0], 1);
	return play->endpoint >= 0;
}

static const char *close_play(void *state)
{
	struct play *play = state;
	const char *error = play->answered == play->sent ? NULL : "SMPs were lost";

	fabric_close(play->fabric);
	free(play->routes);
	free(play);
	return error;
}

static void *open_play(uint32_t entries, const struct fabric_model *model, unsigned int window)
{
	struct play *play = calloc(1, sizeof(*play));
	unsigned int seed = 1, i;

	if (!play)
		return NULL;
	play->window = window;
	play->route_count = entries;
	play->routes = calloc(entries, sizeof(*play->routes));
	if (!play->routes || !open_fabric(play, spec_of(entries), model)) {
		close_play(play);
		return NULL;
	}
	for (i = 0; i < entries; i++)
		choose_route(fabric_topology(play->fabric)->nodes[0], &seed, &play->routes[i]);
	make_packet(&play->packet);
	return play;
}

static void *open_ideal(uint32_t entries)
{
	return open_play(entries, &fabric_ideal, 1);
}

static void *open_real(uint32_t entries)
{
	return open_play(entries, &fabric_modelled, WINDOW);
}

static void take_answers(struct play *play)
{
	struct fabric_packet packet;
	int endpoint;

	while (fabric_receive(play->fabric, play->now, &endpoint, &packet))
		play->answered++;
}

static void send_next(struct play *play)
{
	const struct route *route = &play->routes[play->next_route++ % play->route_count];

	play->packet.mad[HOP_COUNT] = route->hops;
	memcpy(play->packet.mad + FIRST_HOP, route->path, sizeof(route->path));
	fabric_send(play->fabric, play->endpoint, &play->packet, play->now);
	play->sent++;
}

static uint64_t round_play(void *state)
{
	struct play *play = state;
	uint64_t before = play->answered, next;
	unsigned int i;

	for (i = 0; i < SENDS; i++) {
		send_next(play);
		take_answers(play);
		while (play->sent - play->answered >= play->window &&
		       (next = fabric_next_event(play->fabric)) != FABRIC_NEVER) {
			play->now = next;
			take_answers(play);
		}
	}
	while ((next = fabric_next_event(play->fabric)) != FABRIC_NEVER) {
		play->now = next;
		take_answers(play);
	}
	return play->answered - before;
}

const struct bench_case bench_fabric_ideal = { "fabric_ideal", open_ideal, round_play, close_play };
const struct bench_case bench_fabric_modelled = { "fabric_modelled", open_real, round_play,
						  close_play };
