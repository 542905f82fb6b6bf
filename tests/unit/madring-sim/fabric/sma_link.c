/* SPDX-License-Identifier: BSD-2-Clause */
/* A manager's orders for links: port states, physical states, widths and speeds. */
#include "sma_support.h"

#define SLEEP	 1
#define POLLING	 2
#define DISABLED 3
#define TRAINING 1000000

static void set_state(uint32_t port, uint32_t value, uint16_t status, uint32_t becomes)
{
	set_field(&left, IB_ATTR_PORT_INFO, port, IB_PORT_STATE_F, value, status);
	assert_field(&left, IB_ATTR_PORT_INFO, port, IB_PORT_STATE_F, becomes);
}

static void assert_states(const struct route *route, uint32_t port, uint32_t state, uint32_t phys)
{
	assert_field(route, IB_ATTR_PORT_INFO, port, IB_PORT_STATE_F, state);
	assert_int_equal(field(IB_PORT_PHYS_STATE_F), phys);
}

static void clear_state_change(const struct route *route)
{
	set_field(route, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1, 0);
}

static void up_to_active(void **state)
{
	set_state(2, 0, 0, PORT_INIT);
	set_state(2, PORT_INIT, BAD_VALUE, PORT_INIT);
	set_state(2, PORT_ACTIVE, BAD_VALUE, PORT_INIT);
	set_state(2, PORT_ARMED, 0, PORT_ARMED);
	set_state(2, PORT_ARMED, 0, PORT_ARMED);
	set_state(2, PORT_INIT, BAD_VALUE, PORT_ARMED);
	set_state(2, PORT_ACTIVE, 0, PORT_ACTIVE);
	set_state(2, PORT_ACTIVE, 0, PORT_ACTIVE);
	set_state(2, PORT_ARMED, BAD_VALUE, PORT_ACTIVE);
	set_state(2, 15, BAD_VALUE, PORT_ACTIVE);
	/* No cable, and the switch's own port. */
	set_state(4, PORT_ARMED, BAD_VALUE, PORT_DOWN);
	set_state(4, PORT_DOWN, 0, PORT_DOWN);
	set_state(0, PORT_DOWN, BAD_VALUE, PORT_ACTIVE);
	set_state(0, PORT_ACTIVE, 0, PORT_ACTIVE);
}

/* Both ends start again in Init, and both switches notice. */
static void down_and_up_again(void **state)
{
	set_state(2, PORT_ARMED, 0, PORT_ARMED);
	clear_state_change(&left);
	clear_state_change(&right);
	set_state(2, PORT_DOWN, 0, PORT_INIT);
	assert_states(&right, 2, PORT_INIT, PHYS_LINK_UP);
	assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1);
	assert_field(&right, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1);
}

/* The physical state alone is set, as "ibportstate disable" and "enable" do. */
static void disable_and_enable(void **state)
{
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	assert_states(&left, 3, PORT_DOWN, PHYS_DISABLED);
	assert_states(&right, 3, PORT_DOWN, PHYS_POLLING);
	/* A port trains only if it is enabled, whatever the other end is told. */
	set_field(&right, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&right, 3, PORT_DOWN, PHYS_POLLING);
	set_state(3, PORT_DOWN, 0, PORT_DOWN);
	assert_states(&left, 3, PORT_DOWN, PHYS_DISABLED);
	clear_state_change(&left);
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 3, PORT_INIT, PHYS_LINK_UP);
	assert_states(&right, 3, PORT_INIT, PHYS_LINK_UP);
	assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1);
}

static void disabled_at_both_ends(void **state)
{
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	set_field(&right, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 3, PORT_DOWN, PHYS_POLLING);
	assert_states(&right, 3, PORT_DOWN, PHYS_DISABLED);
	set_field(&right, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 3, PORT_INIT, PHYS_LINK_UP);
}

/* A port that is up trains again, as after "ibportstate reset". */
static void reset(void **state)
{
	set_state(3, PORT_ARMED, 0, PORT_ARMED);
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 3, PORT_INIT, PHYS_LINK_UP);
	/* A port that is told to sleep is woken up by its neighbour. */
	set_state(3, PORT_ARMED, 0, PORT_ARMED);
	set_field(&left, IB_ATTR_PORT_INFO, 3, IB_PORT_PHYS_STATE_F, SLEEP, 0);
	assert_states(&left, 3, PORT_INIT, PHYS_LINK_UP);
}

