/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables that a manager reads and sets block by block: forwarding tables, GUIDs, P_Keys, SLtoVL
 * and VLArbitration.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/port_tables.h"
#include "fabric/sma/attribute.h"

#define BLOCK_BYTES	  ATTRIBUTE_BYTES
#define LINEAR_BLOCKS	  (LINEAR_FDB_CAP / BLOCK_BYTES) /* a byte for each LID */
#define MULTICAST_BLOCK	  (BLOCK_BYTES / 2)		 /* 16 ports for each LID */
#define MULTICAST_BLOCKS  (MULTICAST_FDB_CAP / MULTICAST_BLOCK)
#define PORTS_OF_POSITION 16

#define POSITION_SHIFT 28

/* grow makes room up to @size, and fills the new part with @filler. */
static int grow(uint8_t **table, uint32_t *table_size, uint32_t size, int filler)
{
	uint8_t *grown;

	if (size <= *table_size)
		return 0;
	grown = realloc(*table, size);
	if (!grown)
		return -ENOMEM;
	memset(grown + *table_size, filler, size - *table_size);
	*table = grown;
	*table_size = size;
	return 0;
}

int linear_forwarding_table(const struct request *request)
{
	struct node *node = request->node;
	uint32_t first = request->modifier * BLOCK_BYTES;

	if (node->type != NODE_SWITCH)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (request->modifier >= LINEAR_BLOCKS)
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (is_set(request)) {
		if (grow(&node->lft, &node->lft_size, first + BLOCK_BYTES, LFT_DROP))
			return -ENOMEM;
		memcpy(node->lft + first, request->data, BLOCK_BYTES);
	} else if (first < node->lft_size) {
		memcpy(request->data, node->lft + first, BLOCK_BYTES);
	} else {
		memset(request->data, LFT_DROP, BLOCK_BYTES);
	}
	return 0;
}

/*
 * multicast_forwarding_table answers for a block. All positions of a block lie side by side in the
 * table.
 */
int multicast_forwarding_table(const struct request *request)
{
	struct node *node = request->node;
	uint32_t positions = node->port_count / PORTS_OF_POSITION + 1u;
	uint32_t position = request->modifier >> POSITION_SHIFT;
	uint32_t block = request->modifier & ((1u << POSITION_SHIFT) - 1);
	uint32_t first;

	if (node->type != NODE_SWITCH)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (position >= positions || block >= MULTICAST_BLOCKS)
		return IB_MAD_STS_INV_ATTR_VALUE;
	first = (block * positions + position) * BLOCK_BYTES;
	if (is_set(request)) {
		if (grow(&node->mft, &node->mft_size, (block + 1) * positions * BLOCK_BYTES, 0))
			return -ENOMEM;
		memcpy(node->mft + first, request->data, BLOCK_BYTES);
	} else if (first < node->mft_size) {
		memcpy(request->data, node->mft + first, BLOCK_BYTES);
	} else {
		memset(request->data, 0, BLOCK_BYTES);
	}
	return 0;
}

#define GUID_BYTES     8
#define GUIDS_OF_BLOCK (ATTRIBUTE_BYTES / GUID_BYTES)

static void make_guids(uint8_t *table, size_t size)
{
	memset(table, 0, size);
}

/*
 * guid_info answers for GUIDInfo: the port's own GUID, which stays, and those that a manager adds.
 */
int guid_info(const struct request *request)
{
	struct port *port = lid_port(request->node, request->port);
	size_t entries = request->node->type == NODE_SWITCH ? GUID_CAP_SWITCH : GUID_CAP_CA;
	uint64_t guid = htobe64(port->guid);
	struct table_part part;
	size_t first;

	if (request->modifier >= (entries + GUIDS_OF_BLOCK - 1) / GUIDS_OF_BLOCK)
		return IB_MAD_STS_INV_ATTR_VALUE;
	first = request->modifier * GUIDS_OF_BLOCK;
	if (entries > first + GUIDS_OF_BLOCK)
		entries = first + GUIDS_OF_BLOCK;
	part = (struct table_part){
		.table = offsetof(struct port_tables, guids),
		.size = GUID_CAP_CA * GUID_BYTES,
		.first = first * GUID_BYTES,
		.count = (entries - first) * GUID_BYTES,
		.make = make_guids,
	};
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	table_get(port, &part, request->data);
	/* The first GUID is the port's own, whatever was set there. */
	if (!first)
		memcpy(request->data, &guid, GUID_BYTES);
	return 0;
}

/*
 * pkey_table answers for P_KeyTable: which partitions a port is in and, by the highest bit, whether
 * in full.
 */
int pkey_table(const struct request *request)
{
	const struct node *node = request->node;
	unsigned int number = node->type == NODE_SWITCH ? request->modifier >> 16 : request->port;
	struct port *port = named_port(request, number);
	struct table_part part;

	if (!port || !pkey_part(node, port, request->modifier & 0xffff, &part))
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	port->pkey_sets += is_set(request);
	table_get(port, &part, request->data);
	return 0;
}

#define SL_TO_VL_BYTES 8 /* half a byte for each of 16 SLs */

