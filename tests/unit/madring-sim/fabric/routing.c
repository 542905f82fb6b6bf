/* SPDX-License-Identifier: BSD-2-Clause */
/* Fabrics that start routed: complete, by shortest paths, evenly, and visible to the tools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/inside.h"
#include "fabric/routing.h"
#include "support.h"
#include "fabric/walk.h"

static struct fabric *routed(struct topology *topology, int *endpoint)
{
	struct topology_node *first = topology->nodes[0];
	unsigned int port = first->type == NODE_SWITCH ? 0 : 1;
	struct fabric *fabric = open_fabric(topology, first->id, port, endpoint);

	assert_int_equal(fabric_route(fabric, first, port), 0);
	return fabric;
}

static void expect_complete(struct topology *topology, uint64_t host_ports, uint64_t switches)
{
	struct fabric_walk walk;
	int endpoint;
	struct fabric *fabric = routed(topology, &endpoint);

	assert_int_equal(fabric_walk(fabric, &walk), 0);
	assert_true(walk_is_complete(&walk));
	assert_int_equal(walk.host_ports, host_ports);
	assert_int_equal(walk.switches, switches);
	assert_int_equal(walk.host_ways, host_ports * (host_ports - 1));
	assert_int_equal(walk.switch_ways, 2 * host_ports * switches);
	fabric_close(fabric);
}

static void everyone_reaches_everyone(void **state)
{
	expect_complete(read_data("two-switches.net"), 4, 2);
	expect_complete(read_data("saved.topology"), 2, 2);
	expect_complete(generate("fat-tree:leafs=30,spines=30,hosts=30"), 900, 60);
	expect_complete(generate("fat-tree:radix=24,levels=3"), 3456, 720);
	expect_complete(generate("fat-tree:radix=4,levels=5"), 64, 144);
	expect_complete(generate("fat-tree:radix=40,levels=1"), 40, 1);
	expect_complete(generate("dragonfly:a=8,p=4,h=4"), 1056, 264);
	expect_complete(generate("torus:5x4x3,hosts=3,links=2"), 180, 60);
	expect_complete(generate("mesh:60,hosts=1"), 60, 60);
}

/* Switches crossed from one to where a LID is, by the tables. */
static unsigned int steps_to(const struct node *node, uint16_t lid)
{
	unsigned int steps = 0;

	while (node->type == NODE_SWITCH && node->lft[lid]) {
		node = node->port[node->lft[lid]].peer;
		steps++;
	}
	return steps;
}

/* Returns the distance that a search finds. */
static unsigned int distance(const struct fabric *fabric, const struct node *from,
			     const struct node *to)
{
	size_t count = fabric->topology->node_count, head = 0, tail = 1;
	unsigned int *steps = calloc(count, sizeof(*steps)), found, number;
	const struct node **queue = calloc(count, sizeof(struct node *));

	assert_non_null(steps);
	assert_non_null(queue);
	queue[0] = from;
	while (head < tail && queue[head] != to) {
		const struct node *node = queue[head++];

		for (number = 1; number <= node->port_count; number++) {
			const struct node *peer = node->port[number].peer;

			if (node->type != NODE_SWITCH || !peer || peer == from ||
			    steps[peer - fabric->nodes])
				continue;
			steps[peer - fabric->nodes] = steps[node - fabric->nodes] + 1;
			queue[tail++] = peer;
		}
	}
	assert_true(head < tail);
	found = steps[to - fabric->nodes];
	free(steps);
	free(queue);
	return found;
}

static void expect_shortest(struct topology *topology)
{
	int endpoint;
	struct fabric *fabric = routed(topology, &endpoint);
	const struct node *from, *to, *end = fabric->nodes + topology->node_count;

	for (from = fabric->nodes; from < end; from++) {
		for (to = fabric->nodes; from->type == NODE_SWITCH && to < end; to++)
			assert_int_equal(steps_to(from, lid_port(to, 1)->lid),
					 distance(fabric, from, to));
	}
	fabric_close(fabric);
}

static void ways_are_the_shortest(void **state)
{
	expect_shortest(read_data("saved.topology"));
	expect_shortest(generate("fat-tree:radix=8,levels=3"));
	expect_shortest(generate("dragonfly:a=4,p=2,h=2"));
	expect_shortest(generate("torus:5x4,hosts=2"));
}

/* Counts the hosts' LIDs that a switch sends by each of its ports. */
static void count_entries(const struct fabric *fabric, const struct node *node, unsigned int *sent)
{
	memset(sent, 0, 256 * sizeof(*sent));
	for (size_t i = 0; i < fabric->topology->node_count; i++)
		if (fabric->nodes[i].type == NODE_CA)
			sent[node->lft[fabric->nodes[i].port[1].lid]]++;
}

/* Checks that each leaf uses its ports to the spines evenly. */
static void expect_even(const char *spec, unsigned int uplinks, unsigned int share)
{
	struct topology *topology = generate(spec);
	unsigned int sent[256], used;
	int endpoint;
	struct fabric *fabric = routed(topology, &endpoint);

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct node *node = &fabric->nodes[i];

		if (node->type != NODE_SWITCH || !strstr(node->topology->id, "leaf"))
			continue;
		count_entries(fabric, node, sent);
		used = 0;
		for (unsigned int number = 1; number <= node->port_count; number++) {
			if (!node->port[number].peer || node->port[number].peer->type == NODE_CA)
				continue;
			assert_in_range(sent[number], share - 1, share + 1);
			used++;
		}
		assert_int_equal(used, uplinks);
	}
	fabric_close(fabric);
}

