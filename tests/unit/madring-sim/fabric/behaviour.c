/* SPDX-License-Identifier: BSD-2-Clause */
/* The time that MADs take in queues and nodes, and random faults. */
#include <errno.h>
#include <string.h>

#include <infiniband/mad.h>

#include "timed_support.h"

#define TRANSIT	 4000
#define HOST	 12000
#define TRAINING (100 * MS)

#define UNKNOWN_ATTRIBUTE 0x7777

#define METHOD 3 /* where it stands in a MAD */

static int set_up(void **state)
{
	open_timed(&real_nodes);
	return 0;
}

static void what_a_round_trip_takes(void **state)
{
	struct fabric_model model = real_nodes;

	send_at(0, 0);
	expect_answer_at(HOST);
	send_at(MS, 1);
	expect_answer_at(MS + 2 * HOP + SWITCH);
	send_at(2 * MS, 2);
	expect_answer_at(2 * MS + 4 * HOP + 2 * TRANSIT + SWITCH);
	send_at(3 * MS, 3);
	expect_answer_at(3 * MS + 6 * HOP + 4 * TRANSIT + HOST);
	model.hop = 1;
	model.transit = 10;
	model.service[NODE_CA] = 100;
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	send_at(4 * MS, 3);
	expect_answer_at(4 * MS + 6 + 40 + 100);
}

static void one_at_a_time(void **state)
{
	struct fabric_work work;

	for (unsigned int i = 0; i < 4; i++)
		send_at(0, 2);
	for (unsigned int i = 0; i < 4; i++)
		expect_answer_at(4 * HOP + 2 * TRANSIT + (i + 1) * SWITCH);
	fabric_work(fabric, named("right"), &work);
	assert_int_equal(work.served, 4);
	assert_int_equal(work.agent_busy, 4 * SWITCH);
	assert_int_equal(work.passed_on, 0);
	fabric_work(fabric, named("left"), &work);
	assert_int_equal(work.served, 0);
	assert_int_equal(work.passed_on, 8);
	assert_int_equal(work.transit_busy, 8 * TRANSIT);
}

/* The SMI of left has ten requests to pass on before the first answer is back there. */
static void the_smi_is_shared_by_both_ways(void **state)
{
	for (unsigned int i = 0; i < 10; i++)
		send_at(0, 2);
	expect_answer_at(HOP + 11 * TRANSIT + HOP);
}

static void a_full_queue_drops(void **state)
{
	struct fabric_model model = real_nodes;

	model.queue = 4;
	fabric_set_model(fabric, &model);
	for (unsigned int i = 0; i < 10; i++)
		send_at(0, 1);
	for (unsigned int i = 0; i < 4; i++)
		expect_answer_at(2 * HOP + (i + 1) * SWITCH);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_FULL), 6);
	/* The queue has room again. */
	send_at(MS, 1);
	expect_answer_at(MS + 2 * HOP + SWITCH);
}

/* Both ports of the HCA ask the same switch, by two of its ports. */
static void ports_have_separate_queues(void **state)
{
	const struct fabric_packet other = directed(IB_ATTR_NODE_INFO, 0, 1, (uint8_t[]){ 2 });
	struct fabric_model model = real_nodes;
	struct fabric_packet answer;
	unsigned int came = 0;
	int at, second = fabric_attach(fabric, topology_find(topology, "dual"), 2);

	assert_true(second >= 0);
	model.queue = 4;
	fabric_set_model(fabric, &model);
	for (unsigned int i = 0; i < 10; i++) {
		send_at(0, 2);
		fabric_send(fabric, second, &other, 0);
	}
	while (fabric_receive(fabric, MS, &at, &answer))
		came++;
	/* Four by the short way; by the other one as many as left's SMI lets through at a time. */
	assert_int_equal(came, 8);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 12);
}

