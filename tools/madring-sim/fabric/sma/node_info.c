/* SPDX-License-Identifier: BSD-2-Clause */
/* NodeInfo, NodeDescription and SwitchInfo. */
#include <endian.h>
#include <string.h>

#include "fabric/sma/attribute.h"

/* The offsets of the fields that depend on the port that the request came in by. */
#define PORT_GUID_OFFSET  20
#define LOCAL_PORT_OFFSET 36

int node_info(const struct request *request)
{
	const struct node *node = request->node;
	uint64_t guid = htobe64(lid_port(node, request->port)->guid);

	if (is_set(request))
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	memcpy(request->data, node->node_info, ATTRIBUTE_BYTES);
	memcpy(request->data + PORT_GUID_OFFSET, &guid, sizeof(guid));
	request->data[LOCAL_PORT_OFFSET] = (uint8_t)request->port;
	return 0;
}

int node_description(const struct request *request)
{
	if (is_set(request))
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	memcpy(request->data, request->node->description, ATTRIBUTE_BYTES);
	return 0;
}

#define NO_PORT	       0xff
#define MULTICAST_LIDS 0xc000

static bool is_port(const struct node *node, uint32_t number)
{
	return number <= node->port_count || number == NO_PORT;
}

/*
 * is_multicast_top tells whether a MulticastFDBTop is valid. 0 means that the field is not used;
 * the LID before the first, that there is no multicast.
 */
static bool is_multicast_top(uint32_t top)
{
	return !top || (top >= MULTICAST_LIDS - 1 && top < MULTICAST_LIDS + MULTICAST_FDB_CAP);
}

static bool is_valid(const struct request *request)
{
	const struct node *node = request->node;
	uint8_t *data = request->data;

	return mad_get_field(data, 0, IB_SW_LINEAR_FDB_TOP_F) < LINEAR_FDB_CAP &&
	       is_multicast_top(mad_get_field(data, 0, IB_SW_MCAST_FDB_TOP_F)) &&
	       is_port(node, mad_get_field(data, 0, IB_SW_DEF_PORT_F)) &&
	       is_port(node, mad_get_field(data, 0, IB_SW_DEF_MCAST_PRIM_F)) &&
	       is_port(node, mad_get_field(data, 0, IB_SW_DEF_MCAST_NOT_PRIM_F));
}

static void obey(struct node *node, uint8_t *data)
{
	static const enum MAD_FIELDS writable[] = {
		IB_SW_LINEAR_FDB_TOP_F,	    IB_SW_DEF_PORT_F,  IB_SW_DEF_MCAST_PRIM_F,
		IB_SW_DEF_MCAST_NOT_PRIM_F, IB_SW_LIFE_TIME_F, IB_SW_MCAST_FDB_TOP_F,
	};

	for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++)
		mad_set_field(node->switch_info, 0, writable[i],
			      mad_get_field(data, 0, writable[i]));
	node->lft_top = mad_get_field(data, 0, IB_SW_LINEAR_FDB_TOP_F);
	/* Written as 1, PortStateChange is cleared. */
	if (mad_get_field(data, 0, IB_SW_STATE_CHANGE_F))
		mad_set_field(node->switch_info, 0, IB_SW_STATE_CHANGE_F, 0);
}

int switch_info(const struct request *request)
{
	struct node *node = request->node;

	if (node->type != NODE_SWITCH)
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (is_set(request)) {
		if (!is_valid(request))
			return IB_MAD_STS_INV_ATTR_VALUE;
		obey(node, request->data);
	}
	memcpy(request->data, node->switch_info, ATTRIBUTE_BYTES);
	return 0;
}
