/* SPDX-License-Identifier: BSD-2-Clause */
/* The answers of the performance agents, and the effects of a Set, byte by byte as on the wire. */
#include <errno.h>
#include <string.h>

#include <infiniband/mad.h>

#include "pma_support.h"

#define NOT_SUPPORTED 0x0c
#define BAD_VALUE     0x1c
#define BAD_METHOD    0x08
#define BAD_VERSION   0x04

static struct fabric *fabric;
static int endpoint;
static struct fabric_packet packet;

static int set_up(void **state)
{
	wires_fill();
	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

static void set_counter(const char *node, unsigned int port, enum fabric_counter counter,
			uint64_t value)
{
	assert_int_equal(fabric_set_counter(fabric, pma_node(fabric, node), port, counter, value),
			 0);
}

static void count(const char *node, unsigned int port, enum fabric_counter counter, uint64_t amount)
{
	assert_int_equal(fabric_count(fabric, pma_node(fabric, node), port, counter, amount), 0);
}

static void class_port_info(void **state)
{
	uint8_t expected[PMA_DATA_BYTES] = { 1, 1, 0x12, 0x00, 0, 0, 0, 2 << 5 | 18 };
	const uint8_t *data;

	data = pma_get(fabric, "host", CLASS_PORT_INFO_ID, 0, &packet);
	assert_memory_equal(data, expected, sizeof(expected));
	/* A switch can also sum up its ports. */
	expected[2] = 0x13;
	data = pma_get(fabric, "left", CLASS_PORT_INFO_ID, 77, &packet);
	assert_memory_equal(data, expected, sizeof(expected));
	packet = pma_packet(SET, CLASS_PORT_INFO_ID, 0);
	pma_ask_status(fabric, "left", 1, &packet, NOT_SUPPORTED);
}

static void ports_that_are_there(void **state)
{
	static const struct {
		const char *node;
		unsigned int port;
		uint16_t status;
	} cases[] = {
		{ "left", 0, 0 },
		{ "left", 1, 0 },
		{ "left", 8, 0 },
		{ "left", 9, BAD_VALUE },
		{ "left", 254, BAD_VALUE },
		{ "left", ALL_PORTS, 0 },
		{ "dual", 0, BAD_VALUE },
		{ "dual", 1, 0 },
		{ "dual", 2, 0 },
		{ "dual", 3, BAD_VALUE },
		{ "dual", ALL_PORTS, BAD_VALUE },
		{ "router", 1, 0 },
		{ "router", ALL_PORTS, BAD_VALUE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t w = 0; w < wire_count; w++) {
			if (wires[w].attribute == SW_VL_CONGESTION && cases[i].node[0] != 'l')
				continue;
			packet = pma_packet(GET, wires[w].attribute, cases[i].port);
			pma_ask_status(fabric, cases[i].node, 1, &packet, cases[i].status);
			packet = pma_packet(SET, wires[w].attribute, cases[i].port);
			pma_ask_status(fabric, cases[i].node, 1, &packet, cases[i].status);
			assert_int_equal(packet.mad[PMA_DATA + 1], cases[i].port);
		}
		packet = pma_packet(GET, SAMPLES_CONTROL, cases[i].port);
		pma_ask_status(fabric, cases[i].node, 1, &packet,
			       cases[i].port == ALL_PORTS ? BAD_VALUE : cases[i].status);
	}
}

static void refused(void **state)
{
	static const uint16_t missing[] = { 0, 2, 0x14, 0x1e, 0x31, 0x32, 0x33, 0x34, 0x35, 0xff };

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		packet = pma_packet(GET, missing[i], 1);
		pma_ask_status(fabric, "left", 1, &packet, NOT_SUPPORTED);
	}
	packet = pma_packet(GET, SW_VL_CONGESTION, 1);
	pma_ask_status(fabric, "host", 1, &packet, NOT_SUPPORTED);
	packet = pma_packet(SET, SAMPLES_RESULT, 1);
	pma_ask_status(fabric, "host", 1, &packet, NOT_SUPPORTED);
	packet = pma_packet(GET, PORT_COUNTERS, 1);
	packet.mad[2] = 2;
	pma_ask_status(fabric, "host", 1, &packet, BAD_VERSION);
	packet = pma_packet(GET, PORT_COUNTERS, 1);
	packet.mad[0] = 2;
	pma_ask_status(fabric, "host", 1, &packet, BAD_VERSION);
	packet = pma_packet(GET, PORT_COUNTERS, 1);
	packet.mad[23] = 1;
	pma_ask_status(fabric, "host", 1, &packet, BAD_VALUE);

	packet = pma_packet(0x12, PORT_COUNTERS, 1);
	assert_int_equal(pma_ask(fabric, "host", 1, &packet), AGENT_ANSWERED);
	assert_int_equal(packet.mad[3], 0x92);
	assert_int_equal(get_bits(packet.mad, 4 * 8, 16), BAD_METHOD);
	for (size_t i = 5; i <= 7; i++) { /* Trap, Report, TrapRepress: not for an agent */
		packet = pma_packet((uint8_t)i, 2, 1);
		assert_int_equal(pma_ask(fabric, "host", 1, &packet), AGENT_PASSED);
	}
}