static void stalled_and_late(void **state)
{
	fabric_stall(fabric, named("left"), 100 * MS);
	send_at(0, 1);
	expect_answer_at(100 * MS + SWITCH + HOP);
	/* A stalled switch passes nothing on, either. */
	fabric_stall(fabric, named("left"), 10 * MS);
	send_at(101 * MS, 2);
	expect_answer_at(110 * MS + (SWITCH + HOP) + 3 * HOP + 2 * TRANSIT + SWITCH);
	fabric_set_lateness(fabric, named("left"), 5 * MS);
	send_at(200 * MS, 1);
	send_at(200 * MS, 1);
	expect_answer_at(205 * MS + 2 * HOP + SWITCH);
	expect_answer_at(205 * MS + 2 * HOP + 2 * SWITCH);
	fabric_set_lateness(fabric, named("left"), 0);
	fabric_set_service(fabric, named("left"), 7);
	send_at(300 * MS, 1);
	expect_answer_at(300 * MS + 2 * HOP + 7);
	fabric_set_service(fabric, named("left"), FABRIC_AS_MODEL);
	send_at(400 * MS, 1);
	expect_answer_at(400 * MS + 2 * HOP + SWITCH);
}

static void hung_and_dead(void **state)
{
	fabric_set_health(fabric, named("left"), FABRIC_HUNG);
	send_at(0, 1);
	expect_silence();
	send_at(MS, 2);
	expect_answer_at(MS + 4 * HOP + 2 * TRANSIT + SWITCH);
	fabric_set_health(fabric, named("left"), FABRIC_DEAD);
	send_at(2 * MS, 1);
	send_at(2 * MS, 2);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 3);
	/* The request that the node worked on when it hung is lost. */
	fabric_set_health(fabric, named("left"), FABRIC_WELL);
	send_at(3 * MS, 1);
	fabric_run(fabric, 3 * MS + HOP + 1);
	fabric_set_health(fabric, named("left"), FABRIC_HUNG);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 4);
}

static uint32_t port_field(uint64_t now, unsigned int hops, unsigned int port,
			   enum MAD_FIELDS field)
{
	const struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, port, hops, to_host);
	struct fabric_packet answer;

	fabric_send(fabric, endpoint, &packet, now);
	assert_int_not_equal(next_answer(&answer), FABRIC_NEVER);
	return mad_get_field(data_of(&answer), 0, field);
}

static uint32_t state_change(uint64_t now)
{
	const struct fabric_packet packet = directed(IB_ATTR_SWITCH_INFO, 0, 1, to_host);
	struct fabric_packet answer;

	fabric_send(fabric, endpoint, &packet, now);
	assert_int_not_equal(next_answer(&answer), FABRIC_NEVER);
	return mad_get_field(data_of(&answer), 0, IB_SW_STATE_CHANGE_F);
}

static void clear_state_change(uint64_t now)
{
	struct fabric_packet packet = directed(IB_ATTR_SWITCH_INFO, 0, 1, to_host), answer;

	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&packet), 0, IB_SW_STATE_CHANGE_F, 1);
	fabric_send(fabric, endpoint, &packet, now);
	assert_int_not_equal(next_answer(&answer), FABRIC_NEVER);
}

static void a_cable_taken_out(void **state)
{
	clear_state_change(0);
	assert_int_equal(port_field(MS, 1, 2, IB_PORT_STATE_F), 2);
	assert_int_equal(fabric_set_cable(fabric, named("left"), 0, false), -EINVAL);
	assert_int_equal(fabric_set_cable(fabric, named("left"), 4, false), -EINVAL);
	assert_int_equal(fabric_set_cable(fabric, named("left"), 9, false), -EINVAL);
	assert_int_equal(state_change(2 * MS), 0);
	/* A cable that is pulled out loses the packets on it. */
	send_at(3 * MS, 2);
	fabric_run(fabric, 3 * MS + HOP + TRANSIT + 1);
	assert_int_equal(fabric_set_cable(fabric, named("right"), 2, false), 0);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_NO_LINK), 1);
	assert_int_equal(port_field(4 * MS, 1, 2, IB_PORT_STATE_F), 1);
	assert_int_equal(port_field(5 * MS, 1, 2, IB_PORT_PHYS_STATE_F), 2);
	assert_int_equal(state_change(6 * MS), 1);
	clear_state_change(7 * MS);
	send_at(8 * MS, 2);
	expect_silence();

	assert_int_equal(fabric_set_cable(fabric, named("left"), 2, true), 0);
	fabric_run(fabric, 9 * MS);
	assert_int_equal(port_field(10 * MS, 1, 2, IB_PORT_STATE_F), 1);
	fabric_run(fabric, 9 * MS + TRAINING);
	assert_int_equal(port_field(10 * MS + TRAINING, 1, 2, IB_PORT_STATE_F), 2);
	assert_int_equal(port_field(11 * MS + TRAINING, 1, 2, IB_PORT_PHYS_STATE_F), 5);
	assert_int_equal(state_change(12 * MS + TRAINING), 1);
}

