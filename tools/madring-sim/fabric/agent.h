/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's agents: who answers a MAD that has come to a node, and when it is its turn. */
#ifndef SIM_AGENT_OF_NODE_H
#define SIM_AGENT_OF_NODE_H

#include "fabric/inside.h"

/* Whether it is a request, for an agent to look at, rather than an answer on its way. */
bool agent_is_asked(const uint8_t *mad);

/* Has the agents of its class answer it. */
enum agent_result agent_answer(struct agent_request *request);

/* Takes a place in the queue of a port. False: it is full. */
bool agent_queue_enter(const struct fabric *fabric, struct port *port);

#endif
