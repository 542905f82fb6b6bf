/* SPDX-License-Identifier: BSD-2-Clause */
/* What an attempt without a reply says of the network. */
#include "pace/pace_parts.h"

/* A node is silent after so many attempts without a reply. */
#define SILENT 3

struct pace_place pace_overtake(struct pace_agent *agent, struct pace_flow *flow,
				const struct pace_attempt *attempt, bool is_dead, uint64_t now)
{
	struct pace_place place = { .overtaken = true };

	pace_yield(&agent->window);
	if (!agent->limits.pin_flow_window &&
	    ((attempt->is_retry && flow->silent < SILENT) || is_dead)) {
		place.released = true;
		pace_yield(&flow->window);
	}
	if (!attempt->is_retry && !flow->silent &&
	    now - attempt->sent_at > rtt_estimate_timeout(&flow->rtt, agent->limits.tick_ns)) {
		place.is_counted_lost = true;
		pace_lost(agent, attempt->sent_at);
	}
	return place;
}

/*
 * If the attempt's node has answered before and has not been silent since, the attempt was lost.
 * Otherwise the node may be dead, or does not answer such a request, as retries show.
 */
void pace_unanswered(struct pace_agent *agent, struct pace_flow *flow,
		     const struct pace_attempt *attempt)
{
	if (!attempt->is_retry && flow->rtt.srtt && !flow->silent) {
		if (!attempt->place.is_counted_lost)
			pace_lost(agent, attempt->sent_at);
		pace_late(agent, attempt->sent_at);
	}
	pace_silent(flow, attempt->sent_at);
}
