/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps: when they are sent, what they say, how often, and what silences them. */
#include <string.h>

#include "sma-support.h"

#define TRAP		 0x05
#define REPRESS		 0x07
#define NOTICE_ATTRIBUTE 0x02

#define MY_LID	  1
#define LEFT_LID  2
#define RIGHT_LID 3
#define HOST_LID  4

#define INTERVAL (4096ull << 18) /* by SubnetTimeOut */
#define KEY	 0xabcdef

static void give_lid(const struct route *route, uint32_t lid, uint32_t sm_lid)
{
	struct fabric_packet set = set_of(route, IB_ATTR_PORT_INFO, 0);

	change(&set, IB_PORT_LID_F, lid);
	change(&set, IB_PORT_SMLID_F, sm_lid);
	change(&set, IB_PORT_SMSL_F, 5);
	send_set(&set, 0);
}

/* Both switches send the one LID, mine, to me. */
static void forward(const struct route *route, uint8_t port)
{
	struct fabric_packet set = set_of(route, IB_ATTR_LINEARFORWTBL, 0);

	data_of(&set)[MY_LID] = port;
	data_of(&set)[LEFT_LID] = 2;
	data_of(&set)[RIGHT_LID] = route == &right ? 0 : 2;
	data_of(&set)[HOST_LID] = route == &right ? 4 : 2;
	if (route == &left)
		data_of(&set)[LEFT_LID] = 0;
	send_set(&set, 0);
	set_field(route, IB_ATTR_SWITCH_INFO, 0, IB_SW_LINEAR_FDB_TOP_F, 10, 0);
}

static int set_up_managed(void **state)
{
	set_up(state);
	forward(&left, 1);
	forward(&right, 2);
	give_lid(&here, MY_LID, MY_LID);
	give_lid(&left, LEFT_LID, MY_LID);
	give_lid(&right, RIGHT_LID, MY_LID);
	give_lid(&host, HOST_LID, MY_LID);
	return 0;
}

/* Whether a packet comes out at this time; it must be a trap. */
static bool next_trap(uint64_t now)
{
	int at;

	fabric_run(fabric, now);
	if (!fabric_receive(fabric, now, &at, &answer))
		return false;
	assert_int_equal(at, endpoint);
	assert_int_equal(answer.mad[3], TRAP);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_MGMTCLASS_F), IB_SMI_CLASS);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_ATTRID_F), NOTICE_ATTRIBUTE);
	assert_int_equal(mad_get_field64(answer.mad, 0, IB_MAD_MKEY_F), 0);
	assert_int_equal(field(IB_NOTICE_IS_GENERIC_F), 1);
	assert_int_equal(field(IB_NOTICE_TOGGLE_F), 0);
	assert_int_equal(field(IB_NOTICE_COUNT_F), 0);
	assert_int_equal(answer.dlid, MY_LID);
	assert_int_equal(answer.slid, field(IB_NOTICE_ISSUER_LID_F));
	assert_int_equal(answer.sl, 5);
	assert_int_equal(answer.sqp, 0);
	assert_int_equal(answer.dqp, 0);
	return true;
}

static void assert_trap(uint64_t now, uint32_t trap, uint16_t from)
{
	assert_true(next_trap(now));
	assert_int_equal(field(IB_NOTICE_TRAP_NUMBER_F), trap);
	assert_int_equal(answer.slid, from);
}

static void assert_silence(uint64_t now)
{
	assert_false(next_trap(now));
}

static uint64_t tid(void)
{
	return mad_get_field64(answer.mad, 0, IB_MAD_TRID_F);
}

/* Silences a trap that came, as managers do it: the same MAD, by its LID. */
static void repress(const struct fabric_packet *trap, uint64_t now)
{
	struct fabric_packet packet = *trap;
	uint64_t taken = fabric_stats(fabric)->answered;

	packet.slid = trap->dlid;
	packet.dlid = trap->slid;
	packet.mad[3] = REPRESS;
	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, mkey);
	fabric_send(fabric, endpoint, &packet, now);
	assert_int_equal(fabric_stats(fabric)->answered, taken);
}

