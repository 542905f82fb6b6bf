/* SPDX-License-Identifier: BSD-2-Clause */
#include "forwarding_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring/names.h>
#include <madring/structs.h>

#define BLOCK_BYTES 64u

#define LAST_UNICAST_LID    0xbfffu
#define FIRST_MULTICAST_LID 0xc000u
#define LAST_MULTICAST_LID  0xfffeu

/* The bits of a modifier that hold the position. */
#define POSITION_SHIFT 28

/* The entry of a LID to which the switch forwards no packets. */
#define DROPPED 255

struct madring_table {
	const struct madring_node *node;
	enum madring_table_kind kind;
	int error; /* of SwitchInfo, or the first one of a block */
	uint16_t last_lid;
	unsigned int block_count, position_count;
	/* Both have the positions of a block side by side. */
	uint8_t (*blocks)[BLOCK_BYTES];
	int *block_errors;
};

struct madring_table *table_new(const struct madring_node *node, enum madring_table_kind kind,
				int error)
{
	struct madring_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->node = node;
	table->kind = kind;
	table->error = error;
	table->position_count = 1;
	if (kind == MADRING_TABLE_MULTICAST)
		table->position_count = node->port_count / MADRING_POSITION_PORTS + 1u;
	return table;
}

void madring_table_free(struct madring_table *table)
{
	if (!table)
		return;
	free(table->blocks);
	free(table->block_errors);
	free(table);
}

void table_set_error(struct madring_table *table, int error)
{
	table->error = error;
}

/* Returns how many LIDs a linear table has entries for, from 0 on. */
static unsigned int count_linear_lids(const struct madring_switch_info *info)
{
	unsigned int count = info->linear_fdb_top + 1u;

	if (count > info->linear_fdb_cap)
		count = info->linear_fdb_cap;
	return count < LAST_UNICAST_LID + 1 ? count : LAST_UNICAST_LID + 1;
}

/*
 * Returns how many LIDs a multicast table has entries for, from the first multicast LID on. A top
 * just below that means that there is none; any lower one, such as 0, that the top is not set.
 */
static unsigned int count_multicast_lids(const struct madring_switch_info *info)
{
	const unsigned int most = LAST_MULTICAST_LID - FIRST_MULTICAST_LID + 1;
	unsigned int count = info->multicast_fdb_cap < most ? info->multicast_fdb_cap : most;
	unsigned int top = info->multicast_fdb_top;

	if (top >= FIRST_MULTICAST_LID - 1 && top - (FIRST_MULTICAST_LID - 1) < count)
		count = top - (FIRST_MULTICAST_LID - 1);
	return count;
}

void table_set_size(struct madring_table *table, const void *switch_info)
{
	bool is_linear = table->kind == MADRING_TABLE_LINEAR;
	unsigned int of_block =
		is_linear ? MADRING_LINEAR_BLOCK_LIDS : MADRING_MULTICAST_BLOCK_LIDS;
	struct madring_switch_info info;
	unsigned int lids, requests;

	madring_switch_info_decode(&info, switch_info);
	lids = is_linear ? count_linear_lids(&info) : count_multicast_lids(&info);
	table->error = 0;
	if (!lids)
		return;
	table->block_count = (lids + of_block - 1) / of_block;
	table->last_lid = (uint16_t)((is_linear ? 0 : FIRST_MULTICAST_LID) + lids - 1);
	requests = table_request_count(table);
	table->blocks = calloc(requests, sizeof(table->blocks[0]));
	table->block_errors = calloc(requests, sizeof(table->block_errors[0]));
	if (!table->blocks || !table->block_errors) {
		table->block_count = 0;
		table->last_lid = 0;
		table->error = -ENOMEM;
		return;
	}
	for (unsigned int i = 0; i < requests; i++)
		table->block_errors[i] = -ECANCELED;
}

uint32_t table_request_count(const struct madring_table *table)
{
	return table->block_count * table->position_count;
}

