/* SPDX-License-Identifier: BSD-2-Clause */
/* The window of an agent. */
#include "pace/pace_parts.h"

#define WHOLE 1024u /* a share of one */

#define FIRST_WINDOW   8u
#define DRAINED_WINDOW 4u
#define DRAIN_AFTER    64u /* rounds */

/* So many MADs may wait in any case, because replies come and go in small groups. */
#define LEAST_WAITING 3u

/* A queue of more MADs than this is one. */
#define WAITING 4u

/* In so many rounds a smaller window has shortened any queue of our own. */
#define SHRINKING_ROUNDS 8u

/* A higher rate than today's is forgotten in so many rounds. */
#define FORGETTING_ROUNDS 32u

/* A window of this size is allowed the whole queue; a wider one less, and a narrower one more. */
#define FAIR_WINDOW 32u

/* The fewest outcomes that tell a share of losses. */
#define FEWEST_OUTCOMES 128u
#define FEWEST_LOSSES	4u
#define TRIAL_OUTCOMES	256u

/* Chance loses no more than this share: a queue that drops more may look empty between bursts. */
#define MOST_CHANCE (WHOLE / 8)

/* The epochs without congestion after which more is allowed again. */
#define LEAST_CAUTION 4u
#define MOST_CAUTION  256u

static uint32_t saturate(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits, uint64_t now)
{
	*agent = (struct pace_agent){
		.window = {
			.size = limits->pin_window ? limits->window
						   : at_most(FIRST_WINDOW, limits->window),
			.maximum = limits->window,
		},
		.limits = *limits,
		.round = { .began_at = now },
		/* A half is allowed until something is known of losses. */
		.allowed_ns = saturate(limits->queue_ns / 2),
		.most_allowed_ns = saturate(limits->queue_ns),
		.caution = LEAST_CAUTION,
	};
	agent->undrained = agent->window.size;
}

static uint32_t lost_share(const struct pace_epoch *epoch)
{
	return (uint32_t)((uint64_t)epoch->losses * WHOLE / epoch->outcomes);
}

/* Tells whether more than chance is lost, by a share of @more. */
static bool is_above_chance(const struct pace_agent *agent, uint32_t more)
{
	return lost_share(&agent->epoch) > more + 2 * agent->chance;
}

/* Returns the queue that a window is allowed: by the square root of its size. */
static uint64_t by_size(const struct pace_agent *agent, uint64_t allowed)
{
	uint32_t size = agent->undrained;

	if (size < FAIR_WINDOW / 2)
		return allowed + allowed / 2;
	if (size < FAIR_WINDOW)
		return allowed + allowed * (FAIR_WINDOW - size) / FAIR_WINDOW;
	if (size < 2 * FAIR_WINDOW)
		return allowed - allowed * (size - FAIR_WINDOW) / (4 * FAIR_WINDOW);
	return allowed - allowed / 4;
}

/*
 * Allows nearly no queue for a while, because so much is lost that one seems to overflow. What is
 * lost then as well is lost by chance.
 */
static void begin_trial(struct pace_agent *agent, uint64_t now)
{
	uint64_t allowed = agent->allowed_ns;

	if (by_size(agent, allowed) > agent->epoch.waiting_ns)
		allowed = allowed * agent->epoch.waiting_ns / by_size(agent, allowed);
	agent->trial = (struct pace_trial){
		.share = lost_share(&agent->epoch),
		.less_ns = (uint32_t)(allowed / 3 * 2),
	};
	agent->allowed_ns = 0;
	/* Attempts that were sent before have seen the longer queue. */
	agent->epoch.began_at = now;
}

static void end_trial(struct pace_agent *agent)
{
	uint32_t share = at_most(lost_share(&agent->epoch), MOST_CHANCE);

	if (2 * share >= agent->trial.share) {
		agent->chance = share;
		agent->allowed_ns = agent->most_allowed_ns;
		agent->caution = LEAST_CAUTION;
		agent->lost_share = 0;
	} else {
		agent->allowed_ns = agent->trial.less_ns;
		agent->lost_share = agent->trial.share;
		agent->clean = 0;
		agent->caution = at_most(4 * agent->caution, MOST_CAUTION);
	}
	agent->trial.share = 0;
}

/* Lengthens the queue that is allowed, slowly, and not soon after it was shortened. */
static void allow_more(struct pace_agent *agent)
{
	if (!agent->lost_share)
		agent->allowed_ns = agent->most_allowed_ns;
	else if (agent->allowed_ns < agent->most_allowed_ns && ++agent->clean > agent->caution)
		agent->allowed_ns = at_most(agent->allowed_ns + agent->most_allowed_ns / 32,
					    agent->most_allowed_ns);
}

