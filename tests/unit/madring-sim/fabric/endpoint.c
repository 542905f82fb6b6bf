/* SPDX-License-Identifier: BSD-2-Clause */
/* The host of an endpoint: MADs wait there for the kernel, or find no room. */
#include <infiniband/mad.h>

#include "fabric/routing.h"
#include "pma_support.h"
#include "timed_support.h"

#define KERNEL	  1500
#define SMP_BYTES 290
#define HOSTS	  101

/* The places of fields in a MAD. */
#define METHOD 3
#define TID    8

/* An ideal fabric with a host that takes its time. */
static const struct fabric_model ideal = {
	.local_service = KERNEL,
	.local_vl15 = 8192,
	.local_receive_buffers = 512,
};

static const struct topology_node *attached;

static int set_up(void **state)
{
	open_timed(&ideal);
	attached = named("dual");
	return 0;
}

static int set_up_routed(void **state)
{
	set_up(state);
	return fabric_route(fabric, attached, 1);
}

static void set_model(const struct fabric_model *model)
{
	assert_int_equal(fabric_set_model(fabric, model), 0);
}

static uint64_t vl15_dropped(void)
{
	uint64_t value;

	assert_int_equal(fabric_get_counter(fabric, attached, 1, FABRIC_VL15_DROPPED, &value), 0);
	return value;
}

static uint16_t lid_of(const struct topology_node *node, unsigned int port)
{
	struct fabric_port_state state;

	fabric_view_port(fabric, node, port, &state);
	return state.lid;
}

static void send_numbered(uint64_t now, struct fabric_packet packet, uint16_t number)
{
	memcpy(packet.mad + TID, &number, sizeof(number));
	fabric_send(fabric, endpoint, &packet, now);
}

/* Sends so many SMPs to the next switch at once, with the TIDs from @first on. */
static void send_smps(uint64_t now, unsigned int count, unsigned int first)
{
	for (unsigned int i = 0; i < count; i++)
		send_numbered(now, directed(IB_ATTR_NODE_INFO, 0, 1, to_host),
			      (uint16_t)(first + i));
}

static void send_gmps(uint64_t now, unsigned int count, unsigned int first)
{
	struct fabric_packet packet = pma_packet(GET, CLASS_PORT_INFO_ID, 1);

	packet.dlid = lid_of(named("left"), 0);
	for (unsigned int i = 0; i < count; i++)
		send_numbered(now, packet, (uint16_t)(first + i));
}

/* The next reply must come at a time, with this TID. */
static void expect_reply(uint64_t time, unsigned int number)
{
	struct fabric_packet answer;
	uint16_t tid;

	assert_int_equal(next_answer(&answer), time);
	memcpy(&tid, answer.mad + TID, sizeof(tid));
	assert_int_equal(tid, number);
}

/* The next replies come one after the other, as the kernel takes them, from @start on. */
static void expect_replies(uint64_t start, unsigned int count, unsigned int first)
{
	for (unsigned int i = 0; i < count; i++)
		expect_reply(start + (i + 1) * KERNEL, first + i);
}

/* 28 SMPs have 8,120 bytes. The one that the kernel is taking still stands in the buffer. */
static void a_burst_of_smps(void **state)
{
	send_smps(0, 29, 0);
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_VL15), 1);
	assert_int_equal(vl15_dropped(), 1);
	fabric_run(fabric, KERNEL - 1);
	send_smps(KERNEL - 1, 1, 29);
	assert_int_equal(vl15_dropped(), 2);
	/* The kernel has taken one: there is room for one. */
	expect_reply(KERNEL, 0);
	send_smps(KERNEL, 2, 30);
	assert_int_equal(vl15_dropped(), 3);
	expect_replies(KERNEL, 27, 1);
	expect_reply(29 * KERNEL, 30);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_VL15), 3);
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_RECEIVE), 0);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 0);
}

static void buffer_holds_its_number_of_bytes(void **state)
{
	struct fabric_model model = ideal;

	model.local_vl15 = 3 * SMP_BYTES;
	set_model(&model);
	send_smps(0, 4, 0);
	expect_replies(0, 3, 0);
	expect_silence();
	model.local_vl15--;
	set_model(&model);
	send_smps(MS, 4, 0);
	expect_replies(MS, 2, 0);
	expect_silence();
	model.local_vl15 = SMP_BYTES - 1;
	set_model(&model);
	send_smps(2 * MS, 1, 0);
	expect_silence();
	assert_int_equal(vl15_dropped(), 1 + 2 + 1);
	/* 0 is no limit. */
	model.local_vl15 = 0;
	set_model(&model);
	send_smps(3 * MS, 500, 0);
	expect_replies(3 * MS, 500, 0);
	assert_int_equal(vl15_dropped(), 4);
}

