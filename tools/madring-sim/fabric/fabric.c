/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/capability.h"
#include "fabric/endpoint.h"
#include "fabric/ext_speed.h"
#include "fabric/fabric.h"
#include "fabric/flight.h"
#include "fabric/link_state.h"
#include "fabric/node_agent.h"
#include "fabric/node_start.h"
#include "fabric/notice.h"
#include "fabric/port_counters.h"
#include "fabric/port_tables.h"

static size_t count_ports(const struct topology *topology)
{
	size_t count = 0;

	for (size_t i = 0; i < topology->node_count; i++)
		count += topology->nodes[i]->port_count + 1u;
	return count;
}

int fabric_open(struct fabric **opened, struct topology *topology,
		const struct fabric_config *config)
{
	struct fabric *fabric;

	if (!topology->node_count)
		return -EINVAL;
	fabric = calloc(1, sizeof(*fabric));
	if (!fabric)
		return -ENOMEM;
	slabs_open(&fabric->flights, sizeof(struct flight));
	if (fabric_set_model(fabric, &config->model)) {
		fabric_close(fabric);
		return -EINVAL;
	}
	fabric->nodes = calloc(topology->node_count, sizeof(*fabric->nodes));
	fabric->port_count = count_ports(topology);
	fabric->ports = calloc(fabric->port_count, sizeof(*fabric->ports));
	if (!fabric->nodes || !fabric->ports) {
		fabric_close(fabric);
		return -ENOMEM;
	}
	fabric->topology = topology;
	fabric->seed = config->seed;
	fabric->random = config->seed;
	fabric->last_arrival = &fabric->arrivals;
	node_setup(fabric->nodes, fabric->ports, topology);
	queue_open(&fabric->queue);
	*opened = fabric;
	return 0;
}

void fabric_close(struct fabric *fabric)
{
	if (!fabric)
		return;
	for (size_t i = 0; fabric->topology && i < fabric->topology->node_count; i++)
		node_free(&fabric->nodes[i]);
	queue_close(&fabric->queue);
	slabs_close(&fabric->flights);
	topology_free(fabric->topology);
	free(fabric->flows);
	free(fabric->endpoints);
	free(fabric->ports);
	free(fabric->nodes);
	free(fabric);
}

const struct topology *fabric_topology(const struct fabric *fabric)
{
	return fabric->topology;
}

const struct fabric_stats *fabric_stats(const struct fabric *fabric)
{
	return &fabric->stats;
}

int fabric_attach(struct fabric *fabric, struct topology_node *topology_node, unsigned int number)
{
	struct node *node = &fabric->nodes[topology_node->index];
	struct endpoint *endpoints;
	struct port *port;

	if (number > node->port_count || !number != (node->type == NODE_SWITCH))
		return -EINVAL;
	port = &node->port[number];
	if (port->endpoint >= 0)
		return port->endpoint;
	endpoints = reallocarray(fabric->endpoints, (size_t)fabric->endpoint_count + 1,
				 sizeof(*endpoints));
	if (!endpoints)
		return -ENOMEM;
	fabric->endpoints = endpoints;
	endpoints[fabric->endpoint_count] = (struct endpoint){
		.place = { .node = node, .port = number },
		.node_starts = node->starts,
	};
	port->endpoint = fabric->endpoint_count++;
	return port->endpoint;
}

int fabric_at(struct fabric *fabric, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	      void *user)
{
	return queue_call(&fabric->queue, time, fire, user);
}

uint64_t fabric_now(const struct fabric *fabric)
{
	return fabric->now;
}

void fabric_run(struct fabric *fabric, uint64_t now)
{
	const struct event *next;

	while ((next = queue_peek(&fabric->queue)) && next->time <= now) {
		struct event *event = queue_pop(&fabric->queue);

		if (event->time > fabric->now)
			fabric->now = event->time;
		event->fire(fabric, event);
	}
	if (now > fabric->now)
		fabric->now = now;
}

void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now)
{
	fabric_run(fabric, now);
	fabric->stats.sent++;
	flight_start(fabric, &fabric->endpoints[endpoint].place, packet);
}

uint64_t fabric_next_event(const struct fabric *fabric)
{
	const struct event *event = queue_peek(&fabric->queue);

	if (fabric->arrivals)
		return fabric->now;
	return event ? event->time : FABRIC_NEVER;
}

bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet)
{
	fabric_run(fabric, now);
	if (!flight_take_arrival(fabric, endpoint, packet))
		return false;
	fabric->stats.delivered++;
	return true;
}

enum fabric_outcome fabric_ask(struct fabric *fabric, int endpoint, struct fabric_packet *packet,
			       bool any_mkey, uint64_t now, uint64_t *ready)
{
	const struct place *place = &fabric->endpoints[endpoint].place;
	struct agent_request request = {
		.fabric = fabric,
		.node = place->node,
		.port = place->port,
		.packet = packet,
		.any_mkey = any_mkey,
	};
	struct fabric_kind *kind;
	uint64_t service = node_service(fabric, place->node), done;

	fabric_run(fabric, now);
	*ready = fabric->now;
	kind = &fabric->stats.kind[stats_kind(&fabric->stats, &fabric->kinds, packet->mad)];
	kind->sent++;
	fabric->stats.sent++;
	if (!node_answers(place->node)) {
		stats_count_drop(&fabric->stats, &place->node->dropped, FABRIC_DROP_DEAD);
		return FABRIC_OUTCOME_DROPPED;
	}
	done = worker_take(fabric, &place->node->agent, service);
	*ready = time_after(done, place->node->lateness);
	switch (agent_answer(&request)) {
	case AGENT_ANSWERED:
		kind->answered++;
		fabric->stats.answered++;
		stats_count_round_trip(&fabric->stats, &place->node->chain, NULL,
				       service + place->node->lateness);
		return FABRIC_OUTCOME_ANSWERED;
	case AGENT_TAKEN:
		return FABRIC_OUTCOME_TAKEN;
	case AGENT_PASSED:
		return FABRIC_OUTCOME_PASSED;
	default:
		stats_count_drop(&fabric->stats, &place->node->dropped, request.drop);
		return FABRIC_OUTCOME_DROPPED;
	}
}

void fabric_set_capabilities(struct fabric *fabric, int endpoint, uint32_t which, uint32_t bits)
{
	const struct place *place = &fabric->endpoints[endpoint].place;
	uint8_t *info = place->node->port[place->port].port_info;
	uint32_t mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F);
	uint32_t fresh = (mask & ~which) | (bits & which);

	if (fresh == mask)
		return;
	mad_set_field(info, 0, IB_PORT_CAPMASK_F, fresh);
	notice_capability_changed(fabric, place->node, place->port);
}

void fabric_set_is_sm(struct fabric *fabric, int endpoint, bool on)
{
	fabric_set_capabilities(fabric, endpoint, CAP_SM, on ? CAP_SM : 0);
}

void fabric_set_description(struct fabric *fabric, int endpoint,
			    const uint8_t description[FABRIC_DESCRIPTION_BYTES])
{
	memcpy(fabric->endpoints[endpoint].place.node->description, description, ATTRIBUTE_BYTES);
}

int fabric_set_model(struct fabric *fabric, const struct fabric_model *model)
{
	if (!model_is_valid(model))
		return -EINVAL;
	fabric->model = *model;
	return 0;
}

const struct fabric_model *fabric_model(const struct fabric *fabric)
{
	return &fabric->model;
}

static void refresh_links(struct fabric *fabric, struct node *node)
{
	for (unsigned int number = 1; number <= node->port_count; number++)
		link_refresh(fabric, node, number);
}

void fabric_set_health(struct fabric *fabric, const struct topology_node *topology_node,
		       enum fabric_health health)
{
	struct node *node = fabric_node(fabric, topology_node);
	bool had_links = node_has_links(node);

	if (node->health == health)
		return;
	node->health = (uint8_t)health;
	if (node_has_links(node) == had_links)
		return;
	refresh_links(fabric, node);
	if (had_links) {
		node_restart(node);
		counters_restart(fabric, node);
	}
}

void fabric_set_service(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	fabric_node(fabric, node)->service = ns;
}

void fabric_set_lateness(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	fabric_node(fabric, node)->lateness = ns;
}

void fabric_stall(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	worker_delay(fabric, &fabric_node(fabric, node)->agent, ns);
	worker_delay(fabric, &fabric_node(fabric, node)->smi, ns);
}

void fabric_pause(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	endpoints_pause(fabric, fabric_node(fabric, node), ns);
}

