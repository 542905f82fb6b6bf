/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SMPs of random bytes: any attribute, any modifier, any value. The model survives them, and
 * answers, passes on or counts every one that arrives.
 */
#include <string.h>

#include "sma_support.h"

#define FABRICS 1000 /* each soon has no link left that was not disabled */
#define ROUNDS	200

static uint64_t state_of_random = 42;

static uint64_t next_random(void)
{
	state_of_random ^= state_of_random << 13;
	state_of_random ^= state_of_random >> 7;
	state_of_random ^= state_of_random << 17;
	return state_of_random;
}

static const uint16_t attributes[] = {
	IB_ATTR_NODE_DESC,	    IB_ATTR_NODE_INFO,
	IB_ATTR_SWITCH_INFO,	    IB_ATTR_GUID_INFO,
	IB_ATTR_PORT_INFO,	    IB_ATTR_PKEY_TBL,
	IB_ATTR_SLVL_TABLE,	    IB_ATTR_VL_ARBITRATION,
	IB_ATTR_LINEARFORWTBL,	    IB_ATTR_MULTICASTFORWTBL,
	IB_ATTR_MLNX_EXT_PORT_INFO, IB_ATTR_SMINFO,
	IB_ATTR_PORT_INFO_EXT,	    0x0002,
};

/* Small numbers find more than large ones do. */
static uint32_t random_modifier(void)
{
	static const unsigned int shifts[] = { 32, 16, 8, 4, 0 };
	uint32_t low = (uint32_t)(next_random() % 10);
	uint32_t high = (uint32_t)(next_random() % 10) << (next_random() % 4 * 8);

	if (next_random() % 3)
		return low | high;
	return (uint32_t)(next_random() >> 32 >> (32 - shifts[next_random() % 5]) % 33);
}

static void fill(uint8_t *data)
{
	for (size_t i = 0; i < IB_SMP_DATA_SIZE; i++)
		if (next_random() % 4)
			data[i] = (uint8_t)next_random();
}

/*
 * Makes a Set of the present values, with a few bytes changed, which reaches more code than random
 * bytes alone.
 */
static struct fabric_packet random_set(const struct route *route, uint16_t attribute,
				       uint32_t modifier)
{
	struct fabric_packet packet = directed(attribute, modifier, route->hops, route->path);
	unsigned int changes = (unsigned int)(next_random() % 4);

	if (next_random() % 2 && ask(fabric, endpoint, &packet, &answer))
		memcpy(data_of(&packet), data_of(&answer), IB_SMP_DATA_SIZE);
	else
		fill(data_of(&packet));
	while (changes--)
		data_of(&packet)[next_random() % IB_SMP_DATA_SIZE] = (uint8_t)next_random();
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	return packet;
}

static struct fabric_packet random_packet(void)
{
	static const struct route *const routes[] = { &here, &left, &right, &host, &router };
	const struct route *route = routes[next_random() % 5];
	uint16_t attribute = attributes[next_random() % (sizeof(attributes) / 2)];
	uint32_t modifier = random_modifier();
	struct fabric_packet packet = random_set(route, attribute, modifier);

	if (next_random() % 3 == 0)
		mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, GET);
	if (next_random() % 50 == 0)
		packet.mad[3] = (uint8_t)next_random();
	if (next_random() % 50 == 0)
		packet.mad[next_random() % 4] = (uint8_t)next_random();
	return packet;
}

static uint64_t ends(void)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	uint64_t count = stats->delivered;

	for (int cause = 0; cause < FABRIC_DROP_CAUSES; cause++)
		count += stats->dropped[cause];
	return count;
}

static void play(void)
{
	const struct fabric_stats *stats = fabric_stats(fabric);
	struct fabric_packet packet;
	uint64_t now = 10;
	int at;

	for (int i = 0; i < ROUNDS; i++) {
		packet = random_packet();
		fabric_send(fabric, endpoint, &packet, now);
		while (fabric_receive(fabric, now, &at, &answer))
			;
		if (next_random() % 64 == 0)
			now += next_random() % 100000000;
	}
	/* Every packet has an end, except a TrapRepress that is taken. */
	assert_true(ends() <= stats->sent + stats->traps);
	assert_true(ends() + ROUNDS / 10 > stats->sent + stats->traps);
}

static void play_many(const char *topology, const char *node)
{
	for (int i = 0; i < FABRICS; i++) {
		fabric = open_fabric(read_data(topology), node, 1, &endpoint);
		play();
		fabric_close(fabric);
	}
}

static void random_smps(void **state)
{
	play_many("two-switches.net", "dual");
}

static void random_smps_to_newer_devices(void **state)
{
	play_many("saved.topology", "node001 HCA-1");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_smps),
	cmocka_unit_test(random_smps_to_newer_devices),
};

TEST_MAIN(tests, NULL, NULL)
