/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's agents, asked by the host itself: a driver's way to its firmware, over no link. */
#include "agent.h"
#include "smp.h"
#include "tally.h"

/* Until when the agent works on it, which does one thing at a time. */
static uint64_t take_turn(const struct fabric *fabric, struct node *node)
{
	struct worker *agent = &node->agent;
	uint64_t work = node_service(fabric, node);

	agent->done++;
	agent->busy += work;
	agent->free_at = (agent->free_at > fabric->now ? agent->free_at : fabric->now) + work;
	return agent->free_at + node->lateness;
}

enum fabric_outcome fabric_ask(struct fabric *fabric, int endpoint, struct fabric_packet *packet,
			       uint64_t now, uint64_t *ready)
{
	const struct place *place = &fabric->endpoints[endpoint];
	struct agent_request request = {
		.fabric = fabric,
		.node = place->node,
		.port = place->port,
		.packet = packet,
	};
	struct fabric_kind *kind;

	fabric_run(fabric, now);
	*ready = fabric->now;
	kind = &fabric->stats.kind[tally_kind(fabric, packet->mad)];
	kind->sent++;
	fabric->stats.sent++;
	if (place->node->health != FABRIC_WELL) {
		fabric_drop(fabric, FABRIC_DROP_DEAD);
		return FABRIC_OUTCOME_DROPPED;
	}
	*ready = take_turn(fabric, place->node);
	switch (agent_answer(&request)) {
	case AGENT_ANSWERED:
		kind->answered++;
		fabric->stats.answered++;
		tally_round_trip(fabric, place->node, NULL,
				 node_service(fabric, place->node) + place->node->lateness);
		return FABRIC_OUTCOME_ANSWERED;
	case AGENT_TAKEN:
		return FABRIC_OUTCOME_TAKEN;
	case AGENT_PASSED:
		return FABRIC_OUTCOME_PASSED;
	default:
		fabric_drop(fabric, request.drop);
		return FABRIC_OUTCOME_DROPPED;
	}
}
