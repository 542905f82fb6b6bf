/* SPDX-License-Identifier: BSD-2-Clause */
/* The forwarding tables of a switch, as long as the highest block ever set. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/sma/attribute.h"

#define BLOCK_BYTES	  ATTRIBUTE_BYTES
#define LINEAR_BLOCKS	  (LINEAR_FDB_CAP / BLOCK_BYTES) /* a byte for each LID */
#define MULTICAST_BLOCK	  (BLOCK_BYTES / 2)		 /* 16 ports for each LID */
#define MULTICAST_BLOCKS  (MULTICAST_FDB_CAP / MULTICAST_BLOCK)
#define PORTS_OF_POSITION 16

#define POSITION_SHIFT 28

/* Makes room up to @size; what is new is filled with @filler. */
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

/* All positions of a block lie side by side. */
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
