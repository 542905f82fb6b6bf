/* SPDX-License-Identifier: BSD-2-Clause */
/* Directed and LID-routed paths: all that lead somewhere, and those that must not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "support.h"

struct walk {
	const struct topology_node *node;
	unsigned int hops;
	uint8_t path[64];
};

static uint64_t guid_at(struct fabric *fabric, int endpoint, const struct walk *walk)
{
	struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, walk->hops, walk->path);
	struct fabric_packet answer;

	ask_status(fabric, endpoint, &packet, 0, &answer);
	return mad_get_field64(data_of(&answer), 0, IB_NODE_GUID_F);
}

/* Asks every node by a shortest route; each must be the one that the topology has there. */
static size_t walk_all(struct topology *topology)
{
	const char *start = topology->nodes[0]->id;
	unsigned int start_port = topology->nodes[0]->type == NODE_SWITCH ? 0 : 1;
	bool *seen = calloc(topology->node_count, sizeof(*seen));
	struct walk *walks = calloc(topology->node_count, sizeof(*walks));
	size_t head = 0, tail = 1;
	struct fabric *fabric;
	int endpoint;

	assert_non_null(seen);
	assert_non_null(walks);
	fabric = open_fabric(topology, start, start_port, &endpoint);
	walks[0].node = topology->nodes[0];
	seen[0] = true;
	while (head < tail) {
		const struct walk *walk = &walks[head++];

		assert_int_equal(guid_at(fabric, endpoint, walk), walk->node->node_guid);
		if (walk->node->type != NODE_SWITCH && walk->hops)
			continue;
		for (unsigned int port = 1; port <= walk->node->port_count; port++) {
			const struct topology_node *peer = walk->node->port[port].peer;

			if (!peer || seen[peer->index] || (start_port && !walk->hops && port > 1))
				continue;
			seen[peer->index] = true;
			walks[tail] = *walk;
			walks[tail].node = peer;
			walks[tail++].path[walk->hops] = (uint8_t)port;
			walks[tail - 1].hops = walk->hops + 1;
		}
	}
	assert_int_equal(fabric_stats(fabric)->answered, tail);
	free(seen);
	free(walks);
	fabric_close(fabric);
	return tail;
}

static void every_node_answers(void **state)
{
	assert_int_equal(walk_all(read_data("two-switches.net")), 5);
	assert_int_equal(walk_all(read_data("saved.topology")), 4);
	assert_int_equal(walk_all(generate("fat-tree:leafs=30,spines=30,hosts=30")), 960);
	assert_int_equal(walk_all(generate("fat-tree:radix=8,levels=3")), 80 + 128);
	assert_int_equal(walk_all(generate("dragonfly:a=4,p=2,h=2")), 108);
	assert_int_equal(walk_all(generate("torus:5x4x3,hosts=1")), 120);
	assert_int_equal(walk_all(generate("mesh:4x4,hosts=0")), 16);
}

struct routes {
	struct topology *topology;
	struct fabric *fabric;
	int endpoint;
};

static struct routes routes;

static int set_up(void **state)
{
	routes.topology = read_data("two-switches.net");
	routes.fabric = open_fabric(routes.topology, "dual", 1, &routes.endpoint);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(routes.fabric);
	return 0;
}

static bool arrives(const struct fabric_packet *packet)
{
	struct fabric_packet answer;

	return ask(routes.fabric, routes.endpoint, packet, &answer);
}

static bool path_arrives(unsigned int hops, const uint8_t *path)
{
	const struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, hops, path);

	return arrives(&packet);
}

