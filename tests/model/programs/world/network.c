/* SPDX-License-Identifier: BSD-2-Clause */
#include "network.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/routing.h"
#include "fabric/traffic.h"
#include "changes.h"
#include "model_fail.h"
#include "model/common/prng.h"
#include "programs.h"
#include "random_topology.h"
#include "model_scenario.h"
#include "topology/topology.h"
#include "virtual_clock.h"

#define PPM 1e6

#define STATUS_BUSY	 0x0001
#define STATUS_DIRECTION 0x8000

static struct network {
	const struct scenario *scenario;
	struct fabric *fabric;
	struct topology_node *root;
	unsigned int root_port;
	/* The endpoints of the programs, the first of which is attached to the root. */
	struct {
		int endpoint;
		const struct topology_node *node;
		unsigned int port;
	} host[PROGRAMS];
	unsigned int host_count;
	struct prng prng; /* of the topology, the faults and the BUSY replies */
	void (*take_other)(const struct fabric_packet *packet); /* at any other endpoint */
} network;

static struct topology *make_topology(const struct fabric_scenario *scenario)
{
	struct topology_error error;
	struct topology *topology;

	if (!scenario->shape[0])
		return random_topology(&network.prng, scenario->random_nodes);
	if (topology_generate(&topology, scenario->shape, &error))
		world_fail("%s: %s", scenario->shape, error.text);
	return topology;
}

static bool is_good_root(const struct topology_node *node, bool is_switch)
{
	if ((node->type == NODE_SWITCH) != is_switch)
		return false;
	for (unsigned int port = 1; port <= node->port_count; port++)
		if (node->port[port].peer)
			return true;
	return false;
}

/* Chooses the first host, which the generators put first. */
static void choose_first_root(const struct topology *topology)
{
	network.root = topology->nodes[0];
	network.root_port = 1;
	expect(is_good_root(network.root, false) && network.root->port[1].peer,
	       "the first node is no host with a cable at its first port");
}

static void choose_root(const struct topology *topology, bool is_switch)
{
	size_t first = prng_below(&network.prng, topology->node_count);

	network.root = topology->nodes[0];
	for (size_t i = 0; i < topology->node_count; i++) {
		struct topology_node *node = topology->nodes[(first + i) % topology->node_count];

		if (is_good_root(node, is_switch)) {
			network.root = node;
			break;
		}
	}
	network.root_port = 0;
	if (network.root->type == NODE_SWITCH)
		return;
	do
		network.root_port = network.root_port % network.root->port_count + 1;
	while (!network.root->port[network.root_port].peer ||
	       (network.root_port < network.root->port_count &&
		prng_chance(&network.prng, 300000)));
}

static struct fabric_model model_of(const struct fabric_scenario *scenario)
{
	return (struct fabric_model){
		.hop = scenario->hop,
		.transit = scenario->transit,
		.service = { [NODE_CA] = scenario->service_host,
			     [NODE_SWITCH] = scenario->service_switch,
			     [NODE_ROUTER] = scenario->service_host },
		.queue = scenario->queue,
		.local_service = scenario->local_service,
		.local_vl15 = scenario->local_vl15,
		.local_receive_buffers = scenario->local_receive_buffers,
		.loss = scenario->loss / PPM,
		.duplicate = scenario->duplicate / PPM,
		.reorder = scenario->reorder / PPM,
		.corrupt = scenario->corrupt / PPM,
		.reorder_delay = scenario->reorder_delay,
		.training = 1000000,
	};
}

/* Draws the nodes that are silent from the beginning. The routing is made later and avoids them. */
static void draw_silence(const struct fabric_scenario *scenario)
{
	const struct topology *topology = fabric_topology(network.fabric);

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (node == network.root)
			continue;
		if (prng_chance(&network.prng, scenario->dead))
			fabric_set_health(network.fabric, node, FABRIC_DEAD);
		else if (prng_chance(&network.prng, scenario->hung))
			fabric_set_health(network.fabric, node, FABRIC_HUNG);
		if (prng_chance(&network.prng, scenario->late))
			fabric_set_lateness(network.fabric, node, scenario->lateness);
	}
}

