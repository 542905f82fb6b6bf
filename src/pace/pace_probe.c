/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This file allows longer queues where they bring more replies. Where a program and its peers are
 * limited by their processors and not by the fabric, more MADs at once cost less each. So the
 * allowed queue is doubled for some rounds now and then, and stays so if an eighth more replies
 * come. No fabric is so fast: this is done only where far more replies come than a switch passes
 * on, and never again after a queue has overflown.
 */
#include "pace/pace_parts.h"

/* A switch passes on no more than one SMP in this time, ns. */
#define FASTEST_SWITCH 5500u

#define ROUNDS	     8u	  /* that are compared */
#define FIRST_WAIT   8u	  /* rounds before the first try */
#define LONGEST_WAIT 512u /* rounds between two tries */
#define MOST_DOUBLED 5u

static void begin_count(struct pace_probe *probe)
{
	probe->rounds = 0;
	probe->ns = 0;
	probe->replies = 0;
}

/* Returns the mean time between two replies since the last begin_count(). */
static uint64_t mean_interval(const struct pace_probe *probe)
{
	return 16 * probe->ns / probe->replies;
}

static void end_try(struct pace_probe *probe)
{
	if (8 * mean_interval(probe) <= 7 * probe->before) {
		probe->wait = FIRST_WAIT;
	} else {
		probe->doubled--;
		probe->wait = 4 * probe->wait < LONGEST_WAIT ? 4 * probe->wait : LONGEST_WAIT;
	}
	probe->is_trying = false;
}

void pace_probe_round(struct pace_agent *agent, uint64_t ns)
{
	struct pace_probe *probe = &agent->probe;

	if (agent->lost_share || agent->interval_ns > FASTEST_SWITCH) {
		*probe = (struct pace_probe){ .wait = FIRST_WAIT };
		return;
	}
	if (!agent->window.was_full)
		return;
	probe->rounds++;
	/* The first rounds of a new window still have the old one's replies. */
	if (probe->rounds <= 2)
		return;
	probe->ns += ns;
	probe->replies += agent->round.replies;
	if (probe->is_trying && probe->rounds >= 2 + ROUNDS) {
		end_try(probe);
		begin_count(probe);
	} else if (!probe->is_trying && probe->rounds >= 2 + probe->wait) {
		probe->before = mean_interval(probe);
		probe->is_trying = probe->doubled < MOST_DOUBLED;
		probe->doubled += probe->is_trying;
		begin_count(probe);
	}
}
