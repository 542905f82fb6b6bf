/* SPDX-License-Identifier: BSD-2-Clause */
/* Each function that allocates, with its first, second, third... allocation failing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "unit/failing.h"
#include "pma_support.h"
#include "fabric/routing.h"
#include "support.h"
#include "fabric/walk.h"

typedef int (*make_fn)(struct topology **topology, const char *from, struct topology_error *error);

/* Repeats an attempt until it has no allocation left to fail. Returns the count of allocations. */
static unsigned int make_until_it_works(make_fn make, const char *from)
{
	struct topology *topology = NULL;
	struct topology_error error;
	unsigned int step = 0;
	int ret;

	do {
		fail_at = ++step;
		ret = make(&topology, from, &error);
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_string_equal(error.text, "out of memory");
		}
	} while (ret);
	assert_true(fail_at);
	fail_at = 0;
	topology_free(topology);
	return step - 1;
}

static void reading(void **state)
{
	assert_true(make_until_it_works(topology_read, TOPOLOGY_DATA "/two-switches.net") > 20);
	assert_true(make_until_it_works(topology_read, TOPOLOGY_DATA "/saved.topology") > 20);
	assert_true(make_until_it_works(topology_read, TOPOLOGY_DATA "/alias.net") > 10);
}

static void generating(void **state)
{
	assert_true(make_until_it_works(topology_generate, "fat-tree:radix=8") > 100);
	assert_true(make_until_it_works(topology_generate, "dragonfly:a=4") > 50);
	assert_true(make_until_it_works(topology_generate, "torus:4x4") > 100);
}

static void opening(void **state)
{
	const struct fabric_config config = { .seed = 1 };
	struct topology *topology = read_data("two-switches.net");
	struct fabric *fabric = NULL;
	unsigned int step = 0;
	int ret;

	do {
		fail_at = ++step;
		ret = fabric_open(&fabric, topology, &config);
	} while (ret == -ENOMEM);
	assert_int_equal(ret, 0);
	assert_int_equal(step, 4);
	fail_at = 1;
	assert_int_equal(fabric_attach(fabric, topology->nodes[0], 1), -ENOMEM);
	assert_int_equal(fabric_attach(fabric, topology->nodes[0], 1), 0);
	fabric_close(fabric);
}

/* A packet that there is no memory for is dropped and counted; the next one gets through. */
static void sending(void **state)
{
	struct fabric_packet set = directed(IB_ATTR_LINEARFORWTBL, 0, 1, (const uint8_t[]){ 1 });
	struct fabric_packet answer;
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_SET);
	fail_at = 1; /* the packet */
	assert_false(ask(fabric, endpoint, &set, &answer));
	fail_at = 2; /* the forwarding table */
	assert_false(ask(fabric, endpoint, &set, &answer));
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_NO_MEMORY], 2);
	assert_true(ask(fabric, endpoint, &set, &answer));
	fabric_close(fabric);
}

static void ring(struct fabric *fabric, void *user)
{
	++*(int *)user;
}

/* A reply that cannot wait for the kernel is dropped, and the next one finds its place free. */
static void waiting(void **state)
{
	const struct fabric_packet get = directed(IB_ATTR_NODE_INFO, 0, 1, (const uint8_t[]){ 1 });
	const struct fabric_model one = { .local_service = 5, .local_receive_buffers = 1 };
	struct fabric_packet answer;
	int endpoint, rung = 0;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	assert_true(ask(fabric, endpoint, &get, &answer));
	assert_int_equal(fabric_at(fabric, 50, ring, &rung), 0);
	assert_int_equal(fabric_set_model(fabric, &one), 0);
	fail_at = 1; /* its event; the count at the node has memory again */
	assert_false(ask(fabric, endpoint, &get, &answer));
	assert_int_equal(fail_at, 0);
	assert_int_equal(fabric_next_event(fabric), 50);
	assert_false(ask(fabric, endpoint, &get, &answer));
	assert_true(fabric_receive(fabric, 20, &endpoint, &answer));
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_NO_MEMORY], 1);
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_LOCAL_RECEIVE], 0);
	fabric_close(fabric);
}

/* A drop that a node has no memory to count counts in all. */
static void drops_of_a_node(void **state)
{
	const struct fabric_packet get = directed(IB_ATTR_NODE_INFO, 0, 1, (const uint8_t[]){ 1 });
	const struct topology_node *left;
	struct fabric_packet answer;
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	assert_true(ask(fabric, endpoint, &get, &answer));
	left = topology_find(fabric_topology(fabric), "left");
	fabric_set_health(fabric, left, FABRIC_DEAD);
	for (unsigned int i = 0; i < 3; i++) {
		fail_at = !i;
		assert_false(ask(fabric, endpoint, &get, &answer));
		assert_int_equal(fail_at, 0);
		assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_DEAD], i + 1);
		assert_int_equal(fabric_dropped(fabric, left, FABRIC_DROP_DEAD), i);
	}
	fabric_close(fabric);
}