static void set_cable(const char *name, unsigned int port, bool in)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), name);

	assert_int_equal(fabric_set_cable(fabric, node, port, in), 0);
}

/* Takes the cable between the switches out that the way to the manager does not need. */
static struct fabric_packet change_link(bool in, uint64_t now)
{
	struct fabric_packet left_trap;

	fabric_run(fabric, now);
	set_cable("right", 3, in);
	assert_true(next_trap(now));
	left_trap = answer;
	assert_true(next_trap(now));
	if (left_trap.slid == LEFT_LID)
		return left_trap;
	left_trap = answer;
	return left_trap;
}

static void link_of_two_switches(void **state)
{
	uint16_t first;

	(void)state;
	fabric_run(fabric, 20);
	set_cable("left", 3, false);
	assert_true(next_trap(20));
	first = answer.slid;
	assert_int_equal(field(IB_NOTICE_TRAP_NUMBER_F), 128);
	assert_int_equal(field(IB_NOTICE_TYPE_F), 1);
	assert_int_equal(field(IB_NOTICE_PRODUCER_F), NODE_SWITCH);
	assert_int_equal(field(IB_NOTICE_DATA_LID_F), first);
	assert_true(next_trap(20));
	assert_int_equal(field(IB_NOTICE_DATA_LID_F), LEFT_LID + RIGHT_LID - first);
	assert_silence(20);
	assert_int_equal(fabric_stats(fabric)->traps, 2);
}

/* Of a link to a host, the switch tells. */
static void link_of_a_host(void **state)
{
	(void)state;
	fabric_run(fabric, 20);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	assert_silence(20);
}

static void repeated_until_repressed(void **state)
{
	struct fabric_packet trap;
	uint64_t first, now = 20, i;

	(void)state;
	fabric_run(fabric, now);
	set_cable("host", 1, false);
	assert_trap(now, 128, RIGHT_LID);
	first = tid();
	for (i = 0; i < 5; i++) {
		assert_silence(now + INTERVAL - 1);
		now += INTERVAL;
		assert_trap(now, 128, RIGHT_LID);
		assert_int_equal(tid(), first);
		assert_silence(now);
	}
	trap = answer;
	/* Another's TID is another's. */
	mad_set_field64(trap.mad, 0, IB_MAD_TRID_F, first + 1);
	repress(&trap, now);
	now += INTERVAL;
	assert_trap(now, 128, RIGHT_LID);
	repress(&answer, now);
	assert_silence(now + 10 * INTERVAL);
	assert_int_equal(fabric_next_event(fabric), FABRIC_NEVER);
	assert_int_equal(fabric_stats(fabric)->traps, 7);
}

/* What happens while a trap is under way is told by one more, when that one is silenced. */
static void one_at_a_time(void **state)
{
	struct fabric_packet trap;
	uint64_t first;

	(void)state;
	fabric_run(fabric, 20);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	trap = answer;
	first = tid();
	set_cable("host", 1, true);
	set_cable("router", 1, false);
	set_cable("router", 1, true);
	assert_silence(20);
	assert_trap(20 + INTERVAL, 128, RIGHT_LID);
	assert_int_equal(tid(), first);
	repress(&trap, 30 + INTERVAL);
	assert_silence(19 + 2 * INTERVAL);
	assert_trap(20 + 2 * INTERVAL, 128, RIGHT_LID);
	assert_int_not_equal(tid(), first);
	repress(&answer, 20 + 2 * INTERVAL);
	assert_silence(20 + 9 * INTERVAL);
}

/* Repressed and quiet for a while, the next one is told at once. */
static void the_next_one(void **state)
{
	struct fabric_packet trap;
	uint64_t first;

	(void)state;
	trap = change_link(false, 20);
	first = mad_get_field64(trap.mad, 0, IB_MAD_TRID_F);
	repress(&trap, 25);
	trap = change_link(true, 20 + INTERVAL);
	assert_int_not_equal(mad_get_field64(trap.mad, 0, IB_MAD_TRID_F), first);
}