/* Returns a value that no other counter has, as far as it is wide enough. */
static uint64_t own_value(size_t w)
{
	return (w + 1) * 0x123456789abcdf % limit_of(wires[w].bits < 63 ? wires[w].bits : 63) + 1;
}

/* Each counter alone is shown, and nothing else in the data; it needs no memory of another. */
static void layout(void **state)
{
	uint8_t expected[PMA_DATA_BYTES];
	const uint8_t *data;

	for (size_t w = 0; w < wire_count; w++) {
		set_counter("left", 3, wires[w].counter, own_value(w));
		memset(expected, 0, sizeof(expected));
		expected[1] = 3;
		put_bits(expected, wires[w].bit, wires[w].bits, own_value(w));
		data = pma_get(fabric, "left", wires[w].attribute, 3, &packet);
		assert_memory_equal(data, expected, sizeof(expected));
		set_counter("left", 3, wires[w].counter, 0);
		data = pma_get(fabric, "left", wires[w].attribute, 3, &packet);
		assert_int_equal(get_bits(data, wires[w].bit, wires[w].bits), 0);
	}
	assert_null(fabric->nodes[pma_node(fabric, "left")->index].port[2].counters);
}

/* The tools decode with libibmad; where its tables are right, they find the same values. */
static void libibmad_agrees(void **state)
{
	uint8_t *data;
	uint64_t value;

	set_counter("host", 1, FABRIC_LOCAL_LINK_INTEGRITY_ERRORS, 5);
	set_counter("host", 1, FABRIC_EXCESSIVE_BUFFER_OVERRUNS, 9);
	set_counter("host", 1, FABRIC_VL15_DROPPED, 0x1234);
	set_counter("host", 1, FABRIC_XMIT_WAIT, 0x12345678);
	set_counter("host", 1, FABRIC_VL_XMIT_FLOW_CTL_UPDATE_ERRORS + 5, 2);
	set_counter("host", 1, FABRIC_FEC_UNCORRECTABLE_LANE + 11, 0xabcdef);
	data = pma_get(fabric, "host", PORT_COUNTERS, 1, &packet);
	assert_int_equal(mad_get_field(data, 0, IB_PC_ERR_LOCALINTEG_F), 5);
	assert_int_equal(mad_get_field(data, 0, IB_PC_ERR_EXCESS_OVR_F), 9);
	assert_int_equal(mad_get_field(data, 0, IB_PC_VL15_DROPPED_F), 0x1234);
	assert_int_equal(mad_get_field(data, 0, IB_PC_XMT_WAIT_F), 0x12345678);
	data = pma_get(fabric, "host", PORT_COUNTERS_EXTENDED, 1, &packet);
	mad_decode_field(data, IB_PC_EXT_XMT_WAIT_F, &value);
	assert_int_equal(value, 0x12345678);
	data = pma_get(fabric, "host", VL_XMIT_FLOW_CTL_ERRORS, 1, &packet);
	assert_int_equal(mad_get_field(data, 0, IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS5_F), 2);
	data = pma_get(fabric, "host", EXTENDED_SPEEDS, 1, &packet);
	assert_int_equal(mad_get_field(data, 0, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE11_F), 0xabcdef);
}

