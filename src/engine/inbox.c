/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that were received: each agent that takes some has a bounded queue of them. A lane is
 * full from when one of its agents' queues is, until half of that has been taken; what had been
 * read by then still fits.
 */
#include "engine/engine_state.h"

#include <errno.h>
#include <stdlib.h>

int inbox_open(struct inbox *inbox, const struct engine_agent_config *config)
{
	*inbox = (struct inbox){ 0 };
	if (!config->inbox)
		return 0;
	/* One more, for the news that the device is gone. */
	inbox->capacity = config->inbox + config->inbox_slack + 1;
	inbox->entry = calloc(inbox->capacity, sizeof(*inbox->entry));
	return inbox->entry ? 0 : -ENOMEM;
}

static void set_full(struct engine *engine, struct agent *agent, bool full)
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
	set_full(engine, agent, false);
	free(agent->inbox.entry);
	agent->inbox = (struct inbox){ 0 };
}

/* `list_agent` puts an agent behind the others for which requests wait. */
static void list_agent(struct engine *engine, struct agent *agent)
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
		list_agent(engine, agent);
	engine->requests++;
	if (inbox->count >= agent->config.inbox)
		set_full(engine, agent, true);
	return true;
}

/* Takes the first out; the agent is on the list as long as there are more. */
static void take(struct engine *engine, struct agent *agent, struct engine_received *received)
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
		list_agent(engine, agent);
	if (inbox->count <= agent->config.inbox / 2)
		set_full(engine, agent, false);
}

static void hand_out(struct engine *engine, struct agent *agent, struct engine_received *received)
{
	take(engine, agent, received);
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
	hand_out(engine, &engine->agent[engine->requested_agents.first], received);
	return true;
}

bool engine_next_request_of(struct engine *engine, unsigned int number,
			    struct engine_received *received)
{
	assert(number < engine->config.agents);
	if (!engine->agent[number].inbox.count)
		return false;
	hand_out(engine, &engine->agent[number], received);
	return true;
}

bool engine_drop_request(struct engine *engine, unsigned int number,
			 struct engine_received *received)
{
	struct agent *agent = &engine->agent[number];

	if (!agent->inbox.count)
		return false;
	take(engine, agent, received);
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
