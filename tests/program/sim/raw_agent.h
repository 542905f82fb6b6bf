/* SPDX-License-Identifier: BSD-2-Clause */
/* The registration ioctls as such; libibumad lets through less than the driver is asked. */
#ifndef SIM_TEST_RAW_AGENT_H
#define SIM_TEST_RAW_AGENT_H

#include <stdint.h>

struct raw_agent {
	uint32_t qpn;
	uint32_t oui;
	uint32_t flags; /* as the driver leaves them */
	uint8_t mgmt_class;
	uint8_t rmpp_version;
};

/* Calls REGISTER_AGENT or REGISTER_AGENT2. Returns 0 or an errno. */
int raw_register(int fd, const struct raw_agent *agent);
int raw_register2(int fd, struct raw_agent *agent);

/* Calls ENABLE_PKEY. Returns 0 or an errno. */
int raw_enable_pkey(int fd);

#endif
