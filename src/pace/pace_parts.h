/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the pace call in each other. */
#ifndef MADRING_PACE_PARTS_H
#define MADRING_PACE_PARTS_H

#include "pace/pace.h"

/* pace_agent.c: the agent's part of pace_measured(). */
void pace_agent_measured(struct pace_agent *agent, unsigned int hops, uint64_t rtt_ns,
			 uint64_t now);
/*
 * pace_agent.c: counts an attempt of @sent_at, ns, that was lost, or is not answered by its node.
 */
void pace_lost(struct pace_agent *agent, uint64_t sent_at);
/*
 * pace_agent.c: records that an attempt of @sent_at, ns, to a node that has answered before has no
 * reply in time. If no later one has a reply either, the whole way is silent, and the window is
 * small until something is heard.
 */
void pace_late(struct pace_agent *agent, uint64_t sent_at);
/*
 * pace_silence.c: records a reply to an attempt of @sent_at, ns. Returns whether its round trip
 * measures a silence, and is no sample.
 */
bool pace_is_after_silence(struct pace_agent *agent, uint64_t sent_at, uint64_t now);
/* pace_silence.c: tells at the end of a round whether it may make the window wider. */
bool pace_may_grow(struct pace_agent *agent);
/* pace_probe.c: takes a round of @ns ns that ends. */
void pace_probe_round(struct pace_agent *agent, uint64_t ns);
/* pace_flow.c: records that an attempt of @sent_at, ns, had no reply in time. */
void pace_silent(struct pace_flow *flow, uint64_t sent_at);
/*
 * pace_overtaken.c: returns the age at which an attempt without a reply is overtaken, if a later
 * one has its reply, in ns; UINT64_MAX: not known yet.
 */
uint64_t pace_overtaken_after(const struct pace_agent *agent);

#endif
