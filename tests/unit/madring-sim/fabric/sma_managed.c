/* SPDX-License-Identifier: BSD-2-Clause */
#include "sma_managed.h"

#define TRAP		 0x05
#define NOTICE_ATTRIBUTE 0x02

void give_lid(const struct route *route, uint32_t lid, uint32_t sm_lid)
{
	struct fabric_packet set = set_of(route, IB_ATTR_PORT_INFO, 0);

	change(&set, IB_PORT_LID_F, lid);
	change(&set, IB_PORT_SMLID_F, sm_lid);
	change(&set, IB_PORT_SMSL_F, 5);
	send_set(&set, 0);
}

/* `forward` makes a switch send this program's LID to its port. */
void forward(const struct route *route, uint8_t port)
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

int set_up_managed(void **state)
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

bool next_trap(uint64_t now)
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

void assert_trap(uint64_t now, uint32_t trap, uint16_t from)
{
	assert_true(next_trap(now));
	assert_int_equal(field(IB_NOTICE_TRAP_NUMBER_F), trap);
	assert_int_equal(answer.slid, from);
}

void assert_silence(uint64_t now)
{
	assert_false(next_trap(now));
}

void repress(const struct fabric_packet *trap, uint64_t now)
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

void set_cable(const char *name, unsigned int port, bool in)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), name);

	assert_int_equal(fabric_set_cable(fabric, node, port, in), 0);
}
