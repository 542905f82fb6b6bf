/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated topologies: the counts of nodes and cables, their connectedness, and wrong specs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topologies.h"

struct census {
	size_t switches, hosts, cables, reached;
};

/* Returns the count of nodes that can be reached from the first one. */
static size_t reach(const struct topology *topology)
{
	const struct topology_node **queue = calloc(topology->node_count, sizeof(*queue));
	bool *seen = calloc(topology->node_count, sizeof(*seen));
	size_t head = 0, tail = 0;

	assert_non_null(queue);
	assert_non_null(seen);
	queue[tail++] = topology->nodes[0];
	seen[0] = true;
	while (head < tail) {
		const struct topology_node *node = queue[head++];

		for (unsigned int i = 1; i <= node->port_count; i++) {
			const struct topology_node *peer = node->port[i].peer;

			if (!peer || seen[peer->index])
				continue;
			seen[peer->index] = true;
			queue[tail++] = peer;
		}
	}
	free(queue);
	free(seen);
	return tail;
}

static struct census census_of(const char *spec)
{
	struct topology *topology = generate(spec);
	struct census census = { .reached = reach(topology) };
	size_t ends = 0;

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (node->type == NODE_SWITCH)
			census.switches++;
		else
			census.hosts++;
		for (unsigned int port = 1; port <= node->port_count; port++)
			ends += node->port[port].peer != NULL;
	}
	census.cables = ends / 2;
	topology_free(topology);
	return census;
}

static void counts(void **state)
{
	static const struct {
		const char *spec;
		struct census census;
	} expected[] = {
		{ "fat-tree:leafs=30,spines=30,hosts=30", { 60, 900, 1800, 960 } },
		{ "fat-tree:leafs=3,spines=2,hosts=4,links=5", { 5, 12, 42, 17 } },
		{ "fat-tree:radix=8", { 12, 32, 64, 44 } },
		{ "fat-tree:radix=8,levels=1", { 1, 8, 8, 9 } },
		{ "fat-tree:radix=4,levels=4", { 56, 32, 128, 88 } },
		{ "fat-tree:radix=36,levels=3", { 1620, 11664, 34992, 13284 } },
		{ "fat-tree:radix=60,levels=3", { 4500, 54000, 162000, 58500 } },
		{ "dragonfly:a=4,p=2,h=2", { 36, 72, 162, 108 } },
		{ "dragonfly:a=4,p=2,h=2,groups=3", { 12, 24, 18 + 12 + 24, 36 } },
		{ "dragonfly:a=5,p=0,groups=1", { 5, 0, 10, 5 } },
		{ "torus:4x4x4,hosts=2", { 64, 128, 192 + 128, 192 } },
		{ "torus:2x3,links=2", { 6, 6, (3 + 6) * 2 + 6, 12 } },
		{ "torus:7,hosts=0", { 7, 0, 7, 7 } },
		{ "mesh:3x3", { 9, 9, 12 + 9, 18 } },
		{ "mesh:2x2x2x2x2x2,hosts=0", { 64, 0, 192, 64 } },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct census census = census_of(expected[i].spec);

		if (memcmp(&census, &expected[i].census, sizeof(census)))
			fail_msg("%s: %zu switches, %zu hosts, %zu cables, %zu reached",
				 expected[i].spec, census.switches, census.hosts, census.cables,
				 census.reached);
	}
}

/* Every port of a full fat tree's switches has a cable, and hosts come first. */
static void full_tree_is_full(void **state)
{
	struct topology *topology = generate("fat-tree:radix=6,levels=3");

	assert_int_equal(topology->nodes[0]->type, NODE_CA);
	for (size_t i = 0; i < topology->node_count; i++)
		for (unsigned int port = 1; port <= topology->nodes[i]->port_count; port++)
			assert_non_null(topology->nodes[i]->port[port].peer);
	topology_free(topology);
}

static void widths_and_speeds(void **state)
{
	struct topology *topology = generate("mesh:2,width=12,speed=hdr");

	assert_int_equal(topology->nodes[0]->port[1].width, 8);
	assert_int_equal(topology->nodes[0]->port[1].speed_ext, 4);
	topology_free(topology);
	topology = generate("mesh:2,speed=XDR");
	assert_int_equal(topology->nodes[0]->port[1].speed_ext, TOPOLOGY_SPEED_XDR);
	topology_free(topology);
	topology = generate("fat-tree:radix=4");
	assert_int_equal(topology->nodes[0]->port[1].width, 2);
	assert_int_equal(topology->nodes[0]->port[1].speed_ext, 2);
	topology_free(topology);
}

static void wrong_specs(void **state)
{
	static const struct {
		const char *spec, *says;
	} bad[] = {
		{ "", "a spec starts with" },
		{ "fat-tree", "a spec starts with" },
		{ "hypercube:4", "no shape" },
		{ "fat-tree:", "key=value" },
		{ "fat-tree:radix", "key=value" },
		{ "fat-tree:radix=", "a number from" },
		{ "fat-tree:radix=8x", "a number from" },
		{ "fat-tree:radix=-8", "a number from" },
		{ "fat-tree:radix=7", "even" },
		{ "fat-tree:radix=4,radix=4", "given twice" },
		{ "fat-tree:radix=4,hosts=3", "a fat tree has" },
		{ "fat-tree:leafs=4,spines=3", "a fat tree has" },
		{ "fat-tree:leafs=4,spines=200,hosts=100", "300 ports" },
		{ "fat-tree:leafs=200,spines=2,hosts=1,links=2", "400 ports" },
		{ "fat-tree:leafs=4294967297,spines=2,hosts=1", "a number from" },
		{ "fat-tree:leafs=99999999999999999999999,spines=2,hosts=1", "a number from" },
		{ "fat-tree:radix=254,levels=8", "more than 1000000 nodes" },
		{ "fat-tree:radix=8,colour=red", "no key" },
		{ "fat-tree:radix=8,speed=warp", "no speed" },
		{ "fat-tree:radix=8,width=3", "no width" },
		{ "dragonfly:p=1", "needs \"a\"" },
		{ "dragonfly:a=2,h=1,groups=4", "at most 3 groups" },
		{ "dragonfly:a=254,h=254,p=1", "more than 1000000 nodes" },
		{ "dragonfly:a=100,p=100,h=100,groups=2", "299 ports" },
		{ "torus:", "dimensions" },
		{ "torus:4x", "dimensions" },
		{ "torus:4x4y", "dimensions" },
		{ "torus:1x4", "from 2 to 1000" },
		{ "torus:2x2x2x2x2x2x2", "more than 6 dimensions" },
		{ "torus:1000x1000x1000x1000x1000x1000", "more than 1000000 nodes" },
		{ "mesh:3x3,hosts=254", "ports" },
	};
	struct topology_error error;
	struct topology *topology;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int ret = topology_generate(&topology, bad[i].spec, &error);

		if (ret != -EINVAL || !strstr(error.text, bad[i].says))
			fail_msg("%s: %d: %s", bad[i].spec, ret, ret ? error.text : "generated");
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counts),
	cmocka_unit_test(full_tree_is_full),
	cmocka_unit_test(widths_and_speeds),
	cmocka_unit_test(wrong_specs),
};

TEST_MAIN(tests, NULL, NULL)
