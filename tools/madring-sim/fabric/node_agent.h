/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node's agents, which answer the MADs that have reached it. This file is all that the fabric
 * knows of them: fabric/sma and fabric/pma, which stand on the fabric, have sma_answer() and
 * pma_answer().
 */
#ifndef SIM_NODE_AGENT_H
#define SIM_NODE_AGENT_H

#include "fabric/inside.h"
#include "fabric/packet.h"

/* A MAD that has reached a node. */
struct agent_request {
	struct fabric *fabric;
	struct node *node;
	unsigned int port; /* it came in by */
	struct fabric_packet *packet;
	bool any_mkey;	       /* the M_Key is not checked */
	enum fabric_drop drop; /* why the agent has dropped it */
};

enum agent_result {
	AGENT_ANSWERED, /* packet->mad is the reply now; the caller turns the addresses */
	AGENT_TAKEN,	/* obeyed, and there is no reply: a TrapRepress */
	AGENT_PASSED,	/* for a manager at this port, if there is one */
	AGENT_DROPPED,
};

/* agent_is_asked tells whether a MAD is a request for an agent, rather than a reply on its way. */
bool agent_is_asked(const uint8_t *mad);

/* agent_answer has the agent of the MAD's class answer it. */
enum agent_result agent_answer(struct agent_request *request);

/* sma_answer is the agent of SMPs. */
enum agent_result sma_answer(struct agent_request *request);

/* pma_answer is the agent of performance management. */
enum agent_result pma_answer(struct agent_request *request);

#endif
