/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that the server can imitate. Since Linux 6.17, ib_mad limits the MADs that one agent
 * has on the wire; before, it sent whatever was written.
 */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_DEFAULT		  "6.12"
#define KERNEL_NAMES		  "6.1, 6.12 and 7.3"
#define KERNEL_RECV_QUEUE_DEFAULT 512
/* ib_core brings other values of its parameter into this range. */
#define KERNEL_RECV_QUEUE_LEAST 64
#define KERNEL_RECV_QUEUE_MOST	8192

struct kernel_version {
	const char *name;
	const char *release; /* which uname(2) returns */
	bool has_limits;
	/*
	 * completes_late tells whether a MAD without a reply is outstanding until its completion is
	 * handled, so that the next one with its TID is a duplicate.
	 */
	bool completes_late;
};

struct kernel {
	const struct kernel_version *version;
	uint32_t recv_queue_size; /* ib_core's parameter: receives posted for one QP */
};

/* kernel_find returns the version with that name, or NULL. */
const struct kernel_version *kernel_find(const char *name);

/*
 * kernel_agent_limit returns the number of MADs that an agent may have on the wire; 0: no limit.
 * @mgmt_class is the class that the agent has registered, 0 for one that only sends.
 */
uint32_t kernel_agent_limit(const struct kernel *kernel, uint8_t mgmt_class);

/*
 * kernel_limits_mad tells whether a MAD counts against its agent's limit. @rmpp_version is the
 * agent's.
 */
bool kernel_limits_mad(const uint8_t *mad, uint32_t timeout_ms, uint8_t rmpp_version);

#endif
