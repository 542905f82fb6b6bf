/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/node_agent.h"
#include "fabric/smp.h"

bool agent_is_asked(const uint8_t *mad)
{
	if (mad[SMP_METHOD] & IB_MAD_RESPONSE)
		return false;
	return !(smp_is_directed(mad) && smp_returns(mad));
}

/*
 * refuse answers a request that no agent has registered for, as an HCA's driver does. A switch has
 * no driver.
 */
static enum agent_result refuse(struct agent_request *request)
{
	uint8_t *mad = request->packet->mad;

	if (lid_port(request->node, request->port)->endpoint >= 0)
		return AGENT_PASSED;
	request->drop = FABRIC_DROP_UNCLAIMED;
	if (request->node->type == NODE_SWITCH)
		return AGENT_DROPPED;
	if (mad[SMP_METHOD] != IB_MAD_METHOD_GET && mad[SMP_METHOD] != IB_MAD_METHOD_SET)
		return AGENT_DROPPED;
	mad[SMP_METHOD] = IB_MAD_METHOD_GET_RESPONSE;
	smp_set16(mad, SMP_STATUS, IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED);
	return AGENT_ANSWERED;
}

enum agent_result agent_answer(struct agent_request *request)
{
	uint8_t mgmt_class = request->packet->mad[SMP_CLASS];

	if (!smp_class_is_smp(mgmt_class) != (request->packet->dqp != 0)) {
		request->drop = FABRIC_DROP_INVALID;
		return AGENT_DROPPED;
	}
	if (smp_class_is_smp(mgmt_class))
		return sma_answer(request);
	if (mgmt_class == IB_PERFORMANCE_CLASS)
		return pma_answer(request);
	return refuse(request);
}
