/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring with the local port open, for tests that run on a simulated fabric. */
#ifndef TESTS_LOCAL_H
#define TESTS_LOCAL_H

#include "cmocka_all.h"

#include <stdbool.h>

#include <madring.h>

#define CLASS_LID_ROUTED 0x01
#define CLASS_SA	 0x03
#define CLASS_PERF	 0x04
#define CLASS_DIRECTED	 0x81

#define NODE_DESCRIPTION 0x0010
#define NODE_INFO	 0x0011
#define PORT_INFO	 0x0015

struct local {
	struct madring *ring;
	struct madring_port *port;
};

void local_open(struct local *local);
void local_close(struct local *local);

/* Opens an agent for a class, of the version that it has. */
struct madring_agent *local_agent(struct local *local, uint8_t mgmt_class);
struct madring_mad *local_mad(struct madring_agent *agent);

/*
 * Sends and waits for a reply, which must be a good one; its attribute, from @offset on, is
 * copied to @data.
 */
void local_ask(struct local *local, struct madring_agent *agent, struct madring_mad *mad,
	       size_t offset, void *data, size_t bytes);
/* Sends a request that nobody answers; it must end with @status. */
void local_ask_in_vain(struct local *local, struct madring_agent *agent, struct madring_mad *mad,
		       int status);

/*
 * Tells whether the kernel's driver is between this program and the fabric, from
 * MADRING_TEST_DRIVER: "real" or not set. The simulated one refuses no write.
 */
bool local_has_driver(void);

#endif