static void paths_that_lead_nowhere(void **state)
{
	const struct fabric_stats *stats = fabric_stats(routes.fabric);

	assert_true(path_arrives(1, (const uint8_t[]){ 1 }));
	/* A port without a cable, one that does not exist, and port 0. */
	assert_false(path_arrives(2, (const uint8_t[]){ 1, 4 }));
	assert_false(path_arrives(2, (const uint8_t[]){ 1, 9 }));
	assert_false(path_arrives(2, (const uint8_t[]){ 1, 255 }));
	assert_false(path_arrives(2, (const uint8_t[]){ 1, 0 }));
	assert_int_equal(stats->dropped[FABRIC_DROP_NO_LINK], 4);
	/* No path leads through a host, or out of the port that nobody is attached to. */
	assert_false(path_arrives(4, (const uint8_t[]){ 1, 2, 4, 1 }));
	assert_false(path_arrives(1, (const uint8_t[]){ 2 }));
	assert_int_equal(stats->dropped[FABRIC_DROP_INVALID], 2);
	/* The path crosses the cable from the switch to itself. */
	assert_true(path_arrives(3, (const uint8_t[]){ 1, 5, 6 }));
	assert_int_equal(stats->answered, 2);
}

static void longest_path(void **state)
{
	uint8_t path[64];

	memset(path, 5, sizeof(path));
	path[0] = 1;
	assert_true(path_arrives(63, path));
	assert_false(path_arrives(64, path));
	assert_false(path_arrives(255, path));
	assert_int_equal(fabric_stats(routes.fabric)->dropped[FABRIC_DROP_INVALID], 2);
}

static void headers_that_are_discarded(void **state)
{
	static const uint8_t path[] = { 1, 2 };
	const struct fabric_packet good = directed(IB_ATTR_NODE_INFO, 0, 2, path);
	struct fabric_packet bad;

	assert_true(arrives(&good));
	bad = good;
	mad_set_field(bad.mad, 0, IB_DRSMP_HOPPTR_F, 1);
	assert_false(arrives(&bad));
	bad = good;
	mad_set_field(bad.mad, 0, IB_DRSMP_HOPPTR_F, 255);
	assert_false(arrives(&bad));
	bad = good;
	mad_set_field(bad.mad, 0, IB_DRSMP_DIRECTION_F, 1);
	assert_false(arrives(&bad));
	/* An answer that would have to go on by LID from a host. */
	bad = good;
	mad_set_field(bad.mad, 0, IB_DRSMP_DRSLID_F, 1);
	assert_false(arrives(&bad));
	assert_int_equal(fabric_stats(routes.fabric)->dropped[FABRIC_DROP_INVALID], 4);
	/* LID-routed parts, where there is no forwarding table. */
	bad = good;
	mad_set_field(bad.mad, 0, IB_DRSMP_DRDLID_F, 1);
	assert_false(arrives(&bad));
	bad = good;
	bad.dlid = 1;
	assert_false(arrives(&bad));
	assert_int_equal(fabric_stats(routes.fabric)->dropped[FABRIC_DROP_NO_ROUTE], 2);
}

/* SMInfo is for the manager behind a port: the request arrives there, and its answer returns. */
static void between_two_endpoints(void **state)
{
	static const uint8_t path[] = { 1, 2, 4 };
	struct fabric_packet packet = directed(IB_ATTR_SMINFO, 0, 3, path), out;
	int host, at;

	/* The SMA refuses it while nobody is attached. */
	ask_status(routes.fabric, routes.endpoint, &packet, 0x0c, &out);
	host = fabric_attach(routes.fabric, topology_find(routes.topology, "host"), 1);
	assert_true(host >= 0 && host != routes.endpoint);
	fabric_send(routes.fabric, routes.endpoint, &packet, 15);
	assert_int_equal(fabric_next_event(routes.fabric), 15);
	assert_true(fabric_receive(routes.fabric, 15, &at, &out));
	assert_int_equal(at, host);
	assert_int_equal(fabric_next_event(routes.fabric), FABRIC_NEVER);

	mad_set_field(out.mad, 0, IB_MAD_RESPONSE_F, 1);
	mad_set_field(out.mad, 0, IB_DRSMP_DIRECTION_F, 1);
	fabric_send(routes.fabric, host, &out, 16);
	assert_true(fabric_receive(routes.fabric, 16, &at, &packet));
	assert_int_equal(at, routes.endpoint);
	assert_int_equal(mad_get_field(packet.mad, 0, IB_DRSMP_HOPPTR_F), 0);
}

