/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet management agent: turns a Get or Set that has reached a node into its answer. */
#include <errno.h>
#include <stdlib.h>

#include <infiniband/mad.h>

#include "attribute.h"
#include "../smp.h"

#define LFT_BLOCK    64
#define PKEY_BLOCK   32
#define GUID_BLOCK   8
#define DEFAULT_PKEY 0xffff

/* What differs from asker to asker, by its offset in the attribute. */
#define NODE_INFO_PORT_GUID  20
#define NODE_INFO_LOCAL_PORT 36

/* Each of these returns the status, or -ENOMEM. */
typedef int (*attribute_fn)(const struct request *request);

/* The port that the SMA is at. */
static unsigned int own_port(const struct request *request)
{
	return request->node->type == NODE_SWITCH ? 0 : request->port;
}

static int node_description(const struct request *request)
{
	if (request->method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	memcpy(request->data, request->node->description, ATTRIBUTE_BYTES);
	return 0;
}

static int node_info(const struct request *request)
{
	const struct node *node = request->node;
	uint64_t guid = htobe64(node->port[own_port(request)].guid);

	if (request->method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	memcpy(request->data, node->node_info, ATTRIBUTE_BYTES);
	memcpy(request->data + NODE_INFO_PORT_GUID, &guid, sizeof(guid));
	request->data[NODE_INFO_LOCAL_PORT] = (uint8_t)request->port;
	return 0;
}

static void obey_switch_info(struct node *node, uint8_t *data)
{
	static const enum MAD_FIELDS writable[] = {
		IB_SW_LINEAR_FDB_TOP_F,	    IB_SW_DEF_PORT_F,  IB_SW_DEF_MCAST_PRIM_F,
		IB_SW_DEF_MCAST_NOT_PRIM_F, IB_SW_LIFE_TIME_F, IB_SW_OPT_SLTOVL_MAPPING_F,
		IB_SW_MCAST_FDB_TOP_F,
	};
	size_t i;

	for (i = 0; i < sizeof(writable) / sizeof(writable[0]); i++)
		mad_set_field(node->switch_info, 0, writable[i],
			      mad_get_field(data, 0, writable[i]));
	node->lft_top = mad_get_field(data, 0, IB_SW_LINEAR_FDB_TOP_F);
	/* Written as 1, PortStateChange is cleared. */
	if (mad_get_field(data, 0, IB_SW_STATE_CHANGE_F))
		mad_set_field(node->switch_info, 0, IB_SW_STATE_CHANGE_F, 0);
}

static int switch_info(const struct request *request)
{
	struct node *node = request->node;

	if (node->type != NODE_SWITCH)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (request->method == IB_MAD_METHOD_SET) {
		if (mad_get_field(request->data, 0, IB_SW_LINEAR_FDB_TOP_F) >= LINEAR_FDB_CAP)
			return IB_MAD_STS_INV_ATTR_VALUE;
		obey_switch_info(node, request->data);
	}
	memcpy(request->data, node->switch_info, ATTRIBUTE_BYTES);
	return 0;
}

static int guid_info(const struct request *request)
{
	const struct node *node = request->node;
	unsigned int cap = node->type == NODE_SWITCH ? GUID_CAP_SWITCH : GUID_CAP_CA;
	uint64_t guid = htobe64(node->port[own_port(request)].guid);

	if (request->method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (request->modifier >= (cap + GUID_BLOCK - 1) / GUID_BLOCK)
		return IB_MAD_STS_INV_ATTR_VALUE;
	memset(request->data, 0, ATTRIBUTE_BYTES);
	if (!request->modifier)
		memcpy(request->data, &guid, sizeof(guid));
	return 0;
}

static unsigned int pkey_cap(const struct node *node, unsigned int port)
{
	if (node->type != NODE_SWITCH)
		return PKEY_CAP_CA;
	return port ? PKEY_CAP_SWITCH_PORT : PKEY_CAP_SWITCH;
}

static int pkey_table(const struct request *request)
{
	const struct node *node = request->node;
	unsigned int block = request->modifier & 0xffff;
	unsigned int port = node->type == NODE_SWITCH ? request->modifier >> 16 : request->port;
	uint16_t pkey = htobe16(DEFAULT_PKEY);

	if (request->method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (port > node->port_count || block * PKEY_BLOCK >= pkey_cap(node, port))
		return IB_MAD_STS_INV_ATTR_VALUE;
	memset(request->data, 0, ATTRIBUTE_BYTES);
	if (!block)
		memcpy(request->data, &pkey, sizeof(pkey));
	return 0;
}

/* The table is as long as the highest block ever set. */
static int set_lft_block(struct node *node, uint32_t first, const uint8_t *data)
{
	uint8_t *lft;

	if (first + LFT_BLOCK > node->lft_size) {
		lft = realloc(node->lft, first + LFT_BLOCK);
		if (!lft)
			return -ENOMEM;
		memset(lft + node->lft_size, LFT_DROP, first + LFT_BLOCK - node->lft_size);
		node->lft = lft;
		node->lft_size = first + LFT_BLOCK;
	}
	memcpy(node->lft + first, data, LFT_BLOCK);
	return 0;
}

static int linear_forwarding_table(const struct request *request)
{
	struct node *node = request->node;
	uint32_t first = request->modifier * LFT_BLOCK;

	if (node->type != NODE_SWITCH)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (request->modifier >= LINEAR_FDB_CAP / LFT_BLOCK)
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (request->method == IB_MAD_METHOD_SET)
		return set_lft_block(node, first, request->data);
	if (first < node->lft_size)
		memcpy(request->data, node->lft + first, LFT_BLOCK);
	else
		memset(request->data, LFT_DROP, LFT_BLOCK);
	return 0;
}

/* Mellanox' own attribute, by which tools tell FDR10 from QDR. */
static int mlnx_ext_port_info(const struct request *request)
{
	const struct port *port = named_port(request, request->modifier);

	if (request->method != IB_MAD_METHOD_GET)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (!port)
		return IB_MAD_STS_INV_ATTR_VALUE;
	memset(request->data, 0, ATTRIBUTE_BYTES);
	mad_set_field(request->data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, port->fdr10);
	mad_set_field(request->data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, port->fdr10);
	mad_set_field(request->data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, port->fdr10);
	return 0;
}

static attribute_fn handler_of(uint16_t attribute)
{
	switch (attribute) {
	case IB_ATTR_NODE_DESC:
		return node_description;
	case IB_ATTR_NODE_INFO:
		return node_info;
	case IB_ATTR_SWITCH_INFO:
		return switch_info;
	case IB_ATTR_GUID_INFO:
		return guid_info;
	case IB_ATTR_PORT_INFO:
		return port_info;
	case IB_ATTR_PKEY_TBL:
		return pkey_table;
	case IB_ATTR_LINEARFORWTBL:
		return linear_forwarding_table;
	case IB_ATTR_MLNX_EXT_PORT_INFO:
		return mlnx_ext_port_info;
	default:
		return NULL;
	}
}

static int status_of(const struct agent_request *asked)
{
	uint8_t *mad = asked->packet->mad;
	const struct request request = {
		.fabric = asked->fabric,
		.node = asked->node,
		.port = asked->port,
		.method = mad[SMP_METHOD],
		.modifier = smp_get32(mad, SMP_MODIFIER),
		.data = mad + SMP_DATA,
	};
	attribute_fn handler;

	if (mad[SMP_BASE_VERSION] != 1 || mad[SMP_CLASS_VERSION] != 1)
		return IB_MAD_STS_BAD_BASE_VER_OR_CLASS;
	if (request.method != IB_MAD_METHOD_GET && request.method != IB_MAD_METHOD_SET)
		return IB_MAD_STS_METHOD_NOT_SUPPORTED;
	handler = handler_of(smp_get16(mad, SMP_ATTRIBUTE));
	return handler ? handler(&request) : IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
}

/* Traps and SMInfo are between managers. */
static bool is_for_manager(const uint8_t *mad)
{
	if (mad[SMP_METHOD] == IB_MAD_METHOD_TRAP || mad[SMP_METHOD] == IB_MAD_METHOD_TRAP_REPRESS)
		return true;
	return smp_get16(mad, SMP_ATTRIBUTE) == IB_ATTR_SMINFO;
}

enum agent_result sma_answer(struct agent_request *request)
{
	uint8_t *mad = request->packet->mad;
	int status;

	if (is_for_manager(mad))
		return AGENT_PASSED;
	status = status_of(request);
	if (status < 0) {
		request->drop = FABRIC_DROP_NO_MEMORY;
		return AGENT_DROPPED;
	}
	if (smp_is_directed(mad))
		status |= SMP_DIRECTION;
	smp_set16(mad, SMP_STATUS, (uint16_t)status);
	mad[SMP_METHOD] = mad[SMP_METHOD] == IB_MAD_METHOD_SET ? IB_MAD_METHOD_GET_RESPONSE
							       : mad[SMP_METHOD] | IB_MAD_RESPONSE;
	return AGENT_ANSWERED;
}