#define SET_BYTES 8 /* of each table, that are looked at */

/* A Set that there is no memory for changes nothing, however far it got. */
static void set_table(struct fabric *fabric, int endpoint, uint16_t attribute,
		      unsigned int allocations)
{
	struct fabric_packet get = directed(attribute, 1, 0, NULL), set = get, answer;

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_SET);
	/* The packet has its memory by now. To set what there is needs no more. */
	assert_true(ask(fabric, endpoint, &get, &answer));
	memcpy(data_of(&set), data_of(&answer), IB_SMP_DATA_SIZE);
	fail_at = 1;
	assert_true(ask(fabric, endpoint, &set, &answer));
	assert_int_equal(fail_at, 1);
	memset(data_of(&set), 0x77, IB_SMP_DATA_SIZE);
	for (unsigned int step = 1; step <= allocations; step++) {
		fail_at = step;
		assert_false(ask(fabric, endpoint, &set, &answer));
		assert_int_equal(fail_at, 0);
	}
	assert_true(ask(fabric, endpoint, &get, &answer));
	assert_memory_not_equal(data_of(&answer), data_of(&set), SET_BYTES);
	assert_true(ask(fabric, endpoint, &set, &answer));
	assert_true(ask(fabric, endpoint, &get, &answer));
	assert_memory_equal(data_of(&answer), data_of(&set), SET_BYTES);
}

/* The first of a port's tables needs the list of them too. */
static void setting(void **state)
{
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	set_table(fabric, endpoint, IB_ATTR_PKEY_TBL, 2);
	set_table(fabric, endpoint, IB_ATTR_SLVL_TABLE, 1);
	set_table(fabric, endpoint, IB_ATTR_GUID_INFO, 1);
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_NO_MEMORY], 4);
	fabric_close(fabric);
}

/* A trap that cannot be sent, or not again, is as if nothing had happened. */
static void telling(void **state)
{
	struct fabric_packet set = directed(IB_ATTR_PORT_INFO, 0, 0, NULL), answer;
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	assert_true(ask(fabric, endpoint, &set, &answer));
	set = directed(IB_ATTR_PORT_INFO, 0, 0, NULL);
	memcpy(data_of(&set), data_of(&answer), IB_SMP_DATA_SIZE);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, IB_MAD_METHOD_SET);
	mad_set_field(data_of(&set), 0, IB_PORT_LID_F, 1);
	mad_set_field(data_of(&set), 0, IB_PORT_SMLID_F, 1);
	mad_set_field(data_of(&set), 0, IB_PORT_STATE_F, 0);
	mad_set_field(data_of(&set), 0, IB_PORT_PHYS_STATE_F, 0);
	assert_true(ask(fabric, endpoint, &set, &answer));
	for (unsigned int step = 1; step <= 2; step++) {
		fail_at = step;
		fabric_set_is_sm(fabric, endpoint, step == 1);
		assert_int_equal(fail_at, 0);
		assert_int_equal(fabric_next_event(fabric), step == 1 ? FABRIC_NEVER : 10);
	}
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_NO_MEMORY], 2);
	fabric_close(fabric);
}

/* A timer that expires before the last one goes to the heap, which has to grow. */
static void timers(void **state)
{
	int endpoint, rung = 0;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);

	assert_int_equal(fabric_at(fabric, 50, ring, &rung), 0);
	fail_at = 1;
	assert_int_equal(fabric_at(fabric, 20, ring, &rung), -ENOMEM);
	fail_at = 2;
	assert_int_equal(fabric_at(fabric, 20, ring, &rung), -ENOMEM);
	assert_int_equal(fabric_next_event(fabric), 50);
	assert_int_equal(fabric_at(fabric, 20, ring, &rung), 0);
	assert_int_equal(fabric_next_event(fabric), 20);
	fabric_run(fabric, 49);
	assert_int_equal(rung, 1);
	fabric_close(fabric);
	assert_int_equal(rung, 1);
}