static void names(void **state)
{
	enum fabric_counter counter;

	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++) {
		assert_true(fabric_counter_of(fabric_counter_name(i), &counter));
		assert_int_equal(counter, i);
	}
	assert_string_equal(fabric_counter_name(FABRIC_SYMBOL_ERRORS), "SymbolErrorCounter");
	assert_string_equal(fabric_counter_name(FABRIC_XMIT_DATA), "PortXmitData");
	assert_string_equal(fabric_counter_name(FABRIC_VL_XMIT_WAIT + 15), "PortVLXmitWait15");
	assert_string_equal(fabric_counter_name(FABRIC_RCV_DATA_SL + 3), "RcvDataSL3");
	assert_string_equal(fabric_counter_name(FABRIC_FEC_UNCORRECTABLE_LANE + 11),
			    "FECUncorrectableBlockCtrLane11");
	assert_true(fabric_counter_of("linkdownedcounter", &counter));
	assert_int_equal(counter, FABRIC_LINK_DOWNED);
	assert_false(fabric_counter_of("PortXmitDat", &counter));
	assert_false(fabric_counter_of("", &counter));
	assert_false(fabric_counter_of("CounterSelect", &counter));
}

/* A Set of one counter, while all have values of their own, changes that one, in that attribute. */
static void each_select_bit(void **state)
{
	uint64_t value;

	for (size_t w = 0; w < wire_count; w++) {
		for (size_t other = 0; other < wire_count; other++)
			set_counter("left", 3, wires[other].counter, 1);
		value = limit_of(wires[w].bits) - 1;
		packet = pma_packet(SET, wires[w].attribute, 3);
		memset(packet.mad + PMA_DATA + 2, 0, PMA_DATA_BYTES - 2);
		select_counters(packet.mad + PMA_DATA, wires[w].attribute,
				UINT64_C(1) << wires[w].select);
		for (size_t other = 0; other < wire_count; other++)
			if (wires[other].attribute == wires[w].attribute)
				put_bits(packet.mad + PMA_DATA, wires[other].bit, wires[other].bits,
					 limit_of(wires[other].bits) - 1);
		pma_ask_status(fabric, "left", 1, &packet, 0);
		assert_int_equal(get_bits(packet.mad + PMA_DATA, wires[w].bit, wires[w].bits),
				 value);
		for (size_t other = 0; other < wire_count; other++)
			assert_int_equal(pma_value(fabric, "left", &wires[other], 3),
					 other == w ? value : 1);
	}
}

/* No bit clears nothing. All bits, also those without a meaning, clear all of the attribute. */
static void no_and_all_select_bits(void **state)
{
	for (size_t w = 0; w < wire_count; w++)
		set_counter("left", 3, wires[w].counter, 1);
	for (size_t w = 0; w < wire_count; w++) {
		packet = pma_packet(SET, wires[w].attribute, 3);
		pma_ask_status(fabric, "left", 1, &packet, 0);
	}
	for (size_t w = 0; w < wire_count; w++)
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3), 1);
	for (size_t w = 0; w < wire_count; w++) {
		packet = pma_packet(SET, wires[w].attribute, 3);
		select_counters(packet.mad + PMA_DATA, wires[w].attribute, UINT64_MAX);
		pma_ask_status(fabric, "left", 1, &packet, 0);
		for (size_t other = 0; other < wire_count; other++)
			assert_int_equal(pma_value(fabric, "left", &wires[other], 3),
					 wires[other].attribute != wires[w].attribute);
		for (size_t other = 0; other < wire_count; other++)
			set_counter("left", 3, wires[other].counter, 1);
	}
}

