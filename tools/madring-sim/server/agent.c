/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "server/agent.h"
#include "server/mad.h"

#define MAX_CLASS	  80 /* classes from here on can't be registered, but for 0x81 */
#define MAX_CLASS_VERSION 0x83
#define MAX_HI_TID	  0xffffff
#define MAX_OUI		  0xffffff

static bool may_register(const struct sim_request *asked)
{
	uint8_t mgmt_class = asked->mgmt_class;

	if (asked->qpn > 1)
		return false;
	if (asked->rmpp_version && asked->rmpp_version != UMAD_RMPP_VERSION)
		return false;
	if (!mgmt_class)
		return true;
	if (asked->oui > MAX_OUI || asked->class_version >= MAX_CLASS_VERSION)
		return false;
	if (mgmt_class >= MAX_CLASS && mgmt_class != UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return false;
	if (mad_is_vendor2(mgmt_class) && !asked->oui)
		return false;
	if (asked->rmpp_version && !mad_class_has_rmpp(mgmt_class))
		return false;
	return mad_class_is_smp(mgmt_class) == (asked->qpn == 0);
}

static bool takes_method(const struct agent *agent, uint8_t method)
{
	unsigned int bit = method & 0x7f;

	return agent->method_mask[bit / 64] >> bit % 64 & 1;
}

static bool same_class(const struct agent *agent, uint8_t mgmt_class, uint8_t version, uint32_t oui)
{
	if (agent->mgmt_class != mgmt_class || agent->class_version != version)
		return false;
	return !mad_is_vendor2(mgmt_class) || agent->oui == oui;
}

static bool overlaps(const struct agents *agents, const struct agent *agent)
{
	for (const struct agent *other = agents->first; other; other = other->next) {
		if (!same_class(other, agent->mgmt_class, agent->class_version, agent->oui))
			continue;
		if (other->method_mask[0] & agent->method_mask[0] ||
		    other->method_mask[1] & agent->method_mask[1])
			return true;
	}
	return false;
}

static uint32_t next_hi_tid(struct agents *agents)
{
	do {
		agents->last_hi_tid = agents->last_hi_tid % MAX_HI_TID + 1;
	} while (agent_of_hi_tid(agents, agents->last_hi_tid));
	return agents->last_hi_tid;
}

int agent_register(struct agents *agents, struct umad_file *file, uint32_t id,
		   const struct sim_request *asked, struct agent **registered)
{
	struct agent *agent;

	if (!may_register(asked))
		return -EINVAL;
	agent = calloc(1, sizeof(*agent));
	if (!agent)
		return -ENOMEM;
	agent->file = file;
	LIST_INIT(&agent->receiving);
	backlog_init(&agent->backlog, kernel_agent_limit(agents->kernel, asked->mgmt_class));
	agent->id = id;
	agent->qpn = asked->qpn;
	agent->mgmt_class = asked->mgmt_class;
	agent->class_version = asked->class_version;
	agent->oui = asked->oui;
	agent->rmpp_version = asked->rmpp_version;
	agent->user_rmpp = asked->flags & UMAD_USER_RMPP;
	if (agent->mgmt_class) {
		agent->method_mask[0] = asked->method_mask[0];
		agent->method_mask[1] = asked->method_mask[1];
	}
	if (overlaps(agents, agent)) {
		free(agent);
		return -EINVAL;
	}
	agent->hi_tid = next_hi_tid(agents);
	agent->next = agents->first;
	if (agent->next)
		agent->next->link = &agent->next;
	agent->link = &agents->first;
	agents->first = agent;
	*registered = agent;
	return 0;
}

void agent_unregister(struct agent *agent)
{
	*agent->link = agent->next;
	if (agent->next)
		agent->next->link = agent->link;
	free(agent);
}

struct agent *agent_of_request(const struct agents *agents, const uint8_t *mad)
{
	struct umad_hdr header = mad_header(mad);
	const uint8_t *oui = mad + MAD_OUI_OFFSET;

	for (struct agent *agent = agents->first; agent; agent = agent->next) {
		if (takes_method(agent, header.method) &&
		    same_class(agent, header.mgmt_class, header.class_version,
			       (uint32_t)oui[0] << 16 | (uint32_t)oui[1] << 8 | oui[2]))
			return agent;
	}
	return NULL;
}

struct agent *agent_of_hi_tid(const struct agents *agents, uint32_t hi_tid)
{
	struct agent *agent = agents->first;

	while (agent && agent->hi_tid != hi_tid)
		agent = agent->next;
	return agent;
}

bool agent_leaves_rmpp(const struct agent *agent)
{
	return agent->rmpp_version && !agent->user_rmpp;
}

bool agent_takes_rmpp(const struct agent *agent, const uint8_t *mad)
{
	return !agent_leaves_rmpp(agent) && mad_rmpp_active(mad);
}
