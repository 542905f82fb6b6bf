/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's agents, asked by the host itself: a driver's way to its firmware, over no link. */
#include "fabric/agent.h"
#include "fabric/smp.h"
#include "fabric/tally.h"

enum fabric_outcome fabric_ask(struct fabric *fabric, int endpoint, struct fabric_packet *packet,
			       bool any_mkey, uint64_t now, uint64_t *ready)
{
	const struct place *place = &fabric->endpoints[endpoint];
	struct agent_request request = {
		.fabric = fabric,
		.node = place->node,
		.port = place->port,
		.packet = packet,
		.any_mkey = any_mkey,
	};
	struct fabric_kind *kind;
	uint64_t done;

	fabric_run(fabric, now);
	*ready = fabric->now;
	kind = &fabric->stats.kind[tally_kind(fabric, packet->mad)];
	kind->sent++;
	fabric->stats.sent++;
	if (place->node->health != FABRIC_WELL) {
		fabric_drop(fabric, FABRIC_DROP_DEAD);
		return FABRIC_OUTCOME_DROPPED;
	}
	done = worker_take(fabric, &place->node->agent, node_service(fabric, place->node));
	*ready = time_after(done, place->node->lateness);
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