static void without_a_cable(void **state)
{
	set_field(&left, IB_ATTR_PORT_INFO, 4, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	assert_states(&left, 4, PORT_DOWN, PHYS_DISABLED);
	set_field(&left, IB_ATTR_PORT_INFO, 4, IB_PORT_PHYS_STATE_F, SLEEP, 0);
	assert_states(&left, 4, PORT_DOWN, SLEEP);
	set_field(&left, IB_ATTR_PORT_INFO, 4, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 4, PORT_DOWN, PHYS_POLLING);
}

/* The physical state may be ordered together with Down, and with no other state. */
static void both_states_at_once(void **state)
{
	struct fabric_packet set = set_of(&left, IB_ATTR_PORT_INFO, 3);

	change(&set, IB_PORT_PHYS_STATE_F, DISABLED);
	change(&set, IB_PORT_STATE_F, PORT_ARMED);
	send_set(&set, BAD_VALUE);
	assert_states(&left, 3, PORT_INIT, PHYS_LINK_UP);
	change(&set, IB_PORT_STATE_F, PORT_DOWN);
	send_set(&set, 0);
	assert_states(&left, 3, PORT_DOWN, PHYS_DISABLED);
}

/* The cable goes from a switch to itself. */
static void loop_back(void **state)
{
	set_field(&left, IB_ATTR_PORT_INFO, 5, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	assert_states(&left, 5, PORT_DOWN, PHYS_DISABLED);
	assert_states(&left, 6, PORT_DOWN, PHYS_POLLING);
	set_field(&left, IB_ATTR_PORT_INFO, 5, IB_PORT_PHYS_STATE_F, POLLING, 0);
	assert_states(&left, 6, PORT_INIT, PHYS_LINK_UP);
}

/* The link under test is on the way to "right"; there is another one. */
static const struct route far = { 2, { 1, 3 } };

static void train_again(void)
{
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_PHYS_STATE_F, POLLING, 0);
}

static void enable(const struct route *route, enum MAD_FIELDS which, uint32_t mask)
{
	set_field(route, IB_ATTR_PORT_INFO, 2, which, mask, 0);
}

static void assert_width_and_speed(uint32_t width, uint32_t speed)
{
	assert_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_WIDTH_ACTIVE_F, width);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), speed);
	assert_field(&far, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_WIDTH_ACTIVE_F, width);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), speed);
}

/* A width or a speed that is enabled counts from the next training on. */
static void widths_and_speeds(void **state)
{
	assert_width_and_speed(2, 2);
	enable(&far, IB_PORT_LINK_SPEED_ENABLED_F, 1);
	assert_width_and_speed(2, 2);
	train_again();
	assert_width_and_speed(2, 1);
	/* Narrower than it ever was. */
	enable(&left, IB_PORT_LINK_WIDTH_ENABLED_F, 1);
	enable(&far, IB_PORT_LINK_WIDTH_ENABLED_F, 3);
	train_again();
	assert_width_and_speed(1, 1);
	/* The cable decides when both ends have enabled all that they know: one end is slow. */
	enable(&left, IB_PORT_LINK_WIDTH_ENABLED_F, 255);
	enable(&far, IB_PORT_LINK_WIDTH_ENABLED_F, 255);
	enable(&left, IB_PORT_LINK_SPEED_ENABLED_F, 15);
	enable(&far, IB_PORT_LINK_SPEED_ENABLED_F, 15);
	train_again();
	assert_width_and_speed(2, 2);
}

/* A wide link is made narrow, and its extended speed is given up. */
static void narrow_and_slow(void **state)
{
	struct fabric_packet set;

	fabric_close(fabric);
	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
	assert_field(&left, IB_ATTR_PORT_INFO, 36, IB_PORT_LINK_WIDTH_ACTIVE_F, 8);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 8);
	set = set_of(&left, IB_ATTR_PORT_INFO, 36);
	mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 0x80000000 | 36);
	change(&set, IB_PORT_LINK_WIDTH_ENABLED_F, 3);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 2);
	change(&set, IB_PORT_PHYS_STATE_F, POLLING);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 2);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 30);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), 4);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 0);
}

#define SPEEDS2	     56 /* the byte of LinkSpeedExtActive2, Supported2 and Enabled2 */
#define XDR_ACTIVE   0x20
#define XDR_CAN	     0x08
#define XDR_ENABLED  0x01
#define ALL_ENABLED2 0x07

static void set_speeds2(struct fabric_packet *set, uint8_t enabled, uint16_t status)
{
	data_of(set)[SPEEDS2] = enabled;
	send_set(set, status);
}

/* The second set of extended speeds has one speed, which cannot be taken away alone. */
static void xdr(void **state)
{
	struct topology *topology;
	struct topology_error error;
	struct fabric_packet set;

	fabric_close(fabric);
	assert_int_equal(topology_generate(&topology, "mesh:2,speed=XDR", &error), 0);
	fabric = open_fabric(topology, "host-0-0", 1, &endpoint);
	get(&here, IB_ATTR_PORT_INFO, 1, 0);
	assert_int_equal(data_of(&answer)[SPEEDS2], XDR_ACTIVE | XDR_CAN | XDR_ENABLED);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 0);
	assert_int_equal(field(IB_PORT_CAPMASK2_F) & 0x1800, 0x1800);
	get(&here, IB_ATTR_PORT_INFO_EXT, 1, 0);
	assert_int_equal(field(IB_PORT_EXT_FEC_MODE_ACTIVE_F), 2);
	set = set_of(&here, IB_ATTR_PORT_INFO, 1);
	mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 0x80000001);
	set_speeds2(&set, 2, BAD_VALUE);
	set_speeds2(&set, 0, 0);
	assert_int_equal(data_of(&answer)[SPEEDS2] & ALL_ENABLED2, XDR_ENABLED);
	set_speeds2(&set, ALL_ENABLED2, 0);
	assert_int_equal(data_of(&answer)[SPEEDS2] & ALL_ENABLED2, XDR_ENABLED);
}