static void saturation(void **state)
{
	enum fabric_counter counter;
	uint64_t limit;

	for (size_t w = 0; w < wire_count; w++) {
		counter = wires[w].counter;
		limit = limit_of(wires[w].bits);
		set_counter("left", 3, counter, limit - 1);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3), limit - 1);
		count("left", 3, counter, 1);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3), limit);
		count("left", 3, counter, 1);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3),
				 wires[w].bits == 64 ? 0 : limit);
		count("left", 3, counter, UINT64_MAX);
		count("left", 3, counter, UINT64_MAX);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3),
				 wires[w].bits == 64 ? UINT64_MAX - 1 : limit);
		set_counter("left", 3, counter, 0);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3), 0);
		count("left", 3, counter, 1);
		assert_int_equal(pma_value(fabric, "left", &wires[w], 3), 1);
	}
}

/* PortCounters and PortCountersExtended count the same, each from its own last Set. */
static void two_views(void **state)
{
	static const struct wire small = { PORT_COUNTERS, FABRIC_RCV_ERRORS, 8 * 8, 16, 3 };
	static const struct wire large = { PORT_COUNTERS_EXTENDED, FABRIC_RCV_ERRORS, 96 * 8, 64,
					   19 };

	count("host", 1, FABRIC_RCV_ERRORS, 100000);
	assert_int_equal(pma_value(fabric, "host", &small, 1), 65535);
	assert_int_equal(pma_value(fabric, "host", &large, 1), 100000);
	packet = pma_packet(SET, PORT_COUNTERS, 1);
	select_counters(packet.mad + PMA_DATA, PORT_COUNTERS, 1 << 3);
	pma_ask_status(fabric, "host", 1, &packet, 0);
	assert_int_equal(pma_value(fabric, "host", &small, 1), 0);
	assert_int_equal(pma_value(fabric, "host", &large, 1), 100000);
	count("host", 1, FABRIC_RCV_ERRORS, 7);
	packet = pma_packet(SET, PORT_COUNTERS_EXTENDED, 1);
	select_counters(packet.mad + PMA_DATA, PORT_COUNTERS_EXTENDED, 1 << 19);
	pma_ask_status(fabric, "host", 1, &packet, 0);
	assert_int_equal(pma_value(fabric, "host", &small, 1), 7);
	assert_int_equal(pma_value(fabric, "host", &large, 1), 0);
}

static void all_ports(void **state)
{
	uint64_t random = 1, sum, value;
	unsigned int port;

	for (unsigned int round = 0; round < 4; round++) {
		for (port = 0; port <= 8; port++)
			for (size_t w = 0; w < wire_count; w++)
				set_counter("left", port, wires[w].counter,
					    draw(&random) >> (round * 16 + draw(&random) % 16));
		for (size_t w = 0; w < wire_count; w++) {
			for (sum = port = 0; port <= 8; port++) {
				value = pma_value(fabric, "left", &wires[w], port);
				sum = value > limit_of(wires[w].bits) - sum
					      ? limit_of(wires[w].bits)
					      : sum + value;
			}
			assert_int_equal(pma_value(fabric, "left", &wires[w], ALL_PORTS), sum);
		}
	}
	for (size_t w = 0; w < wire_count; w++) {
		packet = pma_packet(SET, wires[w].attribute, ALL_PORTS);
		select_counters(packet.mad + PMA_DATA, wires[w].attribute,
				UINT64_C(1) << wires[w].select);
		put_bits(packet.mad + PMA_DATA, wires[w].bit, wires[w].bits, 1);
		pma_ask_status(fabric, "left", 1, &packet, 0);
		assert_int_equal(packet.mad[PMA_DATA + 1], ALL_PORTS);
		for (port = 0; port <= 8; port++)
			assert_int_equal(pma_value(fabric, "left", &wires[w], port), 1);
	}
}

