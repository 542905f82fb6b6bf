/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "sma_support.h"

const struct route here = { 0, { 0 } };
const struct route left = { 1, { 1 } };
const struct route right = { 2, { 1, 2 } };
const struct route host = { 3, { 1, 2, 4 } };
const struct route router = { 3, { 1, 2, 5 } };

struct fabric *fabric;
int endpoint;
struct fabric_packet answer;
uint64_t mkey;

int set_up(void **state)
{
	mkey = 0;
	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	return 0;
}

int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

static struct fabric_packet request(const struct route *route, uint16_t attribute,
				    uint32_t modifier)
{
	struct fabric_packet packet = directed(attribute, modifier, route->hops, route->path);

	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, mkey);
	return packet;
}

void get(const struct route *route, uint16_t attribute, uint32_t modifier, uint16_t status)
{
	struct fabric_packet packet = request(route, attribute, modifier);

	ask_status(fabric, endpoint, &packet, status, &answer);
}

uint32_t field(enum MAD_FIELDS which)
{
	return mad_get_field(data_of(&answer), 0, which);
}

uint64_t field64(enum MAD_FIELDS which)
{
	return mad_get_field64(data_of(&answer), 0, which);
}

static bool is_wide(enum MAD_FIELDS which)
{
	return which == IB_PORT_MKEY_F || which == IB_PORT_GID_PREFIX_F;
}

void change(struct fabric_packet *set, enum MAD_FIELDS which, uint64_t value)
{
	if (is_wide(which))
		mad_set_field64(data_of(set), 0, which, value);
	else
		mad_set_field(data_of(set), 0, which, (uint32_t)value);
}

static void order_nothing(struct fabric_packet *set)
{
	if (!field(IB_PORT_LID_F))
		change(set, IB_PORT_LID_F, 1);
	if (!field(IB_PORT_SMLID_F))
		change(set, IB_PORT_SMLID_F, 1);
	change(set, IB_PORT_STATE_F, 0);
	change(set, IB_PORT_PHYS_STATE_F, 0);
}

struct fabric_packet set_of(const struct route *route, uint16_t attribute, uint32_t modifier)
{
	struct fabric_packet set = request(route, attribute, modifier);

	get(route, attribute, modifier, 0);
	memcpy(data_of(&set), data_of(&answer), IB_SMP_DATA_SIZE);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	if (attribute == IB_ATTR_PORT_INFO)
		order_nothing(&set);
	return set;
}

void send_set(const struct fabric_packet *set, uint16_t status)
{
	ask_status(fabric, endpoint, set, status, &answer);
}

void set_field(const struct route *route, uint16_t attribute, uint32_t modifier,
	       enum MAD_FIELDS which, uint64_t value, uint16_t status)
{
	struct fabric_packet set = set_of(route, attribute, modifier);

	change(&set, which, value);
	send_set(&set, status);
}

void assert_field(const struct route *route, uint16_t attribute, uint32_t modifier,
		  enum MAD_FIELDS which, uint64_t value)
{
	get(route, attribute, modifier, 0);
	assert_int_equal(is_wide(which) ? field64(which) : field(which), value);
}