/* The cable is one of 4x HDR, though both ends may do all that they know. */
static void no_better_than_the_cable(void **state)
{
	static const struct route *const ends[] = { &here, &left };
	struct fabric_packet set;

	fabric_close(fabric);
	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
	for (size_t i = 0; i < 2; i++) {
		set = set_of(ends[i], IB_ATTR_PORT_INFO, 1);
		mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 0x80000001);
		change(&set, IB_PORT_LINK_WIDTH_ENABLED_F, 255);
		change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 31);
		change(&set, IB_PORT_PHYS_STATE_F, POLLING);
		send_set(&set, 0);
	}
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 15);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 4);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
}

static void nothing_in_common(void **state)
{
	enable(&left, IB_PORT_LINK_SPEED_ENABLED_F, 2);
	enable(&far, IB_PORT_LINK_SPEED_ENABLED_F, 1);
	train_again();
	assert_states(&left, 2, PORT_DOWN, PHYS_POLLING);
	assert_states(&far, 2, PORT_DOWN, PHYS_POLLING);
	assert_width_and_speed(2, 1);
	/* The link goes on polling, and comes up when the ends have a speed in common. */
	enable(&far, IB_PORT_LINK_SPEED_ENABLED_F, 3);
	assert_states(&left, 2, PORT_INIT, PHYS_LINK_UP);
	assert_width_and_speed(2, 2);
}

/* A link is down for as long as the model's training takes. */
static void training_takes_time(void **state)
{
	struct fabric_model model = *fabric_model(fabric);
	struct fabric_packet set, late;
	uint64_t start = 10;

	model.training = TRAINING;
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	set = set_of(&left, IB_ATTR_PORT_INFO, 3);
	change(&set, IB_PORT_STATE_F, PORT_DOWN);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_STATE_F), PORT_DOWN);
	assert_states(&right, 3, PORT_DOWN, PHYS_POLLING);
	fabric_run(fabric, start + TRAINING - 1);
	late = directed(IB_ATTR_PORT_INFO, 3, left.hops, left.path);
	fabric_send(fabric, endpoint, &late, start + TRAINING - 1);
	assert_true(fabric_receive(fabric, start + TRAINING - 1, &endpoint, &answer));
	assert_int_equal(field(IB_PORT_STATE_F), PORT_DOWN);
	fabric_run(fabric, start + TRAINING);
	fabric_send(fabric, endpoint, &late, start + TRAINING);
	assert_true(fabric_receive(fabric, start + TRAINING, &endpoint, &answer));
	assert_int_equal(field(IB_PORT_STATE_F), PORT_INIT);
}

/* A node that is switched on forgets the link that stays down. */
static void node_that_was_off(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "right");

	assert_field(&far, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_SPEED_ACTIVE_F, 2);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_PHYS_STATE_F, DISABLED, 0);
	fabric_set_health(fabric, node, FABRIC_OFF);
	fabric_set_health(fabric, node, FABRIC_WELL);
	assert_states(&far, 2, PORT_DOWN, PHYS_POLLING);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), 1);
	assert_states(&far, 3, PORT_INIT, PHYS_LINK_UP);
}

/* A node that is switched on forgets links that still train, also when it is asked from within. */
static void node_that_was_just_off(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "dual");
	struct fabric_model model = *fabric_model(fabric);

	model.training = TRAINING;
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	assert_field(&here, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_WIDTH_ACTIVE_F, 1);
	fabric_set_health(fabric, node, FABRIC_OFF);
	fabric_set_health(fabric, node, FABRIC_WELL);
	assert_states(&here, 2, PORT_DOWN, PHYS_POLLING);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
}

static const struct CMUnitTest tests[] = {
	SMA_TEST(up_to_active),
	SMA_TEST(down_and_up_again),
	SMA_TEST(disable_and_enable),
	SMA_TEST(disabled_at_both_ends),
	SMA_TEST(reset),
	SMA_TEST(without_a_cable),
	SMA_TEST(both_states_at_once),
	SMA_TEST(loop_back),
	SMA_TEST(widths_and_speeds),
	SMA_TEST(narrow_and_slow),
	SMA_TEST(xdr),
	SMA_TEST(no_better_than_the_cable),
	SMA_TEST(nothing_in_common),
	SMA_TEST(training_takes_time),
	SMA_TEST(node_that_was_off),
	SMA_TEST(node_that_was_just_off),
};

TEST_MAIN(tests, NULL, NULL)