/* The cable is out again before its link is up: only the second training counts. */
static void a_cable_that_flaps(void **state)
{
	fabric_set_cable(fabric, named("left"), 2, false);
	fabric_set_cable(fabric, named("left"), 2, true);
	fabric_run(fabric, TRAINING / 2);
	fabric_set_cable(fabric, named("left"), 2, false);
	fabric_set_cable(fabric, named("left"), 2, true);
	fabric_run(fabric, TRAINING + 1);
	assert_int_equal(port_field(TRAINING + MS, 1, 2, IB_PORT_STATE_F), 1);
	fabric_run(fabric, TRAINING / 2 + TRAINING);
	assert_int_equal(port_field(2 * (uint64_t)TRAINING, 1, 2, IB_PORT_STATE_F), 2);
}

static void off_and_on(void **state)
{
	struct fabric_model model = real_nodes;

	model.training = 0;
	fabric_set_model(fabric, &model);
	fabric_set_health(fabric, named("right"), FABRIC_OFF);
	send_at(0, 2);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_NO_LINK), 1);
	assert_int_equal(port_field(MS, 1, 2, IB_PORT_STATE_F), 1);
	assert_int_equal(port_field(2 * MS, 1, 3, IB_PORT_STATE_F), 1);
	fabric_set_health(fabric, named("right"), FABRIC_WELL);
	assert_int_equal(port_field(3 * MS, 1, 3, IB_PORT_STATE_F), 2);
	assert_int_equal(port_field(4 * MS, 2, 4, IB_PORT_STATE_F), 2);
	assert_int_equal(port_field(5 * MS, 2, 0, IB_PORT_LID_F), 0);
}

/* A manager answers the requests of other nodes. */
static void answers_are_not_requests(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_SMINFO, 0, 1, to_host);

	fabric_send(fabric, endpoint, &packet, 0);
	packet.mad[METHOD] = IB_MAD_METHOD_GET_RESPONSE;
	fabric_send(fabric, endpoint, &packet, MS);
	assert_int_equal(fabric_stats(fabric)->sent, 2);
	assert_int_equal(fabric_stats(fabric)->kind_count, 1);
	assert_int_equal(fabric_stats(fabric)->kind[0].sent, 1);
}

static void duplicates(void **state)
{
	struct fabric_model model = fabric_ideal;

	model.duplicate = 1;
	fabric_set_model(fabric, &model);
	send_at(5, 2);
	/* The request twice, and each of its answers. */
	for (unsigned int i = 0; i < 4; i++)
		expect_answer_at(5);
	expect_silence();
	assert_int_equal(fabric_stats(fabric)->duplicated, 3);
	send_at(6, 0);
	expect_answer_at(6);
	expect_silence();
}

/* A bit flips in each request and each answer: some are no request any more, or lose their way. */
static void corruption(void **state)
{
	const struct fabric_packet packet = directed(UNKNOWN_ATTRIBUTE, 0, 1, to_host);
	struct fabric_model model = fabric_ideal;
	struct fabric_packet answer;
	unsigned int came = 0;

	model.corrupt = 1;
	fabric_set_model(fabric, &model);
	for (unsigned int i = 0; i < 1000; i++) {
		fabric_send(fabric, endpoint, &packet, i);
		came += next_answer(&answer) != FABRIC_NEVER;
	}
	assert_in_range(came, 500, 999);
	assert_in_range(fabric_stats(fabric)->corrupted, 1000 + came, 2000);
}

