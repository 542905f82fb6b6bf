/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Silences, in which nothing is heard though replies are due: the fabric pauses, the one node that
 * is left does, or the program's thread does not run. The replies that come at the end of a silence
 * tell how long it was, and nothing of queues and nodes.
 *
 * If they were samples, timeouts would grow so long that what was lost in a pause is not repeated
 * in time, and living nodes would seem dead. So after a long silence, attempts that were sent
 * before its end give no sample. A way that has become slower for good looks the same once.
 * So this holds for a silence only if something was measured since the last one.
 *
 * A shorter silence, which may also be a slow node, has samples. But no window grows by a round
 * with a silence, because round trips that something else has made longer want a wider window.
 */
#include "pace/pace_parts.h"

/* A silence is long when it takes so many times what makes an attempt overtaken. */
#define LONG 2u

/* Silences in more rounds than these in a row are how replies come. */
#define MOST_ROUNDS 4u

/*
 * Records a reply. Returns how long nothing had been heard before it; its attempt was in flight
 * for all that time, or the result is 0.
 */
static uint64_t note_heard(struct pace_agent *agent, uint64_t sent_at, uint64_t now)
{
	uint64_t heard_at = agent->silence.heard_at;

	agent->silence.heard_at = now;
	return sent_at < heard_at ? now - heard_at : 0;
}

/* Forgets what was overtaken until @now and counted as lost, because its replies come now. */
static void forget_losses(struct pace_agent *agent, uint64_t now)
{
	agent->epoch = (struct pace_epoch){ .began_at = now };
}

static void note_unmeasured(struct pace_agent *agent, uint64_t sent_at)
{
	if (sent_at > agent->answered_sent_at)
		agent->answered_sent_at = sent_at;
}

/* Tells whether a silence of @ns ns is long. A way that has had such round trips is only slow. */
static bool is_long(const struct pace_agent *agent, uint64_t ns)
{
	return agent->silence.has_sample && ns > agent->slowest_ns &&
	       ns / LONG > pace_overtaken_after(agent);
}

bool pace_is_after_silence(struct pace_agent *agent, uint64_t sent_at, uint64_t now)
{
	struct pace_silence *silence = &agent->silence;
	uint64_t ns = note_heard(agent, sent_at, now);

	if (agent->rounds && ns > agent->last_longest_ns)
		agent->round.has_silence = true;
	if (agent->rounds && is_long(agent, ns)) {
		forget_losses(agent, now);
		silence->ended_at = now;
		silence->has_sample = false;
	}
	if (sent_at >= silence->ended_at) {
		silence->has_sample = true;
		return false;
	}
	note_unmeasured(agent, sent_at);
	return true;
}

void pace_heard_late(struct pace_agent *agent, uint64_t sent_at, uint64_t now)
{
	struct pace_round *round = &agent->round;

	/* The rate of replies is that of the time in which they could be read. */
	if (agent->silence.heard_at >= round->began_at)
		round->began_at += now - agent->silence.heard_at;
	agent->silence.heard_at = now;
	round->was_late = true;
	forget_losses(agent, now);
	note_unmeasured(agent, sent_at);
}

bool pace_may_grow(struct pace_agent *agent)
{
	const struct pace_round *round = &agent->round;
	uint32_t *silent = &agent->silence.rounds;

	*silent = round->has_silence ? *silent + 1 : 0;
	return !round->was_late && (!*silent || *silent > MOST_ROUNDS);
}
