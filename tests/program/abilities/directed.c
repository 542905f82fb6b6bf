/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directed routes with LID-routed parts at either end: each leads to the node that the pure
 * route leads to. Runs on a line of five nodes that have LIDs:
 * host-00-00, leaf-00, spine-00, leaf-01, host-01-00.
 */
#include "abilities_local.h"

#include <errno.h>
#include <string.h>

/* The whole line, from here. */
static const uint8_t line[] = { 0, 1, 1, 2, 2 };
#define LEAF  3 /* hops to leaf-01 */
#define SPINE 2
#define HOST  4
#define HERE  0

struct node {
	uint8_t info[MADRING_SMP_DATA_BYTES];
	uint16_t lid;
};

static struct local local;
static struct madring_agent *agent;
static struct node nodes[sizeof(line)];

static struct madring_mad *prepared(const uint8_t *path, unsigned int hops, uint16_t attribute,
				    uint32_t modifier)
{
	struct madring_mad *mad = local_mad(agent);

	assert_int_equal(madring_smp_dr_prepare(mad, path, hops, MADRING_GET, attribute, modifier),
			 0);
	return mad;
}

static void ask(struct madring_mad *mad, void *data)
{
	local_ask(&local, agent, mad, MADRING_SMP_DATA, data, MADRING_SMP_DATA_BYTES);
}

/* Asks each node its LID by the pure route. A switch has its LID at port 0. */
static int setup(void **state)
{
	local_open(&local);
	agent = local_agent(&local, CLASS_DIRECTED);
	for (unsigned int hops = 0; hops < sizeof(line); hops++) {
		uint8_t port[MADRING_SMP_DATA_BYTES];
		uint16_t lid;

		ask(prepared(line, hops, NODE_INFO, 0), nodes[hops].info);
		ask(prepared(line, hops, PORT_INFO, hops == HERE || hops == HOST), port);
		memcpy(&lid, port + 16, sizeof(lid));
		nodes[hops].lid = be16toh(lid);
		assert_int_not_equal(lid, 0);
	}
	return 0;
}

static int teardown(void **state)
{
	local_close(&local);
	return 0;
}

/*
 * Requires that the answer is the node's. Its local port may differ: by which one the request came.
 */
static void expect(struct madring_mad *mad, unsigned int node)
{
	uint8_t info[MADRING_SMP_DATA_BYTES];

	ask(mad, info);
	info[36] = nodes[node].info[36];
	assert_memory_equal(info, nodes[node].info, sizeof(info));
}

/* Prepares a route to the spine by LID, and along the rest of the line by ports. */
static struct madring_mad *from_spine(unsigned int hops)
{
	struct madring_mad *mad = prepared(line + SPINE, hops, NODE_INFO, 0);

	assert_int_equal(madring_smp_dr_from(mad, nodes[SPINE].lid, nodes[HERE].lid), 0);
	return mad;
}

static void test_begun_by_lid(void **state)
{
	for (unsigned int hops = 0; hops <= 2; hops++)
		expect(from_spine(hops), SPINE + hops);
}

static void test_ended_by_lid(void **state)
{
	for (unsigned int hops = 1; hops <= 3; hops++) {
		struct madring_mad *mad = prepared(line, hops, NODE_INFO, 0);

		assert_int_equal(madring_smp_dr_to(mad, nodes[HOST].lid), 0);
		expect(mad, HOST);
	}
}

static void test_begun_and_ended_by_lid(void **state)
{
	for (unsigned int hops = 0; hops <= 1; hops++) {
		struct madring_mad *mad = from_spine(hops);

		assert_int_equal(madring_smp_dr_to(mad, nodes[HOST].lid), 0);
		expect(mad, HOST);
	}
}

/* The end that a route has is its own node's LID. */
static void test_route_ended_by_the_lid_of_its_end(void **state)
{
	struct madring_mad *mad = prepared(line, LEAF, NODE_INFO, 0);

	assert_int_equal(madring_smp_dr_to(mad, nodes[LEAF].lid), 0);
	expect(mad, LEAF);
}

/* A host passes nothing on by LID. The kernel refuses to send what would ask it to. */
static void test_a_host_passes_nothing_on(void **state)
{
	struct madring_mad *mad = prepared(line, HERE, NODE_INFO, 0);

	assert_int_equal(madring_smp_dr_to(mad, nodes[HOST].lid), 0);
	local_ask_in_vain(&local, agent, mad, local_has_driver() ? -EINVAL : -ETIMEDOUT);
}

/* A route that is longer than there is room for is refused by the kernel, or lost in the fabric. */
static void test_too_many_hops(void **state)
{
	static const uint8_t hops[] = { 64, 65, 128, 255 };

	for (size_t i = 0; i < sizeof(hops); i++) {
		struct madring_mad *mad = prepared(line, HERE, NODE_INFO, 0);

		madring_mad_header(mad)->class_specific = htobe16(hops[i]);
		local_ask_in_vain(&local, agent, mad, local_has_driver() ? -EINVAL : -ETIMEDOUT);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_begun_by_lid),
	cmocka_unit_test(test_ended_by_lid),
	cmocka_unit_test(test_begun_and_ended_by_lid),
	cmocka_unit_test(test_route_ended_by_the_lid_of_its_end),
	cmocka_unit_test(test_a_host_passes_nothing_on),
	cmocka_unit_test(test_too_many_hops),
};

TEST_MAIN(tests, setup, teardown)
