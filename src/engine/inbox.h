/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests that wait for each agent. */
#ifndef MADRING_ENGINE_INBOX_H
#define MADRING_ENGINE_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

/* The requests that wait for an agent. */
struct inbox {
	struct engine_received *entry; /* a ring; NULL: the agent receives none */
	uint32_t capacity, head, count;
	struct list_link link; /* in engine.requested_agents */
	bool full;	       /* counted in .full of each of the agent's lanes */
};

struct engine;
struct agent;
struct engine_agent_config;
struct ib_user_mad;
struct engine_received;

/* Prepares the inbox of an agent. Returns 0 or -ENOMEM. */
int inbox_open(struct inbox *inbox, const struct engine_agent_config *config);
/* Frees an empty inbox. */
void inbox_close(struct engine *engine, struct agent *agent);
/*
 * Tells whether a request has the agent's class. The kernel gives the number of an agent that was
 * closed to the next one, and may still have requests to that number.
 */
bool inbox_takes_class(const struct agent *agent, const struct ib_user_mad *umad);
/* Appends a request. Returns false if the inbox has no room. */
bool inbox_put(struct engine *engine, struct agent *agent, const struct engine_received *received);

#endif