/* Clearing a counter that never moved takes no memory, nor does reading it. */
static void untouched(void **state)
{
	const struct node *node = &fabric->nodes[pma_node(fabric, "left")->index];

	for (size_t w = 0; w < wire_count; w++) {
		packet = pma_packet(SET, wires[w].attribute, ALL_PORTS);
		select_counters(packet.mad + PMA_DATA, wires[w].attribute, UINT64_MAX);
		pma_ask_status(fabric, "left", 1, &packet, 0);
		assert_int_equal(pma_value(fabric, "left", &wires[w], ALL_PORTS), 0);
	}
	pma_get(fabric, "left", SAMPLES_CONTROL, 1, &packet);
	pma_get(fabric, "left", SAMPLES_RESULT, 1, &packet);
	for (unsigned int port = 0; port <= node->port_count; port++)
		assert_null(node->port[port].counters);
	assert_null(node->samples);
}

static void opcode_stays(void **state)
{
	static const uint16_t with_opcode[] = { OP_RCV_COUNTERS, VL_OP_PACKETS, VL_OP_DATA };

	for (size_t i = 0; i < sizeof(with_opcode) / sizeof(with_opcode[0]); i++) {
		packet = pma_packet(GET, with_opcode[i], 1);
		packet.mad[PMA_DATA] = 0x64;
		assert_int_equal(pma_ask_status(fabric, "host", 1, &packet, 0)[0], 0x64);
	}
	packet = pma_packet(GET, PORT_COUNTERS, 1);
	packet.mad[PMA_DATA] = 0x64;
	assert_int_equal(pma_ask_status(fabric, "host", 1, &packet, 0)[0], 0);
}

static void bad_places(void **state)
{
	const struct topology_node *host = pma_node(fabric, "host"),
				   *left = pma_node(fabric, "left");
	uint64_t value;

	assert_int_equal(fabric_count(fabric, host, 0, FABRIC_XMIT_DATA, 1), -EINVAL);
	assert_int_equal(fabric_count(fabric, host, 2, FABRIC_XMIT_DATA, 1), -EINVAL);
	assert_int_equal(fabric_count(fabric, left, 9, FABRIC_XMIT_DATA, 1), -EINVAL);
	assert_int_equal(fabric_count(fabric, left, 1, FABRIC_COUNTERS, 1), -EINVAL);
	assert_int_equal(fabric_set_counter(fabric, left, 9, FABRIC_XMIT_DATA, 1), -EINVAL);
	assert_int_equal(fabric_get_counter(fabric, left, 9, FABRIC_XMIT_DATA, &value), -EINVAL);
	assert_int_equal(fabric_get_counter(fabric, left, 0, FABRIC_XMIT_DATA, &value), 0);
	assert_int_equal(value, 0);
	set_counter("left", 1, FABRIC_XMIT_DATA, UINT64_MAX);
	set_counter("left", 1, FABRIC_OP_RCV_DATA, UINT64_MAX);
	assert_int_equal(fabric_get_counter(fabric, left, 1, FABRIC_XMIT_DATA, &value), 0);
	assert_int_equal(value, UINT64_MAX);
	assert_int_equal(fabric_get_counter(fabric, left, 1, FABRIC_OP_RCV_DATA, &value), 0);
	assert_int_equal(value, UINT32_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(class_port_info), TEST(ports_that_are_there),
	TEST(refused),	       TEST(layout),
	TEST(libibmad_agrees), TEST(names),
	TEST(each_select_bit), TEST(no_and_all_select_bits),
	TEST(saturation),      TEST(two_views),
	TEST(all_ports),       TEST(untouched),
	TEST(opcode_stays),    TEST(bad_places),

};

TEST_MAIN(tests, NULL, NULL)