/* The bits of the modifier of a switch's SLtoVL table: all output ports, and all input ports. */
#define ALL_OUT 0x10000u
#define ALL_IN	0x20000u

#define ARBITRATION_ENTRY 2 /* VL and weight */
#define LOW_BLOCK	  1 /* the first 32 entries; the others would be the next block */
#define HIGH_BLOCK	  3
#define TABLE_BYTES	  (VL_ARBITRATION_CAP * ARBITRATION_ENTRY)

#define EVEN_WEIGHT 4

/* make_sl_to_vl makes the table of the factory. SLs beyond the data VLs share VL 7 with SL 7. */
static void make_sl_to_vl(uint8_t *table, size_t size)
{
	static const uint8_t straight[SL_TO_VL_BYTES] = { 0x01, 0x23, 0x45, 0x67,
							  0x89, 0xab, 0xcd, 0xe7 };

	for (size_t i = 0; i < size; i += SL_TO_VL_BYTES)
		memcpy(table + i, straight, SL_TO_VL_BYTES);
}

/* The ports that a switch's modifier names. Other nodes have one table a port. */
struct ports {
	unsigned int first_in, last_in, first_out, last_out;
};

/* Reads the ports that an attribute modifier names. Returns false if the node cannot name these. */
static bool name_ports(const struct request *request, struct ports *ports)
{
	struct node *node = request->node;
	uint32_t modifier = request->modifier;
	unsigned int all = modifier & (ALL_IN | ALL_OUT);

	*ports = (struct ports){
		.first_in = modifier >> 8 & 0xff,
		.last_in = modifier >> 8 & 0xff,
		.first_out = modifier & 0xff,
		.last_out = modifier & 0xff,
	};
	if (node->type != NODE_SWITCH) {
		*ports = (struct ports){ .first_out = request->port, .last_out = request->port };
		return true;
	}
	if (modifier & ~(ALL_IN | ALL_OUT | 0xffff))
		return false;
	if (all && !mad_get_field(node->switch_info, 0, IB_SW_OPT_SLTOVL_MAPPING_F))
		return false;
	if (all & ALL_IN) {
		ports->first_in = 0;
		ports->last_in = node->port_count;
	}
	if (all & ALL_OUT) {
		ports->first_out = 0;
		ports->last_out = node->port_count;
	}
	return ports->last_in <= node->port_count && ports->last_out <= node->port_count;
}

static struct table_part sl_to_vl_part(const struct node *node, unsigned int in)
{
	size_t tables = node->type == NODE_SWITCH ? node->port_count + 1u : 1;

	return (struct table_part){
		.table = offsetof(struct port_tables, sl_to_vl),
		.size = tables * SL_TO_VL_BYTES,
		.first = in * SL_TO_VL_BYTES,
		.count = SL_TO_VL_BYTES,
		.make = make_sl_to_vl,
	};
}

static int set_sl_to_vl(const struct request *request, const struct ports *ports)
{
	for (unsigned int out = ports->first_out; out <= ports->last_out; out++) {
		for (unsigned int in = ports->first_in; in <= ports->last_in; in++) {
			struct table_part part = sl_to_vl_part(request->node, in);

			if (table_set(&request->node->port[out], &part, request->data))
				return -ENOMEM;
		}
	}
	return 0;
}

/*
 * sl_to_vl_table answers for SLtoVLMappingTable. The reply shows the table of the first port that
 * the modifier names.
 */
int sl_to_vl_table(const struct request *request)
{
	struct table_part part;
	struct ports ports;

	if (!name_ports(request, &ports))
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (is_set(request) && set_sl_to_vl(request, &ports))
		return -ENOMEM;
	part = sl_to_vl_part(request->node, ports.first_in);
	table_get(&request->node->port[ports.first_out], &part, request->data);
	return 0;
}

/*
 * make_arbitration makes low priority's table, then high priority's: VL 0 is served first, and the
 * others alike.
 */
static void make_arbitration(uint8_t *table, size_t size)
{
	uint8_t *high = table + TABLE_BYTES;

	memset(table, 0, size);
	for (uint8_t vl = 0; vl < VL_ARBITRATION_CAP; vl++) {
		table[vl * ARBITRATION_ENTRY] = vl;
		table[vl * ARBITRATION_ENTRY + 1] = vl ? EVEN_WEIGHT : 0;
		high[vl * ARBITRATION_ENTRY] = vl;
		high[vl * ARBITRATION_ENTRY + 1] = vl ? 0 : EVEN_WEIGHT;
	}
}

int vl_arbitration_table(const struct request *request)
{
	bool on_switch = request->node->type == NODE_SWITCH;
	unsigned int block = request->modifier >> 16;
	struct port *port = named_port(request, on_switch ? request->modifier & 0xffff : 0);
	const struct table_part part = {
		.table = offsetof(struct port_tables, vl_arbitration),
		.size = 2 * TABLE_BYTES,
		.first = block == LOW_BLOCK ? 0 : TABLE_BYTES,
		.count = TABLE_BYTES,
		.make = make_arbitration,
	};

	/* The tables are too short to have second blocks. */
	if (!port || (block != LOW_BLOCK && block != HIGH_BLOCK))
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	table_get(port, &part, request->data);
	return 0;
}