/* Learns the share of losses by chance, where nothing waits, or from a share that is smaller. */
static void learn_chance(struct pace_agent *agent)
{
	uint32_t share = at_most(lost_share(&agent->epoch), MOST_CHANCE);

	if (!agent->chance)
		agent->chance = share;
	else if (share < agent->chance)
		agent->chance -= (agent->chance - share) / 8;
	else
		agent->chance += (share - agent->chance) / 4;
}

/*
 * Decides by the losses of some rounds whether chance or a queue has lost MADs, once there are
 * enough of them.
 */
static void end_epoch_if_due(struct pace_agent *agent, uint64_t now)
{
	struct pace_epoch *epoch = &agent->epoch;
	bool waits_now = agent->waiting_ns > WAITING * (uint64_t)agent->interval_ns;
	bool waits = epoch->waits || waits_now;
	bool at_once = waits && epoch->losses >= FEWEST_LOSSES && is_above_chance(agent, WHOLE / 8);

	epoch->waits = waits;
	if (agent->waiting_ns > epoch->waiting_ns)
		epoch->waiting_ns = agent->waiting_ns;
	if (agent->trial.share) {
		if (epoch->outcomes < TRIAL_OUTCOMES)
			return;
	} else if (epoch->outcomes < FEWEST_OUTCOMES && !at_once) {
		return;
	}
	if (agent->trial.share)
		end_trial(agent);
	else if (!waits || lost_share(epoch) < agent->chance)
		learn_chance(agent);
	else if (is_above_chance(agent, WHOLE / 64))
		begin_trial(agent, now);
	else
		allow_more(agent);
	agent->epoch = (struct pace_epoch){
		.began_at = epoch->began_at,
		.waits = waits_now,
		.waiting_ns = agent->waiting_ns,
	};
}

/*
 * Returns the window that has the rate of this round and the allowed queue, where a round trip
 * takes @rtt. Replies tell the rate also where MADs are lost, which have their places until they
 * are overtaken.
 */
static uint32_t next_window(const struct pace_agent *agent, uint64_t rtt)
{
	uint64_t interval = agent->interval_ns ? agent->interval_ns : 1;
	uint64_t lost = pace_overtaken_after(agent) * agent->chance / WHOLE;
	uint64_t size = agent->undrained;
	uint64_t waiting = by_size(agent, agent->allowed_ns) << agent->probe.doubled;
	uint64_t next;

	if (waiting < LEAST_WAITING * interval)
		waiting = LEAST_WAITING * interval;
	next = (rtt - agent->waiting_ns + waiting + lost) / interval + 1;
	/* That grows too slowly where the way is long. */
	if (agent->waiting_ns < waiting / 4 && next < size + size / 4)
		next = size + size / 4;
	if (next > 2 * size || !agent->has_waited)
		next = 2 * size;
	else if (next < size)
		next = (next + size) / 2;
	/* A round trip that something else made longer says nothing of a wider window. */
	if (!agent->silence.may_grow && next > size)
		next = size;
	/* A window that was not used says nothing of another one. */
	if (!agent->window.was_full && (next > size || agent->waiting_ns <= waiting))
		next = size;
	return at_most((uint32_t)next, agent->window.maximum);
}

/* Forgets half of what a round, or a reply, has shown to be no longer inherent. */
static void lower_inherent(struct pace_agent *agent, uint32_t excess)
{
	if (excess < agent->inherent_ns)
		agent->inherent_ns -= (agent->inherent_ns - excess + 1) / 2;
}

/*
 * Takes the mean of a round's excess over the shortest round trips. Most nodes may be slower than
 * the fastest, and then it is no queue. A queue of our own becomes shorter in a few rounds of a
 * smaller window. What stays is inherent.
 */
static void note_waiting(struct pace_agent *agent, uint32_t excess)
{
	uint64_t much = by_size(agent, agent->allowed_ns) << agent->probe.doubled;

	if (much < agent->most_allowed_ns / 2)
		much = agent->most_allowed_ns / 2;
	if (much < WAITING * (uint64_t)agent->least_interval_ns)
		much = WAITING * (uint64_t)agent->least_interval_ns;
	lower_inherent(agent, excess);
	agent->waiting_ns = excess > agent->inherent_ns ? excess - agent->inherent_ns : 0;
	if (2 * agent->waiting_ns <= 3 * much || !agent->silence.may_grow)
		agent->rounds_over = 0;
	else if (++agent->rounds_over >= SHRINKING_ROUNDS)
		agent->inherent_ns = excess;
}

static bool should_drain(const struct pace_agent *agent)
{
	return agent->undrained > 2 * DRAINED_WINDOW &&
	       (agent->has_new_base || agent->rounds_since >= DRAIN_AFTER);
}

/*
 * Ends the round when an attempt that was sent in it is answered, @excess ns above the shortest
 * round trip.
 */