/* QP0 and QP1 have their own buffers; the kernel takes all MADs in the order of their arrival. */
static void receive_buffers(void **state)
{
	struct fabric_model model = ideal;

	model.local_vl15 = 0;
	model.local_receive_buffers = 4;
	set_model(&model);
	send_gmps(0, 3, 0);
	send_smps(0, 2, 3);
	send_gmps(0, 1, 5);
	send_gmps(0, 1, 100);
	send_smps(0, 2, 6);
	send_smps(0, 2, 101);
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_RECEIVE), 1 + 2);
	expect_replies(0, 8, 0);
	expect_silence();
	/* A QP without a receive buffer is not a port without one. */
	assert_int_equal(vl15_dropped(), 0);
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_VL15), 0);
	model.local_receive_buffers = 0;
	set_model(&model);
	send_gmps(MS, 1000, 0);
	expect_replies(MS, 1000, 0);
}

/* GMPs come on other VLs, and leave VL15's buffer to SMPs. */
static void gmps_need_no_vl15(void **state)
{
	send_gmps(0, 513, 0);
	send_smps(0, 28, 512);
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_RECEIVE), 1);
	expect_replies(0, 512 + 28, 0);
	expect_silence();
	assert_int_equal(vl15_dropped(), 0);
}

static void own_mads_do_not_wait(void **state)
{
	const struct fabric_packet own = directed(IB_ATTR_NODE_INFO, 0, 0, NULL);

	send_smps(5, 28, 0);
	send_numbered(5, own, 77);
	expect_reply(5, 77);
	expect_replies(5, 28, 0);
	assert_int_equal(vl15_dropped(), 0);
}

/* A request of another host waits, too, and its manager's reply waits there. */
static void requests(void **state)
{
	struct fabric_packet packet = pma_packet(GET, CLASS_PORT_INFO_ID, 1), out;
	int at, host = fabric_attach(fabric, topology_find(topology, "host"), 1);

	packet.mad[1] = 0x32; /* a vendor's class */
	packet.dlid = lid_of(named("host"), 1);
	fabric_send(fabric, endpoint, &packet, 0);
	assert_false(fabric_receive(fabric, KERNEL - 1, &at, &out));
	assert_true(fabric_receive(fabric, KERNEL, &at, &out));
	assert_int_equal(at, host);
	fabric_turn(&out);
	out.mad[METHOD] = IB_MAD_METHOD_GET_RESPONSE;
	fabric_send(fabric, host, &out, KERNEL);
	expect_answer_at(2 * KERNEL);
	expect_silence();
}

/* MADs that wait in a host are lost when it is switched off, and leave the buffers empty. */
static void off_and_on(void **state)
{
	send_smps(0, 28, 0);
	expect_reply(KERNEL, 0);
	fabric_set_health(fabric, attached, FABRIC_OFF);
	fabric_set_health(fabric, attached, FABRIC_WELL);
	send_smps(KERNEL, 29, 50);
	assert_int_equal(vl15_dropped(), 1);
	expect_replies(KERNEL, 28, 50);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 27);
	send_smps(MS, 29, 0);
	assert_int_equal(vl15_dropped(), 2);
}

/* The kernel becomes fast while MADs wait: none overtakes them. */
static void order(void **state)
{
	send_smps(0, 2, 0);
	set_model(&fabric_ideal);
	send_smps(1, 1, 2);
	expect_reply(KERNEL, 0);
	send_smps(2 * KERNEL - 1, 1, 3);
	expect_reply(2 * KERNEL, 1);
	expect_reply(2 * KERNEL, 2);
	expect_reply(2 * KERNEL, 3);
	send_smps(2 * KERNEL, 1, 4);
	expect_reply(2 * KERNEL, 4);
}

