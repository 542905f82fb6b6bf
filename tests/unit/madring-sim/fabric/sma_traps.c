/* SPDX-License-Identifier: BSD-2-Clause */
/* Traps of links that change: when they are sent, how often, and what silences them. */
#include "sma_managed.h"

static uint64_t tid(void)
{
	return mad_get_field64(answer.mad, 0, IB_MAD_TRID_F);
}

/* Takes the cable between the switches out, or puts it in. Returns the left one's trap. */
static struct fabric_packet change_link(bool in, uint64_t now)
{
	struct fabric_packet first;

	fabric_run(fabric, now);
	set_cable("right", 3, in);
	assert_true(next_trap(now));
	first = answer;
	assert_true(next_trap(now));
	return first.slid == LEFT_LID ? first : answer;
}

static void link_of_two_switches(void **state)
{
	uint16_t first;

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

/* The switch sends the trap for a link to a host. */
static void link_of_a_host(void **state)
{
	fabric_run(fabric, 20);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	assert_silence(20);
}

static void repeated_until_repressed(void **state)
{
	struct fabric_packet trap;
	uint64_t first, now = 20;

	fabric_run(fabric, now);
	set_cable("host", 1, false);
	assert_trap(now, 128, RIGHT_LID);
	first = tid();
	for (uint64_t i = 0; i < 5; i++) {
		assert_silence(now + INTERVAL - 1);
		now += INTERVAL;
		assert_trap(now, 128, RIGHT_LID);
		assert_int_equal(tid(), first);
		assert_silence(now);
	}
	trap = answer;
	/* A TrapRepress with another TID does not silence the trap. */
	mad_set_field64(trap.mad, 0, IB_MAD_TRID_F, first + 1);
	repress(&trap, now);
	now += INTERVAL;
	assert_trap(now, 128, RIGHT_LID);
	repress(&answer, now);
	assert_silence(now + 10 * INTERVAL);
	assert_int_equal(fabric_next_event(fabric), FABRIC_NEVER);
	assert_int_equal(fabric_stats(fabric)->traps, 7);
}

/* Events while a trap is repeated are told by one more trap, when the first is silenced. */
static void one_at_a_time(void **state)
{
	struct fabric_packet trap;
	uint64_t first;

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

/* The next trap is sent at once when the last one was repressed some time ago. */
static void next_trap_follows_repression(void **state)
{
	struct fabric_packet trap;
	uint64_t first;

	trap = change_link(false, 20);
	first = mad_get_field64(trap.mad, 0, IB_MAD_TRID_F);
	repress(&trap, 25);
	trap = change_link(true, 20 + INTERVAL);
	assert_int_not_equal(mad_get_field64(trap.mad, 0, IB_MAD_TRID_F), first);
}

/* A lost trap is repeated like one that was not repressed. */
static void lost(void **state)
{
	struct fabric_model model = *fabric_model(fabric);

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
	fabric_close(fabric);
	set_up(state);
	fabric_run(fabric, 20);
	set_cable("left", 3, false);
	assert_silence(20 + INTERVAL);
	assert_int_equal(fabric_stats(fabric)->traps, 0);
	assert_int_equal(fabric_next_event(fabric), FABRIC_NEVER);
}

/* The interval is the port's own, but never so short that traps fill the fabric. */
static void subnet_timeout(void **state)
{
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

/* A node that is switched on again, with its LID, forgets the traps that it had to send. */
static void node_that_was_off(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "right");

	set_cable("host", 1, false);
	assert_trap(10, 128, RIGHT_LID);
	fabric_set_health(fabric, node, FABRIC_OFF);
	assert_trap(10, 128, LEFT_LID);
	repress(&answer, 10);
	fabric_set_health(fabric, node, FABRIC_WELL);
	give_lid(&right, RIGHT_LID, MY_LID);
	forward(&right, 2);
	assert_trap(10 + INTERVAL, 128, LEFT_LID);
	repress(&answer, 10 + INTERVAL);
	assert_silence(10 + 9 * INTERVAL);
}

static const struct CMUnitTest tests[] = {
	TRAP_TEST(link_of_two_switches),
	TRAP_TEST(link_of_a_host),
	TRAP_TEST(repeated_until_repressed),
	TRAP_TEST(one_at_a_time),
	TRAP_TEST(next_trap_follows_repression),
	TRAP_TEST(lost),
	TRAP_TEST(on_the_way),
	TRAP_TEST(nobody_to_tell),
	TRAP_TEST(subnet_timeout),
	TRAP_TEST(node_that_is_hung_or_off),
	TRAP_TEST(node_that_was_off),
};

TEST_MAIN(tests, NULL, NULL)