static void reordering(void **state)
{
	struct fabric_model model = fabric_ideal;
	struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, 2, to_host), answer;
	uint64_t last = 0, tid, overtaken = 0;
	unsigned int i;
	int at;

	model.reorder = 0.5;
	model.reorder_delay = 1000;
	fabric_set_model(fabric, &model);
	for (i = 1; i <= 1000; i++) {
		mad_set_field64(packet.mad, 0, IB_MAD_TRID_F, i);
		fabric_send(fabric, endpoint, &packet, i * 10);
	}
	for (i = 0; fabric_receive(fabric, MS, &at, &answer); i++) {
		tid = mad_get_field64(answer.mad, 0, IB_MAD_TRID_F);
		overtaken += tid < last;
		last = tid;
	}
	assert_int_equal(i, 1000);
	assert_in_range(overtaken, 100, 900);
	assert_in_range(fabric_stats(fabric)->reordered, 800, 1200);
}

/* A sweep's chain: each node is asked when the one before it has answered. */
static void the_longest_chain(void **state)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	const uint64_t to_left = 2 * HOP + SWITCH, to_right = 4 * HOP + 2 * TRANSIT + SWITCH;

	send_at(0, 2);
	expect_answer_at(to_right);
	assert_int_equal(stats->chain.trips, 1);
	assert_int_equal(stats->chain.ns, to_right);
	send_at(MS, 0);
	expect_answer_at(MS + HOST);
	send_at(2 * MS, 1);
	expect_answer_at(2 * MS + to_left);
	assert_int_equal(stats->chain.trips, 1);
	send_at(3 * MS, 2);
	expect_answer_at(3 * MS + to_right);
	assert_int_equal(stats->chain.trips, 2);
	assert_int_equal(stats->chain.ns, to_left + to_right);
	/* Waiting is no part of it. */
	send_at(4 * MS, 2);
	send_at(4 * MS, 2);
	expect_answer_at(4 * MS + to_right);
	expect_answer_at(4 * MS + to_right + SWITCH);
	assert_int_equal(stats->chain.ns, to_left + to_right);
	assert_int_equal(stats->kind_count, 1);
	assert_int_equal(stats->kind[0].attribute, IB_ATTR_NODE_INFO);
	assert_int_equal(stats->kind[0].sent, 6);
	assert_int_equal(stats->kind[0].answered, 6);
}

static void invalid_models_are_refused(void **state)
{
	struct fabric_model model = fabric_ideal;

	model.duplicate = 1.5;
	assert_int_equal(fabric_set_model(fabric, &model), -EINVAL);
	model = fabric_ideal;
	model.reorder = -0.1;
	assert_int_equal(fabric_set_model(fabric, &model), -EINVAL);
	model = fabric_ideal;
	model.corrupt = 0.0 / 0.0;
	assert_int_equal(fabric_set_model(fabric, &model), -EINVAL);
	assert_memory_equal(fabric_model(fabric), &real_nodes, sizeof(real_nodes));
}

#define BEHAVIOUR_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	BEHAVIOUR_TEST(what_a_round_trip_takes),
	BEHAVIOUR_TEST(one_at_a_time),
	BEHAVIOUR_TEST(the_smi_is_shared_by_both_ways),
	BEHAVIOUR_TEST(a_full_queue_drops),
	BEHAVIOUR_TEST(ports_have_separate_queues),
	BEHAVIOUR_TEST(stalled_and_late),
	BEHAVIOUR_TEST(hung_and_dead),
	BEHAVIOUR_TEST(a_cable_taken_out),
	BEHAVIOUR_TEST(a_cable_that_flaps),
	BEHAVIOUR_TEST(off_and_on),
	BEHAVIOUR_TEST(answers_are_not_requests),
	BEHAVIOUR_TEST(duplicates),
	BEHAVIOUR_TEST(corruption),
	BEHAVIOUR_TEST(reordering),
	BEHAVIOUR_TEST(the_longest_chain),
	BEHAVIOUR_TEST(invalid_models_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