/* The kernel is held up: MADs come out when it is back, and the buffer holds 28 until then. */
static void a_kernel_that_pauses(void **state)
{
	struct fabric_model model = ideal;

	send_smps(0, 2, 0);
	expect_reply(KERNEL, 0);
	fabric_pause(fabric, attached, 2 * MS);
	/* The one that it was to take next is taken at its time. */
	expect_reply(2 * KERNEL, 1);
	send_smps(MS, 30, 2);
	assert_int_equal(vl15_dropped(), 2);
	expect_replies(2 * KERNEL + 2 * MS, 28, 2);
	expect_silence();

	/* So does one that needs no time. */
	model.local_service = 0;
	set_model(&model);
	send_smps(3 * MS, 40, 0);
	for (unsigned int i = 0; i < 40; i++)
		expect_reply(3 * MS, i);
	fabric_pause(fabric, attached, MS);
	fabric_pause(fabric, named("left"), 5 * MS);
	send_smps(3 * MS + 1, 29, 0);
	for (unsigned int i = 0; i < 28; i++)
		expect_reply(4 * MS, i);
	send_smps(4 * MS, 40, 0);
	for (unsigned int i = 0; i < 40; i++)
		expect_reply(4 * MS, i);
	assert_int_equal(vl15_dropped(), 3);
}

static void the_lower_bound(void **state)
{
	struct fabric_work work;

	fabric_work(fabric, attached, &work);
	assert_int_equal(work.taken, 0);
	send_smps(0, 20, 0);
	send_smps(0, 1, 20);
	fabric_work(fabric, attached, &work);
	assert_int_equal(work.taken, 21);
	assert_int_equal(work.kernel_busy, 21 * KERNEL);
	assert_int_equal(work.served, 0);
	expect_replies(0, 21, 0);
	/* A round trip cannot be shorter than what the kernel needs for its reply. */
	assert_int_equal(fabric_stats(fabric)->chain.ns, KERNEL);
	fabric_work(fabric, named("left"), &work);
	assert_int_equal(work.taken, 0);
	assert_int_equal(work.kernel_busy, 0);
}

static int set_up_hosts(void **state)
{
	struct fabric_model model = fabric_modelled;

	topology = generate("fat-tree:leafs=1,spines=1,hosts=101");
	attached = topology_find(topology, "host-00-00");
	fabric = open_fabric(topology, attached->id, 1, &endpoint);
	assert_int_equal(fabric_route(fabric, attached, 1), 0);
	model.local_vl15 = 8192;
	set_model(&model);
	return 0;
}

/* Asks all other hosts at once. Their replies arrive at once, too. */
static void ask_hosts(uint64_t now)
{
	unsigned int number = 0;

	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		if (node->type == NODE_CA && node != attached)
			send_numbered(now, to_lid(lid_of(node, 1), IB_ATTR_NODE_INFO, 0),
				      (uint16_t)number++);
	}
	assert_int_equal(number, HOSTS - 1);
}

/* The replies of a hundred hosts overrun 8 KiB, and not the 32 KiB of profile real. */
static void all_hosts_at_once(void **state)
{
	const uint64_t arrival = 4 * HOP + fabric_modelled.service[NODE_CA];

	ask_hosts(0);
	expect_replies(arrival, 28, 0);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_LOCAL_VL15), 72);
	assert_int_equal(vl15_dropped(), 72);

	set_model(&fabric_modelled);
	ask_hosts(MS);
	expect_replies(MS + arrival, HOSTS - 1, 0);
	expect_silence();
	assert_int_equal(vl15_dropped(), 72);
	for (int cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		assert_int_equal(dropped(cause), cause == FABRIC_DROP_LOCAL_VL15 ? 72 : 0);
}

#define ENDPOINT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define ROUTED_TEST(test)   cmocka_unit_test_setup_teardown(test, set_up_routed, tear_down)

static const struct CMUnitTest tests[] = {
	ENDPOINT_TEST(a_burst_of_smps),
	ENDPOINT_TEST(buffer_holds_its_number_of_bytes),
	ROUTED_TEST(receive_buffers),
	ROUTED_TEST(gmps_need_no_vl15),
	ENDPOINT_TEST(own_mads_do_not_wait),
	ROUTED_TEST(requests),
	ENDPOINT_TEST(off_and_on),
	ENDPOINT_TEST(order),
	ENDPOINT_TEST(a_kernel_that_pauses),
	ENDPOINT_TEST(the_lower_bound),
	cmocka_unit_test_setup_teardown(all_hosts_at_once, set_up_hosts, tear_down),
};

TEST_MAIN(tests, NULL, NULL)