static void attach_checks_the_port(void **state)
{
	struct topology_node *dual = topology_find(routes.topology, "dual");
	struct topology_node *left = topology_find(routes.topology, "left");

	assert_int_equal(fabric_attach(routes.fabric, dual, 1), routes.endpoint);
	assert_int_not_equal(fabric_attach(routes.fabric, dual, 2), routes.endpoint);
	assert_int_equal(fabric_attach(routes.fabric, dual, 0), -EINVAL);
	assert_int_equal(fabric_attach(routes.fabric, dual, 3), -EINVAL);
	assert_true(fabric_attach(routes.fabric, left, 0) >= 0);
	assert_int_equal(fabric_attach(routes.fabric, left, 1), -EINVAL);
}

static void dead_nodes(void **state)
{
	fabric_set_health(routes.fabric, topology_find(routes.topology, "right"), FABRIC_DEAD);
	assert_true(path_arrives(1, (const uint8_t[]){ 1 }));
	assert_false(path_arrives(2, (const uint8_t[]){ 1, 2 }));
	assert_false(path_arrives(3, (const uint8_t[]){ 1, 2, 4 }));
	fabric_set_health(routes.fabric, topology_find(routes.topology, "dual"), FABRIC_DEAD);
	assert_false(path_arrives(1, (const uint8_t[]){ 1 }));
	assert_false(path_arrives(0, NULL));
	assert_int_equal(fabric_stats(routes.fabric)->dropped[FABRIC_DROP_DEAD], 4);
}

#define LEAF_LID  2
#define SPINE_LID 3
#define NEAR_LID  4
#define FAR_LID	  8

static void set_top(struct fabric *fabric, int endpoint, unsigned int hops, const uint8_t *path,
		    unsigned int top)
{
	struct fabric_packet set = directed(IB_ATTR_SWITCH_INFO, 0, hops, path), answer;

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&set), 0, IB_SW_LINEAR_FDB_TOP_F, top);
	ask_status(fabric, endpoint, &set, 0, &answer);
}

/* Gives a switch its forwarding table: the ports for LIDs 0 to 8. */
static void forward(struct fabric *fabric, int endpoint, unsigned int hops, const uint8_t *path,
		    const uint8_t *ports)
{
	struct fabric_packet set = directed(IB_ATTR_LINEARFORWTBL, 0, hops, path), answer;

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	memset(data_of(&set), 0xff, 64);
	memcpy(data_of(&set), ports, FAR_LID + 1);
	ask_status(fabric, endpoint, &set, 0, &answer);
	set_top(fabric, endpoint, hops, path, FAR_LID);
}

static uint64_t guid_by_lid(struct fabric *fabric, int endpoint, uint16_t lid)
{
	struct fabric_packet packet = to_lid(lid, IB_ATTR_NODE_INFO, 0), answer;

	if (!ask(fabric, endpoint, &packet, &answer))
		return 0;
	assert_int_equal(answer.slid, lid);
	assert_int_equal(answer.dlid, NEAR_LID);
	assert_int_equal(answer.mad[3], 0x81);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_STATUS_F), 0);
	return mad_get_field64(data_of(&answer), 0, IB_NODE_GUID_F);
}

