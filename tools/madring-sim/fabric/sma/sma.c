/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet management agent: turns a Get or Set that has reached a node into its reply. */
#include "fabric/notice.h"
#include "fabric/sma/attribute.h"
#include "fabric/sma/mkey.h"
#include "fabric/smp.h"

/*
 * handler_of returns the function that answers for an attribute, or NULL: it is not supported. So
 * are the random forwarding table, Notice, and SMInfo where no endpoint is attached whose driver
 * could be asked for a manager.
 */
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
	case IB_ATTR_PORT_INFO_EXT:
		return port_info_extended;
	case IB_ATTR_PKEY_TBL:
		return pkey_table;
	case IB_ATTR_SLVL_TABLE:
		return sl_to_vl_table;
	case IB_ATTR_VL_ARBITRATION:
		return vl_arbitration_table;
	case IB_ATTR_LINEARFORWTBL:
		return linear_forwarding_table;
	case IB_ATTR_MULTICASTFORWTBL:
		return multicast_forwarding_table;
	case IB_ATTR_MLNX_EXT_PORT_INFO:
		return mlnx_ext_port_info;
	default:
		return NULL;
	}
}

static enum agent_result answer(uint8_t *mad, int status)
{
	if (smp_is_directed(mad))
		status |= SMP_DIRECTION;
	smp_set16(mad, SMP_STATUS, (uint16_t)status);
	mad[SMP_METHOD] = mad[SMP_METHOD] == IB_MAD_METHOD_SET ? IB_MAD_METHOD_GET_RESPONSE
							       : mad[SMP_METHOD] | IB_MAD_RESPONSE;
	return AGENT_ANSWERED;
}

static enum agent_result drop(struct agent_request *request, enum fabric_drop cause)
{
	request->drop = cause;
	return AGENT_DROPPED;
}

static enum agent_result get_or_set(struct agent_request *request)
{
	uint8_t *mad = request->packet->mad;
	attribute_fn handler = handler_of(smp_get16(mad, SMP_ATTRIBUTE));
	const struct request asked = {
		.fabric = request->fabric,
		.node = request->node,
		.port = request->port,
		.method = mad[SMP_METHOD],
		.modifier = smp_get32(mad, SMP_MODIFIER),
		.any_mkey = request->any_mkey,
		.mad = mad,
		.data = mad + SMP_DATA,
	};
	int status = handler ? handler(&asked) : IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;

	return status < 0 ? drop(request, FABRIC_DROP_NO_MEMORY) : answer(mad, status);
}

enum agent_result sma_answer(struct agent_request *request)
{
	struct port *port = lid_port(request->node, request->port);
	uint8_t *mad = request->packet->mad;

	if (mad[SMP_BASE_VERSION] != 1 || mad[SMP_CLASS_VERSION] != 1)
		return answer(mad, IB_MAD_STS_BAD_BASE_VER_OR_CLASS);
	switch (mad[SMP_METHOD]) {
	case IB_MAD_METHOD_GET:
	case IB_MAD_METHOD_SET:
		if (!mkey_admits(request))
			return drop(request, FABRIC_DROP_KEY);
		if (smp_get16(mad, SMP_ATTRIBUTE) == IB_ATTR_SMINFO && port->endpoint >= 0)
			return AGENT_PASSED;
		return get_or_set(request);
	case IB_MAD_METHOD_TRAP:
		return AGENT_PASSED;
	case IB_MAD_METHOD_TRAP_REPRESS:
		if (!mkey_admits(request))
			return drop(request, FABRIC_DROP_KEY);
		notice_repress(port, mad);
		return AGENT_TAKEN;
	default:
		return answer(mad, IB_MAD_STS_METHOD_NOT_SUPPORTED);
	}
}
