/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inbox of an agent: a bounded queue of the requests that it received. When it is full, its
 * lanes are not read any more until half of it was taken. It has room for what was read before
 * that.
 */
#include "engine/inbox.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mad_class.h"
#include "engine/engine_state.h"

int inbox_open(struct inbox *inbox, const struct engine_agent_config *config)
{
	*inbox = (struct inbox){ 0 };
	if (!config->inbox)
		return 0;
	/* One more entry reports that the device is gone. */
	inbox->capacity = config->inbox + config->inbox_slack + 1;
	inbox->entry = calloc(inbox->capacity, sizeof(*inbox->entry));
	return inbox->entry ? 0 : -ENOMEM;
}

static void set_inbox_full(struct engine *engine, struct agent *agent, bool full)
{
	if (agent->inbox.full == full)
		return;
	agent->inbox.full = full;
	engine->stats.requests_left += full;
	for (unsigned int i = 0; i < agent->config.lane_count; i++) {
		struct lane *lane = &engine->lane[agent->config.lane[i].lane];

		lane->full = full ? lane->full + 1 : lane->full - 1;
	}
}

void inbox_close(struct engine *engine, struct agent *agent)
{
	set_inbox_full(engine, agent, false);
	free(agent->inbox.entry);
	agent->inbox = (struct inbox){ 0 };
}

bool inbox_takes_class(const struct agent *agent, const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	uint8_t expected = agent->config.mgmt_class;

	return !expected || header->mgmt_class == expected ||
	       (mad_class_of(header->mgmt_class)->is_smp && mad_class_of(expected)->is_smp);
}

/* Puts an agent behind the others for which requests wait. */
static void append_requested_agent(struct engine *engine, struct agent *agent)
{
	list_append(&engine->requested_agents, LINKS(engine->agent, inbox.link),
		    (uint32_t)(agent - engine->agent));
}

bool inbox_put(struct engine *engine, struct agent *agent, const struct engine_received *received)
{
	struct inbox *inbox = &agent->inbox;
	uint32_t at;

	if (inbox->count == inbox->capacity)
		return false;
	at = inbox->head + inbox->count;
	if (at >= inbox->capacity)
		at -= inbox->capacity;
	inbox->entry[at] = *received;
	if (!inbox->count++)
		append_requested_agent(engine, agent);
	engine->requests++;
	if (inbox->count >= agent->config.inbox)
		set_inbox_full(engine, agent, true);
	return true;
}

/* Takes the first request out and lists the agent again behind the others if there are more. */
static void take_first_request(struct engine *engine, struct agent *agent,
			       struct engine_received *received)
{
	struct inbox *inbox = &agent->inbox;

	*received = inbox->entry[inbox->head];
	inbox->head++;
	if (inbox->head == inbox->capacity)
		inbox->head = 0;
	inbox->count--;
	engine->requests--;
	list_remove(&engine->requested_agents, LINKS(engine->agent, inbox.link),
		    (uint32_t)(agent - engine->agent));
	if (inbox->count)
		append_requested_agent(engine, agent);
	if (inbox->count <= agent->config.inbox / 2)
		set_inbox_full(engine, agent, false);
}

static void hand_out_request(struct engine *engine, struct agent *agent,
			     struct engine_received *received)
{
	take_first_request(engine, agent, received);
	if (!received->umad)
		return;
	if (agent->config.others)
		engine->stats.others++;
	else
		engine->stats.requests++;
}

bool engine_next_request(struct engine *engine, struct engine_received *received)
{
	if (list_is_empty(&engine->requested_agents))
		return false;
	hand_out_request(engine, &engine->agent[engine->requested_agents.first], received);
	return true;
}

bool engine_next_request_of(struct engine *engine, unsigned int number,
			    struct engine_received *received)
{
	assert(number < engine->config.agents);
	if (!engine->agent[number].inbox.count)
		return false;
	hand_out_request(engine, &engine->agent[number], received);
	return true;
}

bool engine_drop_request(struct engine *engine, unsigned int number,
			 struct engine_received *received)
{
	struct agent *agent = &engine->agent[number];

	if (!agent->inbox.count)
		return false;
	take_first_request(engine, agent, received);
	if (received->umad)
		engine->stats.unsolicited++;
	return true;
}

bool engine_lane_is_full(const struct engine *engine, unsigned int lane)
{
	return engine->lane[lane].full;
}

uint32_t engine_requests(const struct engine *engine)
{
	return engine->requests;
}

uint32_t engine_receivers(const struct engine *engine)
{
	return engine->receivers;
}
