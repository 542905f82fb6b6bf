/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Agents: who may send from a port, and who gets a request that arrives there. The rules of
 * registration are ib_mad's.
 */
#ifndef SIM_AGENT_H
#define SIM_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/protocol.h"
#include "server/rmpp_receive.h"

struct outstanding;
struct umad_file;

struct agent {
	struct agent *next, **link; /* of the same port */
	struct umad_file *file;
	struct outstanding *outstanding;
	struct rmpp_receive_list receiving; /* and has received, of late */
	uint64_t method_mask[2];
	uint32_t id;	 /* in its file */
	uint32_t hi_tid; /* the high 32 bits of its requests' TIDs */
	uint32_t qpn;
	uint32_t oui;
	uint8_t mgmt_class; /* 0: none, sends only */
	uint8_t class_version;
	uint8_t rmpp_version;
	bool user_rmpp;
};

/* The agents of one port. */
struct agents {
	struct agent *first;
	uint32_t last_hi_tid;
};

/* Registers as REGISTER_AGENT2 does. 0, -EINVAL or -ENOMEM. */
int agent_register(struct agents *agents, struct umad_file *file, uint32_t id,
		   const struct sim_request *asked, struct agent **agent);

/* It must have nothing outstanding, and nothing that it receives. */
void agent_unregister(struct agent *agent);

/* The agent that has registered for what this request is; NULL. */
struct agent *agent_of_request(const struct agents *agents, const uint8_t *mad);
struct agent *agent_of_hi_tid(const struct agents *agents, uint32_t hi_tid);

/* The device speaks RMPP for it. */
bool agent_leaves_rmpp(const struct agent *agent);

/* The RMPP protocol is left to the program: the agent wants active RMPP MADs as they are. */
bool agent_takes_rmpp(const struct agent *agent, const uint8_t *mad);

#endif
