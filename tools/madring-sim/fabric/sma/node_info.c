/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node is: NodeInfo and NodeDescription. */
#include <endian.h>
#include <string.h>

#include "fabric/sma/attribute.h"

/* What differs from asker to asker, by its offset in the attribute. */
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