uint16_t table_attribute(const struct madring_table *table)
{
	return table->kind == MADRING_TABLE_LINEAR ? MADRING_ATTR_LINEAR_FORWARDING_TABLE
						   : MADRING_ATTR_MULTICAST_FORWARDING_TABLE;
}

uint32_t table_modifier(const struct madring_table *table, uint32_t request)
{
	return request / table->position_count | (request % table->position_count)
							 << POSITION_SHIFT;
}

void table_take_block(struct madring_table *table, uint32_t modifier, const void *block, int error)
{
	uint32_t position = modifier >> POSITION_SHIFT;
	uint32_t request = (modifier & ((1u << POSITION_SHIFT) - 1)) * table->position_count;

	request += position;
	table->block_errors[request] = error;
	if (!error)
		memcpy(table->blocks[request], block, BLOCK_BYTES);
}

const struct madring_node *madring_table_node(const struct madring_table *table)
{
	return table->node;
}

enum madring_table_kind madring_table_kind(const struct madring_table *table)
{
	return table->kind;
}

int madring_table_error(const struct madring_table *table)
{
	for (uint32_t i = 0; !table->error && i < table_request_count(table); i++)
		if (table->block_errors[i])
			return table->block_errors[i];
	return table->error;
}

uint16_t madring_table_last_lid(const struct madring_table *table)
{
	return table->last_lid;
}

unsigned int madring_table_block_count(const struct madring_table *table)
{
	return table->block_count;
}

unsigned int madring_table_position_count(const struct madring_table *table)
{
	return table->position_count;
}

int madring_table_block_error(const struct madring_table *table, unsigned int block,
			      unsigned int position)
{
	if (block >= table->block_count || position >= table->position_count)
		return -ENOENT;
	return table->block_errors[block * table->position_count + position];
}

/* Returns 0, or -ENOENT if a table has no entry for a LID. */
static int find_entry(const struct madring_table *table, uint16_t lid, unsigned int first)
{
	return table->block_count && lid >= first && lid <= table->last_lid ? 0 : -ENOENT;
}

int madring_table_port(const struct madring_table *table, uint16_t lid)
{
	unsigned int block = lid / MADRING_LINEAR_BLOCK_LIDS;
	uint8_t port;

	if (table->kind != MADRING_TABLE_LINEAR)
		return -EINVAL;
	if (find_entry(table, lid, 0))
		return -ENOENT;
	if (table->block_errors[block])
		return -ENODATA;
	port = table->blocks[block][lid % MADRING_LINEAR_BLOCK_LIDS];
	if (port == DROPPED)
		return -ENOENT;
	return port <= table->node->port_count ? port : -EBADMSG;
}

/* Clears the bits of ports that a switch does not have. */
static void clear_other_ports(const struct madring_node *node, uint8_t *mask)
{
	for (unsigned int port = node->port_count + 1u; port < 8 * MADRING_PORT_MASK_BYTES; port++)
		mask[port / 8] &= (uint8_t)~(1u << port % 8);
}

int madring_table_ports(const struct madring_table *table, uint16_t lid,
			uint8_t mask[MADRING_PORT_MASK_BYTES])
{
	unsigned int entry = lid - FIRST_MULTICAST_LID, request;
	int error = 0;

	if (table->kind != MADRING_TABLE_MULTICAST)
		return -EINVAL;
	if (find_entry(table, lid, FIRST_MULTICAST_LID))
		return -ENOENT;
	memset(mask, 0, MADRING_PORT_MASK_BYTES);
	request = entry / MADRING_MULTICAST_BLOCK_LIDS * table->position_count;
	for (unsigned int i = 0; i < table->position_count; i++) {
		/* An entry has two bytes, of which the second stands for the lower ports. */
		const uint8_t *ports =
			table->blocks[request + i] + 2 * (entry % MADRING_MULTICAST_BLOCK_LIDS);

		if (table->block_errors[request + i]) {
			error = -ENODATA;
			continue;
		}
		mask[2 * i] = ports[1];
		mask[2 * i + 1] = ports[0];
	}
	clear_other_ports(table->node, mask);
	return error;
}