/* A failure leaves no trace: the next call works as if it were the first. */
static void routing_and_walking(void **state)
{
	int endpoint;
	struct topology *topology = generate("fat-tree:radix=4,levels=2");
	struct fabric *fabric = open_fabric(topology, topology->nodes[0]->id, 1, &endpoint);
	struct fabric_walk walk;
	unsigned int step = 0;
	int ret;

	do {
		fail_at = ++step;
		ret = fabric_route(fabric, topology->nodes[0], 1);
	} while (ret == -ENOMEM);
	assert_int_equal(ret, 0);
	assert_true(step > 6 + 4);
	step = 0;
	do {
		fail_at = ++step;
		ret = fabric_walk(fabric, &walk);
	} while (ret == -ENOMEM);
	assert_int_equal(ret, 0);
	assert_int_equal(step, 7);
	assert_true(walk_is_complete(&walk));
	fail_at = 0;
	fabric_close(fabric);
}

static const struct topology_node *left_of(struct fabric *fabric)
{
	return topology_find(fabric_topology(fabric), "left");
}

static int lay_traffic(struct fabric *fabric)
{
	const struct fabric_traffic traffic = { .xmit_bytes = 4, .rcv_bytes = 4, .xmit_wait = 1 };

	return fabric_set_traffic(fabric, left_of(fabric), 3, &traffic);
}

static int lay_flow(struct fabric *fabric)
{
	const struct fabric_flow flow = {
		.node = topology_find(fabric_topology(fabric), "dual"),
		.port = 1,
		.lid = fabric->nodes[topology_find(fabric_topology(fabric), "host")->index]
			       .port[1]
			       .lid,
		.bytes_per_second = 4,
		.packet_bytes = 4,
	};

	return fabric_add_flow(fabric, &flow);
}

static int set_by_mad(struct fabric *fabric)
{
	struct fabric_packet packet = pma_packet(SET, VL_XMIT_WAIT, ALL_PORTS);
	struct agent_request request = { .fabric = fabric,
					 .node = &fabric->nodes[left_of(fabric)->index],
					 .port = 1,
					 .packet = &packet };

	memset(packet.mad + PMA_DATA + 2, 0xff, PMA_DATA_BYTES - 2);
	if (pma_answer(&request) == AGENT_ANSWERED)
		return 0;
	assert_int_equal(request.drop, FABRIC_DROP_NO_MEMORY);
	return -ENOMEM;
}

/* Repeats @act until it works. The counters show nothing of failures, and all of the success. */
static void try_counting(int (*act)(struct fabric *fabric))
{
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	unsigned int step = 0, port;
	uint64_t value, sum;
	int ret;

	assert_int_equal(fabric_route(fabric, topology_find(fabric_topology(fabric), "dual"), 1),
			 0);
	do {
		fail_at = ++step;
		ret = act(fabric);
		fail_at = 0;
		fabric_run(fabric, step * UINT64_C(10000000000));
		for (port = 0, sum = 0; port <= 8; port++)
			for (unsigned int which = 0; which < FABRIC_COUNTERS; which++) {
				fabric_get_counter(fabric, left_of(fabric), port, which, &value);
				sum += value;
			}
		assert_int_equal(ret ? -ENOMEM : 0, ret);
		assert_int_equal(!sum, ret != 0);
	} while (ret);
	assert_true(step > 1);
	fabric_close(fabric);
}

static void counting(void **state)
{
	try_counting(lay_traffic);
	try_counting(lay_flow);
	try_counting(set_by_mad);
}

/* A session of samples that there is no memory for does not begin, or ends at once. */
static void sampling(void **state)
{
	int endpoint;
	struct fabric *fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	struct fabric_packet packet;

	for (unsigned int step = 1; step <= 2; step++) {
		packet = pma_packet(SET, SAMPLES_CONTROL, 1);
		fail_at = step;
		assert_int_equal(pma_ask(fabric, "left", 1, &packet), AGENT_DROPPED);
	}
	packet = pma_packet(SET, SAMPLES_CONTROL, 1);
	assert_int_equal(pma_ask(fabric, "left", 1, &packet), AGENT_ANSWERED);
	fail_at = 1; /* the timer for its end */
	fabric_run(fabric, 1);
	assert_int_equal(fail_at, 0);
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_NO_MEMORY], 1);
	pma_get(fabric, "left", SAMPLES_RESULT, 1, &packet);
	assert_int_equal(packet.mad[PMA_DATA + 3], 0);
	fabric_close(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reading),  cmocka_unit_test(generating),
	cmocka_unit_test(opening),  cmocka_unit_test(sending),
	cmocka_unit_test(timers),   cmocka_unit_test(routing_and_walking),
	cmocka_unit_test(counting), cmocka_unit_test(sampling),
	cmocka_unit_test(setting),  cmocka_unit_test(telling),
	cmocka_unit_test(waiting),  cmocka_unit_test(drops_of_a_node),
};

TEST_MAIN(tests, NULL, NULL)
