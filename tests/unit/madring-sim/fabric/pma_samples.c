/* SPDX-License-Identifier: BSD-2-Clause */
/* PortSamplesControl and PortSamplesResult. */
#include <string.h>

#include <infiniband/mad.h>

#include "pma_support.h"

#define MS 1000000

#define DONE 0
#define WAIT 1
#define RUN  2

static struct fabric *fabric;
static struct fabric_packet packet;

static int set_up(void **state)
{
	const struct fabric_traffic traffic = { .xmit_bytes = 4000000,
						.rcv_bytes = 8000000,
						.xmit_packets = 3000,
						.rcv_packets = 5000,
						.xmit_wait = 7000 };
	int endpoint;

	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	assert_int_equal(fabric_set_traffic(fabric, pma_node(fabric, "left"), 2, &traffic), 0);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

/* Ticks of 1 us. */
static void start(uint32_t after, uint32_t interval, uint16_t tag)
{
	uint8_t *data;

	packet = pma_packet(SET, SAMPLES_CONTROL, 2);
	data = packet.mad + PMA_DATA;
	put_bits(data, 28 * 8, 32, after);
	put_bits(data, 32 * 8, 32, interval);
	put_bits(data, 36 * 8, 16, tag);
	for (unsigned int i = 0; i < 15; i++)
		put_bits(data, (38 + 2 * i) * 8, 16, i);
	pma_ask_status(fabric, "left", 1, &packet, 0);
}

static void expect(unsigned int status, uint16_t tag, const uint64_t *counts)
{
	const uint8_t *data = pma_get(fabric, "left", SAMPLES_RESULT, 2, &packet);

	assert_int_equal(get_bits(data, 0, 16), tag);
	assert_int_equal(get_bits(data, 16, 16), status);
	for (unsigned int i = 0; i < 15; i++)
		assert_int_equal(get_bits(data, 32 + 32 * i, 32), i < 7 ? counts[i] : 0);
	assert_int_equal(get_bits(data, 64 * 8, 64), 0);
	data = pma_get(fabric, "left", SAMPLES_CONTROL, 2, &packet);
	assert_int_equal(data[11], status);
	assert_int_equal(get_bits(data, 36 * 8, 16), tag);
}

static void takes_samples(void **state)
{
	static const uint64_t none[7];
	/* Select 0 is none, and 6 is not known. */
	static const uint64_t counts[7] = { 0, 20000, 40000, 60, 100, 140, 0 };

	expect(DONE, 0, none);
	start(10000, 20000, 0xbeef);
	expect(WAIT, 0xbeef, none);
	fabric_run(fabric, 10 * MS - 1);
	expect(WAIT, 0xbeef, none);
	fabric_run(fabric, 10 * MS);
	expect(RUN, 0xbeef, none);
	/* Another session has to wait, and a Set of the counters does not change a session. */
	start(0, 1, 0xdead);
	packet = pma_packet(SET, PORT_COUNTERS_EXTENDED, 2);
	select_counters(packet.mad + PMA_DATA, PORT_COUNTERS_EXTENDED, UINT64_MAX);
	pma_ask_status(fabric, "left", 1, &packet, 0);
	fabric_run(fabric, 30 * MS - 1);
	expect(RUN, 0xbeef, none);
	fabric_run(fabric, 30 * MS);
	expect(DONE, 0xbeef, counts);
	fabric_run(fabric, 300 * MS);
	expect(DONE, 0xbeef, counts);
	start(0, 0, 0xdead);
	fabric_run(fabric, 301 * MS);
	expect(DONE, 0xdead, none);
}

static void full(void **state)
{
	static const uint64_t counts[7] = { 0, UINT32_MAX };

	start(0, 1000, 1);
	fabric_run(fabric, 0);
	assert_int_equal(fabric_count(fabric, pma_node(fabric, "left"), 2, FABRIC_XMIT_DATA,
				      UINT64_C(1) << 40),
			 0);
	fabric_run(fabric, 1 * MS);
	assert_int_equal(pma_get(fabric, "left", SAMPLES_RESULT, 2, &packet)[3], DONE);
	assert_int_equal(get_bits(packet.mad + PMA_DATA, 64, 32), counts[1]);
}

static uint32_t field(enum MAD_FIELDS which)
{
	return mad_get_field(packet.mad + PMA_DATA, 0, which);
}

/* The agent has 15 counters of 32 bits, a tick of 1 us, and a list of optional attributes. */
static void capabilities(void **state)
{
	pma_get(fabric, "left", SAMPLES_CONTROL, 3, &packet);
	assert_int_equal(field(IB_PSC_OPCODE_F), 0);
	assert_int_equal(field(IB_PSC_PORT_SELECT_F), 3);
	assert_int_equal(field(IB_PSC_TICK_F), 249);
	assert_int_equal(field(IB_PSC_COUNTER_WIDTH_F), 4);
	assert_int_equal(field(IB_PSC_COUNTER_MASK0_F), 1);
	assert_int_equal(field(IB_PSC_COUNTER_MASKS1TO9_F), 0x1249249);
	assert_int_equal(field(IB_PSC_COUNTER_MASKS10TO14_F), 0x1249);
	assert_int_equal(get_bits(packet.mad + PMA_DATA, 12 * 8, 64), 0x018100001fffffc0);
	pma_get(fabric, "host", SAMPLES_CONTROL, 1, &packet);
	assert_int_equal(get_bits(packet.mad + PMA_DATA, 12 * 8, 64), 0x018000001fffffc0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(takes_samples),
	TEST(full),
	TEST(capabilities),
};

TEST_MAIN(tests, NULL, NULL)