static void ways_are_spread(void **state)
{
	expect_even("fat-tree:leafs=30,spines=30,hosts=30", 30, 29);
	expect_even("fat-tree:leafs=6,spines=3,hosts=24,links=4", 12, 10);
}

static uint32_t field_of(struct fabric *fabric, int endpoint, uint16_t lid, uint16_t attribute,
			 unsigned int modifier, enum MAD_FIELDS field)
{
	struct fabric_packet packet = to_lid(lid, attribute, modifier), answer;

	ask_status(fabric, endpoint, &packet, 0, &answer);
	return mad_get_field(data_of(&answer), 0, field);
}

/* The agents show the routes to requests by LID, as a tool sends them. */
static void agents_show_the_routes(void **state)
{
	struct topology *topology = read_data("saved.topology");
	int endpoint;
	struct fabric *fabric = routed(topology, &endpoint);
	struct fabric_port_state local;

	fabric_port_state(fabric, endpoint, &local);
	assert_int_equal(local.state, PORT_ACTIVE);
	for (size_t i = 0; i < topology->node_count; i++) {
		const struct node *node = &fabric->nodes[i];
		unsigned int number = node->type == NODE_SWITCH ? 0 : 1;
		uint16_t lid = node->port[number].lid;

#define PORT_FIELD(field) field_of(fabric, endpoint, lid, IB_ATTR_PORT_INFO, number, field)
		assert_int_equal(PORT_FIELD(IB_PORT_LID_F), lid);
		assert_int_equal(PORT_FIELD(IB_PORT_LMC_F), 0);
		assert_int_equal(PORT_FIELD(IB_PORT_SMLID_F), fabric->nodes[0].port[0].lid);
		assert_int_equal(PORT_FIELD(IB_PORT_STATE_F), PORT_ACTIVE);
		assert_int_equal(PORT_FIELD(IB_PORT_NEIGHBOR_MTU_F), 4);
		assert_int_equal(PORT_FIELD(IB_PORT_OPER_VLS_F), 4);
		if (number)
			continue;
		assert_int_equal(field_of(fabric, endpoint, lid, IB_ATTR_SWITCH_INFO, 0,
					  IB_SW_LINEAR_FDB_TOP_F),
				 node->lft_top);
		assert_int_equal(field_of(fabric, endpoint, lid, IB_ATTR_SWITCH_INFO, 0,
					  IB_SW_STATE_CHANGE_F),
				 0);
	}
	fabric_close(fabric);
}

/* The LIDs of a topology stay, except one that two ports have. */
static void lids_of_the_topology(void **state)
{
	struct topology *topology = read_data("saved.topology");
	struct topology_node *leaf, *spine, *first, *second;
	struct fabric *fabric;
	int endpoint;

	leaf = topology_find(topology, "S-0002c90300000010");
	spine = topology_find(topology, "S-0002c90300000020");
	first = topology_find(topology, "H-0002c90300001000");
	second = topology_find(topology, "H-0002c90300002000");
	assert_true(leaf && spine && first && second);
	leaf->port[0].lid = 700;
	spine->port[0].lid = 0xc000;
	first->port[1].lid = 700;
	second->port[1].lid = 12;
	fabric = open_fabric(topology, second->id, 1, &endpoint);
	assert_int_equal(fabric_route(fabric, second, 1), 0);
	assert_int_equal(fabric->nodes[leaf->index].port[0].lid +
				 fabric->nodes[first->index].port[1].lid,
			 700 + (fabric->nodes[spine->index].port[0].lid == 1 ? 2 : 1));
	assert_int_equal(fabric->nodes[second->index].port[1].lid, 12);
	assert_int_equal(fabric->nodes[leaf->index].lft_top, 700);
	fabric_close(fabric);
}

/* A node that no manager could reach stays as it is. */
static void islands(void **state)
{
	struct topology *topology = read_data("two-switches.net");
	int endpoint;
	struct fabric *fabric = open_fabric(topology, "dual", 1, &endpoint);
	const struct node *host = &fabric->nodes[topology_find(topology, "host")->index];
	const struct node *right = &fabric->nodes[topology_find(topology, "right")->index];
	struct topology_node *left = topology_find(topology, "left");

	fabric_set_cable(fabric, left, 2, false);
	fabric_set_cable(fabric, left, 3, false);
	assert_int_equal(fabric_route(fabric, topology_find(topology, "dual"), 1), 0);
	assert_int_equal(host->port[1].lid, 0);
	assert_int_equal(port_state(&host->port[1]), PORT_INIT);
	assert_null(right->lft);
	fabric_set_cable(fabric, left, 2, true);
	assert_int_equal(fabric_route(fabric, left, 0), 0);
	assert_int_not_equal(host->port[1].lid, 0);
	fabric_close(fabric);
}

static void refusals(void **state)
{
	struct topology *topology = generate("fat-tree:leafs=250,spines=1,hosts=200");
	int endpoint;
	struct fabric *fabric = open_fabric(topology, topology->nodes[0]->id, 1, &endpoint);

	assert_int_equal(fabric_route(fabric, topology->nodes[0], 0), -EINVAL);
	assert_int_equal(fabric_route(fabric, topology->nodes[0], 2), -EINVAL);
	assert_int_equal(fabric_route(fabric, topology->nodes[0], 1), -ENOSPC);
	fabric_close(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(everyone_reaches_everyone),
	cmocka_unit_test(ways_are_the_shortest),
	cmocka_unit_test(ways_are_spread),
	cmocka_unit_test(agents_show_the_routes),
	cmocka_unit_test(lids_of_the_topology),
	cmocka_unit_test(islands),
	cmocka_unit_test(refusals),
};

TEST_MAIN(tests, NULL, NULL)