/* A lost trap is as good as one that was not repressed. */
static void lost(void **state)
{
	struct fabric_model model = *fabric_model(fabric);

	(void)state;
	model.loss = 1;
	fabric_run(fabric, 20);
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	set_cable("host", 1, false);
	assert_silence(20 + 3 * INTERVAL);
	model.loss = 0;
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	assert_trap(20 + 4 * INTERVAL, 128, RIGHT_LID);
}

/* The link that went down was the way to the manager. */
static void on_the_way(void **state)
{
	(void)state;
	fabric_run(fabric, 20);
	set_cable("left", 2, false);
	assert_trap(20, 128, LEFT_LID);
	assert_silence(20);
	assert_trap(20 + INTERVAL, 128, LEFT_LID);
	assert_silence(20 + INTERVAL);
	set_cable("left", 2, true);
	assert_true(next_trap(20 + 2 * INTERVAL));
	assert_true(next_trap(20 + 2 * INTERVAL));
	assert_silence(20 + 2 * INTERVAL);
}

static void nobody_to_tell(void **state)
{
	(void)state;
	fabric_close(fabric);
	set_up(state);
	fabric_run(fabric, 20);
	set_cable("left", 3, false);
	assert_silence(20 + INTERVAL);
	assert_int_equal(fabric_stats(fabric)->traps, 0);
	assert_int_equal(fabric_next_event(fabric), FABRIC_NEVER);
}

/* The interval is the port's own, though never so short that there is nothing but traps. */
static void subnet_timeout(void **state)
{
	(void)state;
	set_field(&right, IB_ATTR_PORT_INFO, 0, IB_PORT_SUBN_TIMEOUT_F, 10, 0);
	fabric_run(fabric, 20);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	assert_silence(19 + (4096 << 10));
	set_field(&right, IB_ATTR_PORT_INFO, 0, IB_PORT_SUBN_TIMEOUT_F, 0, 0);
	assert_trap(20 + (4096 << 10), 128, RIGHT_LID);
	assert_silence(19 + (4096 << 10) + (4096 << 8));
	assert_trap(20 + (4096 << 10) + (4096 << 8), 128, RIGHT_LID);
}

static void node_that_is_hung_or_off(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "right");

	(void)state;
	fabric_run(fabric, 20);
	fabric_set_health(fabric, node, FABRIC_HUNG);
	set_cable("host", 1, false);
	assert_silence(20 + 3 * INTERVAL);
	fabric_set_health(fabric, node, FABRIC_WELL);
	assert_trap(20 + 4 * INTERVAL, 128, RIGHT_LID);
	/* Off, it forgets; its neighbour tells, of two links. */
	fabric_set_health(fabric, node, FABRIC_OFF);
	assert_trap(20 + 4 * INTERVAL, 128, LEFT_LID);
	repress(&answer, 20 + 4 * INTERVAL);
	assert_trap(20 + 5 * INTERVAL, 128, LEFT_LID);
	repress(&answer, 20 + 5 * INTERVAL);
	assert_silence(20 + 9 * INTERVAL);
}

/* IsSM of a host, told to the manager that the host knows. */
static void manager_comes_and_goes(void **state)
{
	int other = fabric_attach(fabric, topology_find(fabric_topology(fabric), "host"), 1);
	struct fabric_port_state now;
	uint32_t mask;

	(void)state;
	fabric_run(fabric, 20);
	fabric_port_state(fabric, other, &now);
	mask = now.capability_mask;
	assert_int_equal(mask & 2, 0);
	fabric_set_is_sm(fabric, other, false);
	assert_silence(20);
	fabric_set_is_sm(fabric, other, true);
	assert_trap(20, 144, HOST_LID);
	assert_int_equal(field(IB_NOTICE_TYPE_F), 4);
	assert_int_equal(field(IB_NOTICE_PRODUCER_F), NODE_CA);
	assert_int_equal(field(IB_NOTICE_DATA_144_LID_F), HOST_LID);
	assert_int_equal(field(IB_NOTICE_DATA_144_CAPMASK_F), mask | 2);
	repress(&answer, 20);
	fabric_set_is_sm(fabric, other, true);
	assert_silence(20 + INTERVAL);
	fabric_set_is_sm(fabric, other, false);
	assert_trap(20 + INTERVAL, 144, HOST_LID);
	assert_int_equal(field(IB_NOTICE_DATA_144_CAPMASK_F), mask);
}