static void end_round(struct pace_agent *agent, uint32_t excess, uint64_t now)
{
	const struct pace_round *round = &agent->round;
	uint64_t rtt = round->rtt_sum / round->replies;

	agent->interval_ns = saturate((now - round->began_at) / round->replies);
	if (agent->interval_ns < agent->least_interval_ns || !agent->least_interval_ns)
		agent->least_interval_ns = agent->interval_ns;
	else
		agent->least_interval_ns +=
			(agent->interval_ns - agent->least_interval_ns) / FORGETTING_ROUNDS;
	rtt_estimate_add(&agent->rtt, round->longest_ns);
	agent->last_longest_ns = round->longest_ns;
	agent->slowest_ns -= agent->slowest_ns / FORGETTING_ROUNDS;
	agent->rounds++;
	if (agent->reordering && !(agent->rounds % 16))
		agent->reordering--;
	agent->silence.may_grow = pace_may_grow(agent);
	if (!agent->limits.pin_window && !agent->is_draining) {
		note_waiting(agent, (uint32_t)(round->waiting_sum / round->replies));
		agent->has_waited |= agent->waiting_ns > agent->allowed_ns / 4 || agent->lost_share;
		end_epoch_if_due(agent, now);
		pace_probe_round(agent, now - round->began_at);
		agent->undrained = next_window(agent, rtt);
		agent->rounds_since++;
	}
	/* A window made for slow nodes is full of its own queue when they become fast. */
	if (agent->is_draining)
		lower_inherent(agent, excess);
	if (!agent->limits.pin_window) {
		agent->is_draining = !agent->is_draining && should_drain(agent);
		if (agent->is_draining) {
			agent->rounds_since = 0;
			agent->has_new_base = false;
		}
		agent->window.size = agent->is_draining ? DRAINED_WINDOW : agent->undrained;
	}
	agent->round = (struct pace_round){ .began_at = now };
	agent->window.was_full = false;
}

/* Returns the fewest replies of a round. A round of very few would follow each of them. */
static uint32_t fewest_replies(const struct pace_agent *agent)
{
	uint32_t enough = at_most(agent->window.size, FIRST_WINDOW);

	if (agent->window.in_flight > enough)
		enough = agent->window.in_flight;
	return at_most(enough, at_most(agent->window.size, 256));
}

/*
 * Returns a round trip's excess over the shortest, or less if it is a slow node's. Such a node is
 * no queue, and has far more than most. With a window that others chose, anything is a queue.
 */
static uint32_t bounded_excess(struct pace_agent *agent, uint32_t excess)
{
	uint32_t step = agent->median_ns / 16 + 1000;
	uint64_t most = 4 * (uint64_t)agent->median_ns;

	if (agent->limits.pin_window)
		return excess;
	if (excess > agent->median_ns)
		agent->median_ns += step;
	else
		agent->median_ns -= at_most(step, agent->median_ns);
	if (most < (uint64_t)agent->most_allowed_ns << (1 + agent->probe.doubled))
		most = (uint64_t)agent->most_allowed_ns << (1 + agent->probe.doubled);
	if (most < 2 * WAITING * (uint64_t)agent->interval_ns)
		most = 2 * WAITING * (uint64_t)agent->interval_ns;
	return most < excess ? (uint32_t)most : excess;
}

void pace_agent_measured(struct pace_agent *agent, unsigned int hops, uint64_t rtt_ns, uint64_t now)
{
	uint32_t *base = &agent->base_ns[hops];
	uint32_t rtt = saturate(rtt_ns ? rtt_ns : 1);
	struct pace_round *round = &agent->round;
	uint32_t excess;

	if (!*base)
		agent->has_new_base = true;
	if (!*base || rtt < *base)
		*base = rtt;
	if (rtt > agent->slowest_ns)
		agent->slowest_ns = rtt;
	excess = bounded_excess(agent, rtt - *base);
	round->waiting_sum += excess;
	if (*base + excess > round->longest_ns)
		round->longest_ns = *base + excess;
	round->replies++;
	round->rtt_sum += rtt;
	agent->epoch.outcomes++;
	if (now - rtt_ns > agent->answered_sent_at)
		agent->answered_sent_at = now - rtt_ns;
	if (now - rtt_ns >= round->began_at && round->replies >= fewest_replies(agent))
		end_round(agent, excess, now);
}

void pace_lost(struct pace_agent *agent, uint64_t sent_at)
{
	if (sent_at < agent->epoch.began_at)
		return;
	agent->epoch.outcomes++;
	agent->epoch.losses++;
}

void pace_late(struct pace_agent *agent, uint64_t sent_at)
{
	if (agent->limits.pin_window || agent->answered_sent_at >= sent_at ||
	    agent->window.size <= DRAINED_WINDOW)
		return;
	agent->is_draining = true;
	agent->window.size = DRAINED_WINDOW;
}

void pace_found(struct pace_agent *agent)
{
	if (agent->epoch.losses)
		agent->epoch.losses--;
	if (agent->reordering < 16)
		agent->reordering++;
}
