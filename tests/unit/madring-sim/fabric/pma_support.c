/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "pma_support.h"

#define MAX_WIRES 256

struct wire wires[MAX_WIRES];
size_t wire_count;

static void add(uint16_t attribute, enum fabric_counter first, unsigned int count, unsigned int bit,
		unsigned int bits, unsigned int select)
{
	for (unsigned int i = 0; i < count; i++) {
		assert_true(wire_count < MAX_WIRES);
		wires[wire_count++] = (struct wire){ .attribute = attribute,
						     .counter = first + i,
						     .bit = bit + i * bits,
						     .bits = bits,
						     .select = select + i };
	}
}

/* `wires_fill` follows the tables of the IBA's chapter 16, counted in bytes. */
void wires_fill(void)
{
	wire_count = 0;
	add(PORT_COUNTERS, FABRIC_SYMBOL_ERRORS, 1, 4 * 8, 16, 0);
	add(PORT_COUNTERS, FABRIC_LINK_RECOVERIES, 2, 6 * 8, 8, 1);
	add(PORT_COUNTERS, FABRIC_RCV_ERRORS, 4, 8 * 8, 16, 3);
	add(PORT_COUNTERS, FABRIC_XMIT_CONSTRAINT_ERRORS, 2, 16 * 8, 8, 7);
	add(PORT_COUNTERS, FABRIC_LOCAL_LINK_INTEGRITY_ERRORS, 2, 19 * 8, 4, 9);
	add(PORT_COUNTERS, FABRIC_VL15_DROPPED, 1, 22 * 8, 16, 11);
	add(PORT_COUNTERS, FABRIC_XMIT_DATA, 5, 24 * 8, 32, 12);
	add(PORT_COUNTERS_EXTENDED, FABRIC_XMIT_DATA, 4, 8 * 8, 64, 0);
	add(PORT_COUNTERS_EXTENDED, FABRIC_UNICAST_XMIT_PKTS, 4, 40 * 8, 64, 4);
	add(PORT_COUNTERS_EXTENDED, FABRIC_SYMBOL_ERRORS, 12, 72 * 8, 64, 16);
	add(PORT_COUNTERS_EXTENDED, FABRIC_XMIT_WAIT, 1, 168 * 8, 64, 28);
	add(RCV_ERROR_DETAILS, FABRIC_LOCAL_PHYSICAL_ERRORS, 6, 4 * 8, 16, 0);
	add(XMIT_DISCARD_DETAILS, FABRIC_INACTIVE_DISCARDS, 4, 4 * 8, 16, 0);
	add(OP_RCV_COUNTERS, FABRIC_OP_RCV_PKTS, 2, 4 * 8, 32, 0);
	add(FLOW_CTL_COUNTERS, FABRIC_XMIT_FLOW_PKTS, 2, 4 * 8, 32, 0);
	add(VL_OP_PACKETS, FABRIC_VL_OP_PACKETS, 16, 4 * 8, 16, 0);
	add(VL_OP_DATA, FABRIC_VL_OP_DATA, 16, 4 * 8, 32, 0);
	add(VL_XMIT_FLOW_CTL_ERRORS, FABRIC_VL_XMIT_FLOW_CTL_UPDATE_ERRORS, 16, 4 * 8, 2, 0);
	add(VL_XMIT_WAIT, FABRIC_VL_XMIT_WAIT, 16, 4 * 8, 16, 0);
	add(SW_VL_CONGESTION, FABRIC_SW_VL_CONGESTION, 16, 4 * 8, 16, 0);
	add(XMIT_DATA_SL, FABRIC_XMIT_DATA_SL, 16, 4 * 8, 32, 0);
	add(RCV_DATA_SL, FABRIC_RCV_DATA_SL, 16, 4 * 8, 32, 0);
	add(EXTENDED_SPEEDS, FABRIC_SYNC_HEADER_ERRORS, 14, 16 * 8, 16, 0);
	add(EXTENDED_SPEEDS, FABRIC_FEC_CORRECTABLE_LANE, 24, 44 * 8, 32, 14);
}

uint64_t get_bits(const uint8_t *data, unsigned int bit, unsigned int bits)
{
	uint64_t value = 0;

	for (; bits; bits--, bit++)
		value = value << 1 | (data[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

void put_bits(uint8_t *data, unsigned int bit, unsigned int bits, uint64_t value)
{
	for (bit += bits; bits; bits--, value >>= 1) {
		bit--;
		data[bit / 8] &= (uint8_t)~(0x80 >> bit % 8);
		data[bit / 8] |= (uint8_t)((value & 1) << (7 - bit % 8));
	}
}

uint64_t limit_of(unsigned int bits)
{
	return UINT64_MAX >> (64 - bits);
}

void select_counters(uint8_t *data, uint16_t attribute, uint64_t select)
{
	if (attribute == EXTENDED_SPEEDS) {
		put_bits(data, 8 * 8, 64, select);
		return;
	}
	put_bits(data, 2 * 8, 16, select);
	if (attribute == PORT_COUNTERS)
		put_bits(data, 18 * 8, 8, select >> 16);
	if (attribute == PORT_COUNTERS_EXTENDED)
		put_bits(data, 4 * 8, 32, select >> 16);
}

struct fabric_packet pma_packet(uint8_t method, uint16_t attribute, unsigned int port)
{
	struct fabric_packet packet = { .sqp = 1, .dqp = 1 };
	uint8_t *mad = packet.mad;

	mad[0] = 1;
	mad[1] = 4;
	mad[2] = 1;
	mad[3] = method;
	mad[15] = 0x55;
	put_bits(mad, 16 * 8, 16, attribute);
	mad[PMA_DATA + 1] = (uint8_t)port;
	return packet;
}

const struct topology_node *pma_node(const struct fabric *fabric, const char *name)
{
	return topology_find(fabric_topology(fabric), name);
}

enum agent_result pma_ask(struct fabric *fabric, const char *node, unsigned int port,
			  struct fabric_packet *packet)
{
	struct agent_request request = {
		.fabric = fabric,
		.node = &fabric->nodes[pma_node(fabric, node)->index],
		.port = port,
		.packet = packet,
	};

	return pma_answer(&request);
}

uint8_t *pma_ask_status(struct fabric *fabric, const char *node, unsigned int port,
			struct fabric_packet *packet, uint16_t status)
{
	assert_int_equal(pma_ask(fabric, node, port, packet), AGENT_ANSWERED);
	assert_int_equal(packet->mad[3], 0x81);
	assert_int_equal(packet->mad[15], 0x55);
	assert_int_equal(get_bits(packet->mad, 4 * 8, 16), status);
	return packet->mad + PMA_DATA;
}

uint8_t *pma_get(struct fabric *fabric, const char *node, uint16_t attribute, unsigned int port,
		 struct fabric_packet *packet)
{
	*packet = pma_packet(GET, attribute, port);
	return pma_ask_status(fabric, node, 1, packet, 0);
}

uint64_t pma_value(struct fabric *fabric, const char *node, const struct wire *wire,
		   unsigned int port)
{
	struct fabric_packet packet;
	const uint8_t *data = pma_get(fabric, node, wire->attribute, port, &packet);

	return get_bits(data, wire->bit, wire->bits);
}

uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
