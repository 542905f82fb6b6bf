/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes in any order get an answer of some kind, change nothing else, and cause no crash. */
#include <string.h>

#include "pma_support.h"

#define REQUESTS 400000

static const char *const names[] = { "left", "right", "dual", "host", "router" };

#define NAMES (sizeof(names) / sizeof(names[0]))

static void fill(uint8_t *bytes, size_t size, uint64_t *random)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(draw(random) >> 32);
}

/* Makes a packet that is mostly valid so far that an agent reads on. */
static struct fabric_packet any_packet(uint64_t *random)
{
	uint64_t how = draw(random) >> 16;
	struct fabric_packet packet =
		pma_packet((uint8_t)(1 + how % 2), (uint16_t)(how >> 8 & 0x3f),
			   (unsigned int)(how >> 16) & 0xf);

	if (how >> 24 & 1)
		fill(packet.mad + PMA_DATA + 2, PMA_DATA_BYTES - 2, random);
	if ((how >> 25 & 7) == 0)
		packet.mad[PMA_DATA + 1] = ALL_PORTS;
	if ((how >> 28 & 15) == 0)
		fill(packet.mad, sizeof(packet.mad), random);
	if ((how >> 32 & 15) == 0)
		packet.mad[draw(random) % 24] ^= (uint8_t)(1 << draw(random) % 8);
	return packet;
}

static void check(enum agent_result result, const struct fabric_packet *asked,
		  const struct fabric_packet *packet)
{
	uint64_t status = get_bits(packet->mad, 4 * 8, 16);

	if (result == AGENT_PASSED) {
		assert_memory_equal(packet, asked, sizeof(*asked));
		return;
	}
	assert_int_equal(result, AGENT_ANSWERED);
	assert_int_equal(packet->mad[3], asked->mad[3] == SET ? 0x81 : asked->mad[3] | 0x80);
	assert_true(status == 0 || status == 0x04 || status == 0x08 || status == 0x0c ||
		    status == 0x1c);
	assert_memory_equal(packet->mad, asked->mad, 3);
	assert_memory_equal(packet->mad + 6, asked->mad + 6, PMA_DATA - 6);
	if (status)
		assert_memory_equal(packet->mad + PMA_DATA, asked->mad + PMA_DATA, PMA_DATA_BYTES);
}

static void random_requests(void **state)
{
	struct fabric_packet asked, packet;
	uint64_t random = 0x1234567, now = 0;
	struct fabric *fabric;
	enum agent_result result;
	const char *name;
	int endpoint;

	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	for (unsigned int i = 0; i < REQUESTS; i++) {
		asked = packet = any_packet(&random);
		name = names[draw(&random) % NAMES];
		result = pma_ask(fabric, name, 1, &packet);
		check(result, &asked, &packet);
		now += draw(&random) % 1000000;
		fabric_run(fabric, now);
	}
	fabric_close(fabric);
}

/* Calls every function with any numbers. */
static void random_calls(void **state)
{
	uint64_t random = 99, now = 0, value;
	struct fabric_traffic traffic;
	const struct topology_node *node;
	struct fabric_flow flow;
	unsigned int port, which;
	struct fabric *fabric;
	int endpoint;

	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	for (unsigned int i = 0; i < REQUESTS / 4; i++) {
		node = pma_node(fabric, names[draw(&random) % NAMES]);
		port = (unsigned int)(draw(&random) % 11);
		which = (unsigned int)(draw(&random) % (FABRIC_COUNTERS + 3));
		fill((uint8_t *)&traffic, sizeof(traffic), &random);
		traffic.xmit_bytes >>= draw(&random) % 60;
		traffic.xmit_packets >>= 30;
		traffic.rcv_bytes >>= 30;
		traffic.rcv_packets >>= 30;
		traffic.xmit_multicasts >>= 40;
		traffic.rcv_multicasts >>= 40;
		traffic.xmit_wait >>= 30;
		flow = (struct fabric_flow){ node,
					     port,
					     (uint16_t)draw(&random),
					     (uint8_t)draw(&random),
					     draw(&random) >> 26,
					     (uint32_t)draw(&random) };
		fabric_set_traffic(fabric, node, port, &traffic);
		fabric_set_error_rate(fabric, node, port, which,
				      (double)draw(&random) / (double)(draw(&random) | 1));
		fabric_count(fabric, node, port, which, draw(&random));
		fabric_set_counter(fabric, node, port, which, draw(&random));
		fabric_add_flow(fabric, &flow);
		assert_int_equal(fabric_get_counter(fabric, node, port, which, &value) == 0,
				 which < FABRIC_COUNTERS && port <= node->port_count &&
					 (port || node->type == NODE_SWITCH));
		now += draw(&random) >> (10 + draw(&random) % 54);
		fabric_run(fabric, now < UINT64_MAX / 2 ? now : UINT64_MAX / 2);
	}
	fabric_close(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_requests),
	cmocka_unit_test(random_calls),
};

TEST_MAIN(tests, NULL, NULL)
