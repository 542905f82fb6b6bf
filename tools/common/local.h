/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the way to the fabric: a ring, and the local port that the command line names. */
#ifndef COMMON_LOCAL_H
#define COMMON_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>
#include <madring/subnet.h>

/* The madring_agent_config.queue_us of a program that is asked to be gentle: half the default. */
#define GENTLE_QUEUE_US 100u

/* The settings by which a program sends its SMPs. All 0 is best for most fabrics. */
struct tuning {
	int timeout_ms;	 /* 0: by the measured round trip */
	int retries;	 /* as in madring_agent_config; 0: the library's */
	uint32_t window; /* 0: the library's */
	bool pin_window; /* keep .window requests in flight, whatever the delay */
	/* These two are what madring_agent_config says of them. */
	uint32_t queue_us, patience_ms;
};

struct local {
	struct madring_subnet *subnet; /* NULL: the program has opened the others itself */
	struct madring *ring;
	struct madring_port *port; /* for all classes but SMPs */
	struct madring_port *smi;  /* for SMPs; as a rule the same, see madring_ca_get_pair() */
	uint16_t pkey_index;	   /* of the GMPs that the program sends */
};

/* The way that a program wants to the fabric. Zeroed fields select the defaults. */
struct local_config {
	uint32_t transactions;	 /* of the ring */
	uint32_t sqpoll_idle_ms; /* of the ring */
	/*
	 * The program never has more requests in flight; 0: any number. A few need few umad files,
	 * each of which takes time to open.
	 */
	uint32_t in_flight;
	const char *ca_name; /* as madring_subnet_config has them */
	int port;
	uint16_t pkey_index;
	struct tuning tuning; /* of the agents for SMPs */
};

/*
 * Opens a ring and the port: see madring_subnet_open(). Returns 0, or -errno with a message
 * written, and what can be done about it.
 */
int local_open(struct local *local, const struct local_config *config);
void local_close(struct local *local);

/* Returns the GUID of the local node, as SMPs know it, or 0 when it cannot be read. */
uint64_t local_node_guid(const struct local *local);

/*
 * Returns whether SMPs go through another device than all else. It belongs to a port of several
 * planes, whose fabric need not route SMPs by LID.
 */
bool local_is_split(const struct local *local);

/* Returns the port of @local that a management class goes through. */
struct madring_port *local_port_of(const struct local *local, uint8_t mgmt_class);

/*
 * Registers an agent on the port of @local for its class. @what names its work in the message of an
 * error. Returns 0, or -errno with a message written, and what can be done about it.
 */
int local_agent_open(const struct local *local, const struct madring_agent_config *config,
		     const char *what, struct madring_agent **agent);

/*
 * Returns the subnet's agent for a class of SMPs, as the tuning has it, in @agent. Returns as
 * local_agent_open().
 */
int local_smp_agent(const struct local *local, uint8_t mgmt_class, struct madring_agent **agent);

/* Gives back the buffers of a madring_call(), the request and the reply if there is one. */
void local_put_back(const struct local *local, const struct madring_completion *completion);

#endif
