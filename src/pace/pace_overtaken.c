/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attempts without a reply, though later ones have theirs (RACK, RFC 8985). They are lost, or wait
 * at a slow node.
 */
#include "pace/pace_parts.h"

uint64_t pace_overtaken_after(const struct pace_agent *agent)
{
	uint64_t longest = agent->last_longest_ns;

	if (!agent->rounds)
		return UINT64_MAX;
	if (agent->round.longest_ns > longest)
		longest = agent->round.longest_ns;
	return longest + (1 + agent->reordering) * (longest / 2 + agent->most_allowed_ns / 2);
}

uint64_t pace_overtaken_before(const struct pace_agent *agent, uint64_t now)
{
	uint64_t after = pace_overtaken_after(agent);
	uint64_t before, long_before;

	if (now <= after)
		return 0;
	before = now - after;
	if (before > agent->answered_sent_at)
		before = agent->answered_sent_at;
	/* An attempt is overtaken later if no later one has a reply. */
	long_before = now > 2 * after + 1 ? now - 2 * after - 1 : 0;
	return before > long_before ? before : long_before;
}

uint64_t pace_overtaken_at(const struct pace_agent *agent, uint64_t sent_at)
{
	uint64_t after = pace_overtaken_after(agent);

	if (after > UINT64_MAX / 8)
		return UINT64_MAX;
	return sent_at + (agent->answered_sent_at > sent_at ? after : 2 * after + 1) + 1;
}
