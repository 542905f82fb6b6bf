/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a discovery's queries out through a ring, with as many in flight as it allows. */
#ifndef FABRIC_FABRIC_RUN_H
#define FABRIC_FABRIC_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

#include "discovery.h"

struct local;
struct mkeys;
struct progress;

/* The programs' default deadline is ten minutes. A discovery of the largest fabric takes seconds.
   The deadline is for fabrics whose nodes answer slowly, or claim more nodes than there are. */
#define DISCOVERY_DEADLINE_NS UINT64_C(600000000000)

/* The settings by which a discovery sends its requests. All 0 is best for most fabrics. */
struct discovery_tuning {
	int timeout_ms;	 /* 0: by the measured round trip */
	int retries;	 /* as in madring_agent_config; 0: the library's */
	uint32_t window; /* 0: the library's */
	bool pin_window; /* keep .window requests in flight, whatever the delay */
	/* These two are what madring_agent_config says of them. */
	uint32_t queue_us, patience_ms;
};

/* Registers an agent for the directed-route SMPs of a discovery. Returns as local_agent_open(). */
int discovery_agent_open(const struct local *local, const struct discovery_tuning *tuning,
			 struct madring_agent **agent);

/* Registers an agent for the LID-routed SMPs of a discovery. Returns as local_agent_open(). */
int discovery_lid_agent_open(const struct local *local, const struct discovery_tuning *tuning,
			     struct madring_agent **agent);

/* The ring, the agents and the bounds with which a discovery runs. */
struct discovery_means {
	struct madring *ring;
	struct madring_agent *agent;	 /* by discovery_agent_open() */
	struct madring_agent *lid_agent; /* by discovery_lid_agent_open(); NULL: no SMPs by LID */
	bool keeps_retries; /* all requests have the agents' retries, as the user chose these */
	uint64_t mkey;	    /* of all requests, if .mkeys is NULL */
	const struct mkeys *mkeys; /* by node */
	uint64_t local_guid;	   /* of the local node, for .mkeys */
	/*
	 * The time of the monotonic clock, in ns, at which the discovery is stopped and its
	 * requests in flight are cancelled; discovery->deadline_reached is set then. 0: no
	 * deadline.
	 */
	uint64_t deadline_ns;
	struct progress *progress;
};

/*
 * Runs @discovery, which was started, until it is done, or until its deadline, an interrupt
 * (discovery->stopped) or an error ends it. Returns 0, or the -errno that ended it, such as
 * -ENODEV.
 */
int discovery_run(struct discovery *discovery, const struct discovery_means *means);

#endif