int fabric_set_cable(struct fabric *fabric, const struct topology_node *topology_node,
		     unsigned int number, bool in)
{
	struct node *node = fabric_node(fabric, topology_node);
	struct port *port;

	if (!number || number > node->port_count || !node->port[number].peer)
		return -EINVAL;
	port = &node->port[number];
	port->cable_out = !in;
	port->peer->port[port->peer_port].cable_out = !in;
	link_refresh(fabric, node, number);
	return 0;
}

void fabric_work(const struct fabric *fabric, const struct topology_node *topology_node,
		 struct fabric_work *work)
{
	const struct node *node = fabric_node(fabric, topology_node);

	*work = (struct fabric_work){
		.served = node->agent.done,
		.agent_busy = node->agent.busy,
		.passed_on = node->smi.done,
		.transit_busy = node->smi.busy,
	};
	endpoints_work(fabric, node, work);
}

uint64_t fabric_dropped(const struct fabric *fabric, const struct topology_node *node,
			enum fabric_drop cause)
{
	const uint64_t *dropped = fabric_node(fabric, node)->dropped;

	return dropped ? dropped[cause] : 0;
}

void fabric_view_node(const struct fabric *fabric, const struct topology_node *topology_node,
		      struct fabric_node_view *view)
{
	const struct node *node = fabric_node(fabric, topology_node);

	*view = (struct fabric_node_view){
		.health = node->health,
		.service = node_service(fabric, node),
		.lateness = node->lateness,
	};
}

void fabric_view_port(const struct fabric *fabric, const struct topology_node *node,
		      unsigned int number, struct fabric_port_state *state)
{
	struct port *port = &fabric->nodes[node->index].port[number];
	uint8_t *info = port->port_info;

	*state = (struct fabric_port_state){
		.lid = port->lid,
		.lmc = port->lmc,
		.sm_lid = (uint16_t)mad_get_field(info, 0, IB_PORT_SMLID_F),
		.sm_sl = (uint8_t)mad_get_field(info, 0, IB_PORT_SMSL_F),
		.state = (uint8_t)mad_get_field(info, 0, IB_PORT_STATE_F),
		.phys_state = (uint8_t)mad_get_field(info, 0, IB_PORT_PHYS_STATE_F),
		.width = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F),
		.speed = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F),
		.speed_ext = ext_speed_get(info, EXT_SPEED_ACTIVE),
		.capability_mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F),
		.gid_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F),
		.guid = port->guid,
		.pkey_sets = port->pkey_sets,
	};
}

void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state)
{
	const struct place *place = &fabric->endpoints[endpoint].place;

	fabric_view_port(fabric, place->node->topology, place->port, state);
}

unsigned int fabric_pkeys(const struct fabric *fabric, int endpoint, uint16_t *pkeys)
{
	const struct place *place = &fabric->endpoints[endpoint].place;
	uint8_t data[ATTRIBUTE_BYTES];
	struct table_part part;
	unsigned int count = 0;

	_Static_assert(PKEY_CAP_CA <= FABRIC_PKEYS && PKEY_CAP_SWITCH <= FABRIC_PKEYS,
		       "the tables of attached ports");
	for (size_t block = 0; pkey_part(place->node, port_at(place), block, &part); block++) {
		table_get(port_at(place), &part, data);
		for (size_t i = 0; i < part.count; i += PKEY_BYTES)
			pkeys[count++] = (uint16_t)(data[i] << 8 | data[i + 1]);
	}
	return count;
}

static const char *name_of(const char *const *names, size_t count, unsigned int value)
{
	return value < count && names[value] ? names[value] : "?";
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *fabric_port_state_name(uint8_t state)
{
	static const char *const names[] = {
		[PORT_DOWN] = "Down",
		[PORT_INIT] = "Initialize",
		[PORT_ARMED] = "Armed",
		[PORT_ACTIVE] = "Active",
	};

	return name_of(names, COUNT(names), state);
}

const char *fabric_phys_state_name(uint8_t state)
{
	static const char *const names[] = {
		[PHYS_SLEEP] = "Sleep",
		[PHYS_POLLING] = "Polling",
		[PHYS_DISABLED] = "Disabled",
		[PHYS_LINK_UP] = "LinkUp",
	};

	return name_of(names, COUNT(names), state);
}

const char *fabric_health_name(enum fabric_health health)
{
	return health < FABRIC_HEALTHS ? fabric_health_meaning[health].name : "?";
}