static void lids_and_forwarding_tables(void **state)
{
	/* The leaf has LID 2, the spine 3, this host 4 to 7, and the other one 8. */
	static const uint8_t leaf[] = { 255, 255, 0, 36, 1, 1, 1, 1, 2 };
	static const uint8_t spine[] = { 255, 255, 7, 0, 7, 7, 7, 7, 7 };
	int endpoint;
	struct fabric *fabric =
		open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);

	/* A host's own LIDs, and its switch's, need no table there, but the answer needs one. */
	assert_int_equal(guid_by_lid(fabric, endpoint, NEAR_LID), 0x2c90300001000);
	assert_int_equal(guid_by_lid(fabric, endpoint, NEAR_LID + 3), 0x2c90300001000);
	assert_int_equal(guid_by_lid(fabric, endpoint, LEAF_LID), 0);
	assert_int_equal(guid_by_lid(fabric, endpoint, FAR_LID), 0);
	forward(fabric, endpoint, 1, (const uint8_t[]){ 1 }, leaf);
	forward(fabric, endpoint, 2, (const uint8_t[]){ 1, 36 }, spine);
	assert_int_equal(guid_by_lid(fabric, endpoint, LEAF_LID), 0x2c90300000010);
	assert_int_equal(guid_by_lid(fabric, endpoint, SPINE_LID), 0x2c90300000020);
	assert_int_equal(guid_by_lid(fabric, endpoint, FAR_LID), 0x2c90300002000);
	assert_int_equal(guid_by_lid(fabric, endpoint, 9), 0);
	/* Above LinearFDBTop an entry counts for nothing. */
	set_top(fabric, endpoint, 1, (const uint8_t[]){ 1 }, FAR_LID - 1);
	assert_int_equal(guid_by_lid(fabric, endpoint, FAR_LID), 0);
	assert_int_equal(guid_by_lid(fabric, endpoint, SPINE_LID), 0x2c90300000020);
	assert_int_equal(guid_by_lid(fabric, endpoint, 0), 0);
	assert_int_equal(guid_by_lid(fabric, endpoint, 0xc001), 0);
	fabric_close(fabric);
}

static void loops_end(void **state)
{
	static const uint8_t leaf[] = { 255, 255, 0, 36, 1, 1, 1, 1, 36 };
	static const uint8_t spine[] = { 255, 255, 7, 0, 7, 7, 7, 7, 7 };
	int endpoint;
	struct fabric *fabric =
		open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);

	forward(fabric, endpoint, 1, (const uint8_t[]){ 1 }, leaf);
	forward(fabric, endpoint, 2, (const uint8_t[]){ 1, 36 }, spine);
	assert_int_equal(guid_by_lid(fabric, endpoint, FAR_LID), 0);
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_LOOP], 1);
	fabric_close(fabric);
}

/* Nothing that a program can send does harm; every packet comes out once or is counted. */
static void random_packets(void **state)
{
	const struct fabric_stats *stats = fabric_stats(routes.fabric);
	struct fabric_packet packet, answer;
	unsigned int seed = 7, i;
	uint64_t dropped = 0;
	int at;

	for (i = 0; i < 200000; i++) {
		packet = directed(IB_ATTR_NODE_INFO, 0, 4, (const uint8_t[]){ 1, 2, 3, 4 });
		packet.dlid = i % 3 ? 0xffff : (uint16_t)rand_r(&seed);
		for (unsigned int j = rand_r(&seed) % 12; j; j--)
			packet.mad[rand_r(&seed) % 140] = (uint8_t)(rand_r(&seed) >> 8);
		fabric_send(routes.fabric, routes.endpoint, &packet, i);
		while (fabric_receive(routes.fabric, i, &at, &answer))
			assert_int_equal(at, routes.endpoint);
	}
	assert_int_equal(stats->sent, i);
	for (unsigned int j = 0; j < FABRIC_DROP_CAUSES; j++)
		dropped += stats->dropped[j];
	assert_int_equal(stats->delivered + dropped, i);
	assert_true(stats->answered > 0);
	assert_true(stats->dropped[FABRIC_DROP_NO_LINK] > 0);
	assert_true(stats->dropped[FABRIC_DROP_INVALID] > 0);
}

#define ROUTE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_node_answers),
	ROUTE_TEST(paths_that_lead_nowhere),
	ROUTE_TEST(longest_path),
	ROUTE_TEST(headers_that_are_discarded),
	ROUTE_TEST(between_two_endpoints),
	ROUTE_TEST(attach_checks_the_port),
	ROUTE_TEST(dead_nodes),
	cmocka_unit_test(lids_and_forwarding_tables),
	cmocka_unit_test(loops_end),
	ROUTE_TEST(random_packets),
};

TEST_MAIN(tests, NULL, NULL)