/* A switch does not claim to have that trap, but shows the bit. */
static void manager_at_a_switch(void **state)
{
	int other = fabric_attach(fabric, topology_find(fabric_topology(fabric), "right"), 0);

	(void)state;
	fabric_run(fabric, 20);
	fabric_set_is_sm(fabric, other, true);
	assert_silence(20 + INTERVAL);
	get(&right, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F) & 2, 2);
}

static void protect_right(void)
{
	struct fabric_packet set = set_of(&right, IB_ATTR_PORT_INFO, 0);

	change(&set, IB_PORT_MKEY_F, KEY);
	send_set(&set, 0);
	mkey = KEY;
}

/* Where the details of a wrong key stand in the notice. */
static const uint8_t *detail(unsigned int offset)
{
	return data_of(&answer) + offset;
}

static void wrong_key(void **state)
{
	static const uint8_t returns[] = { 1, 2 };
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 0x01020304, 2, right.path);

	(void)state;
	protect_right();
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, 0x1122334455667788);
	fabric_send(fabric, endpoint, &packet, 20);
	assert_trap(20, 256, RIGHT_LID);
	assert_int_equal(field(IB_NOTICE_TYPE_F), 2);
	assert_int_equal(field(IB_NOTICE_PRODUCER_F), NODE_SWITCH);
	assert_memory_equal(detail(12), "\xff\xff", 2);				/* its source LID */
	assert_memory_equal(detail(14), "\xff\xff", 2);				/* DrSLID */
	assert_int_equal(*detail(16), SET);					/* method */
	assert_memory_equal(detail(18), "\x00\x15", 2);				/* attribute */
	assert_memory_equal(detail(20), "\x01\x02\x03\x04", 4);			/* modifier */
	assert_memory_equal(detail(24), "\x11\x22\x33\x44\x55\x66\x77\x88", 8); /* M_Key */
	assert_int_equal(*detail(33), 0x80 | 2); /* hops of the route */
	assert_memory_equal(detail(34), returns, sizeof(returns));
	/* No more of the kind until it is repressed, and with the right key. */
	fabric_send(fabric, endpoint, &packet, 25);
	assert_silence(25);
	mkey = 1;
	repress(&answer, 25);
	assert_trap(20 + INTERVAL, 256, RIGHT_LID);
	mkey = KEY;
	repress(&answer, 20 + INTERVAL);
	/* The last one of those that were not told: the repress with a wrong key. */
	assert_trap(20 + 2 * INTERVAL, 256, RIGHT_LID);
	assert_int_equal(*detail(16), REPRESS);
	assert_memory_equal(detail(12), "\x00\x01", 2);
	assert_int_equal(*detail(33), 0);
	repress(&answer, 20 + 2 * INTERVAL);
	assert_silence(20 + 9 * INTERVAL);
}

/* Each kind has its own trap under way. */
static void two_kinds(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 0, 2, right.path);

	(void)state;
	protect_right();
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	fabric_send(fabric, endpoint, &packet, 20);
	assert_trap(20, 256, RIGHT_LID);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	repress(&answer, 20);
	assert_trap(20 + INTERVAL, 256, RIGHT_LID);
	assert_silence(20 + INTERVAL);
}

#define TRAP_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_managed, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP_TEST(link_of_two_switches),
		TRAP_TEST(link_of_a_host),
		TRAP_TEST(repeated_until_repressed),
		TRAP_TEST(one_at_a_time),
		TRAP_TEST(the_next_one),
		TRAP_TEST(lost),
		TRAP_TEST(on_the_way),
		TRAP_TEST(nobody_to_tell),
		TRAP_TEST(subnet_timeout),
		TRAP_TEST(node_that_is_hung_or_off),
		TRAP_TEST(manager_comes_and_goes),
		TRAP_TEST(manager_at_a_switch),
		TRAP_TEST(wrong_key),
		TRAP_TEST(two_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
