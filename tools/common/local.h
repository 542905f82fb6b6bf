/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the way to the fabric: a ring, and the local port that the command line names. */
#ifndef COMMON_LOCAL_H
#define COMMON_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

/* The madring_agent_config.queue_us of a program that is asked to be gentle: half the default. */
#define GENTLE_QUEUE_US 100u

struct local {
	struct madring *ring;
	struct madring_port *port; /* for all classes but SMPs */
	struct madring_port *smi;  /* for SMPs; as a rule the same, see madring_ca_pair_get() */
	uint16_t pkey_index;	   /* of the GMPs that the program sends */
};

/*
 * Opens a ring for @transactions, and the port: @ca_name, or NULL, and @port, or 0, as
 * madring_port_open() takes them. If the port has two devices, either may be named, and both are
 * opened.
 * Returns 0, or -errno with a message written, and what can be done about it.
 */
int local_open(struct local *local, uint32_t transactions, const char *ca_name, int port);
/* Opens as local_open(), with the ring's .sqpoll_idle_ms. */
int local_open_polled(struct local *local, uint32_t transactions, uint32_t idle_ms,
		      const char *ca_name, int port);
/*
 * Opens as local_open(), for a program that never has more than @in_flight requests in flight; 0:
 * any number. A few need few umad files, each of which takes time to open.
 */
int local_open_few(struct local *local, uint32_t transactions, uint32_t in_flight,
		   const char *ca_name, int port);
void local_close(struct local *local);

/*
 * Has GMPs sent with the P_Key at @index of the port's table. Sets .pkey_index, which whoever
 * prepares a GMP passes on to madring_mad_set_pkey_index().
 * Returns 0, or -errno with a message written: the table is shorter, or has no P_Key there.
 */
int local_set_pkey_index(struct local *local, uint16_t index);

/* Returns the GUID of the local node, as SMPs know it, or 0 when it cannot be read. */
uint64_t local_node_guid(const struct local *local);

/* Returns whether SMPs go through another device than all else. It belongs to a port of several
   planes, whose fabric need not route SMPs by LID. */
bool local_is_split(const struct local *local);

/* Returns the port of @local that a management class goes through. */
struct madring_port *local_port_of(const struct local *local, uint8_t mgmt_class);

/* Registers an agent on the port of @local for its class. @what names its work in the message of an
   error. Returns 0, or -errno with a message written, and what can be done about it. */
int local_agent_open(const struct local *local, const struct madring_agent_config *config,
		     const char *what, struct madring_agent **agent);

/* Gives back the buffers of a madring_call(), the request and the reply if there is one. */
void local_put_back(const struct local *local, const struct madring_completion *completion);

#endif
