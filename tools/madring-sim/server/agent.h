/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agents of a port: they may send from it, and get the requests that arrive there. The rules of
 * registration are ib_mad's.
 */
#ifndef SIM_AGENT_H
#define SIM_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "server/backlog.h"
#include "server/kernel.h"
#include "server/protocol.h"

struct outstanding;
struct rmpp_receive;
struct umad_file;

LIST_HEAD(rmpp_receive_list, rmpp_receive);

struct agent {
	struct agent *next, **link; /* of the same port */
	struct umad_file *file;
	struct outstanding *outstanding;
	struct backlog backlog;
	struct rmpp_receive_list receiving; /* now, and lately */
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
	const struct kernel *kernel;
	struct agent *first;
	uint32_t last_hi_tid;
};

/* agent_register does what REGISTER_AGENT2 does. Returns 0, -EINVAL or -ENOMEM. */
int agent_register(struct agents *agents, struct umad_file *file, uint32_t id,
		   const struct sim_request *asked, struct agent **agent);

/* agent_unregister frees an agent. The agent must have nothing outstanding, and receive nothing. */
void agent_unregister(struct agent *agent);

/*
 * The functions below return the agent that has registered for a request, or that has this TID; or
 * NULL.
 */
struct agent *agent_of_request(const struct agents *agents, const uint8_t *mad);
struct agent *agent_of_hi_tid(const struct agents *agents, uint32_t hi_tid);

/* agent_leaves_rmpp tells whether the agent leaves RMPP to the device. */
bool agent_leaves_rmpp(const struct agent *agent);

/*
 * agent_takes_rmpp tells whether the agent's program speaks RMPP itself, and so takes this MAD as
 * it is.
 */
bool agent_takes_rmpp(const struct agent *agent, const uint8_t *mad);

#endif