/* Sets some counters of some ports. */
static void draw_counters(void)
{
	const struct topology *topology = fabric_topology(network.fabric);

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (!prng_chance(&network.prng, 300000))
			continue;
		for (unsigned int port = 1; port <= node->port_count; port++)
			for (unsigned int n = 0; n < 4; n++)
				fabric_set_counter(network.fabric, node, port,
						   (enum fabric_counter)prng_below(&network.prng,
										   FABRIC_COUNTERS),
						   prng_log_range(&network.prng, 1, UINT64_MAX));
	}
}

static void attach_host(struct topology_node *node, unsigned int port)
{
	int endpoint = node ? fabric_attach(network.fabric, node, port) : -EINVAL;

	expect(endpoint >= 0, "not attached");
	network.host[network.host_count].endpoint = endpoint;
	network.host[network.host_count].node = node;
	network.host[network.host_count++].port = port;
}

void network_open(const struct scenario *scenario)
{
	const struct fabric_scenario *from = &scenario->fabric;
	struct fabric_config config = { .seed = scenario->seed, .model = model_of(from) };
	struct topology *topology;

	network = (struct network){ .scenario = scenario };
	prng_seed(&network.prng, scenario->seed ^ 0x6e6574);
	topology = make_topology(from);
	if (from->attach_to_first)
		choose_first_root(topology);
	else
		choose_root(topology, from->attach_to_switch);
	expect(!fabric_open(&network.fabric, topology, &config), "no fabric");
	attach_host(network.root, network.root_port);
	if (from->second_host)
		attach_host(topology_find(topology, from->second_host), 1);
	draw_silence(from);
	expect(!fabric_route(network.fabric, network.root, network.root_port), "not routed");
	draw_counters();
	fabric_run(network.fabric, VIRTUAL_START);
	changes_plan(from, &network.prng);
}

void network_close(void)
{
	fabric_close(network.fabric);
	network.fabric = NULL;
}

struct fabric *network_fabric(void)
{
	return network.fabric;
}

const struct topology_node *network_root(void)
{
	return network.root;
}

unsigned int network_root_port(void)
{
	return network.root_port;
}

unsigned int network_hosts(void)
{
	return network.host_count;
}

const struct topology_node *network_host(unsigned int host)
{
	return network.host[host].node;
}

unsigned int network_host_port(unsigned int host)
{
	return network.host[host].port;
}

void network_port_state(unsigned int host, struct fabric_port_state *state)
{
	fabric_port_state(network.fabric, network.host[host].endpoint, state);
}

void network_send(unsigned int host, const struct fabric_packet *packet)
{
	fabric_send(network.fabric, network.host[host].endpoint, packet, virtual_now());
}

/* Turns some replies into those of a busy node (IBA 13.4.7). */
static void make_busy(struct fabric_packet *packet)
{
	uint16_t status;

	if (!prng_chance(&network.prng, network.scenario->fabric.busy))
		return;
	memcpy(&status, packet->mad + 4, sizeof(status));
	status = be16toh(status);
	if (!(packet->mad[3] & 0x80) || status & ~STATUS_DIRECTION)
		return;
	status = htobe16(status | STATUS_BUSY);
	memcpy(packet->mad + 4, &status, sizeof(status));
}

/* Returns the host of an endpoint, or .host_count if it is none. */
static unsigned int host_of(int endpoint)
{
	unsigned int host = 0;

	while (host < network.host_count && network.host[host].endpoint != endpoint)
		host++;
	return host;
}

bool network_receive(unsigned int *host, struct fabric_packet *packet)
{
	int endpoint;

	while (fabric_receive(network.fabric, virtual_now(), &endpoint, packet)) {
		*host = host_of(endpoint);
		if (*host < network.host_count) {
			make_busy(packet);
			return true;
		}
		network.take_other(packet);
	}
	return false;
}

int network_attach(const struct topology_node *host,
		   void (*take)(const struct fabric_packet *packet))
{
	int endpoint = fabric_attach(network.fabric, (struct topology_node *)(uintptr_t)host, 1);

	expect(endpoint >= 0 && !network.take_other, "not attached");
	network.take_other = take;
	return endpoint;
}

uint64_t network_next_event(void)
{
	return fabric_next_event(network.fabric);
}
