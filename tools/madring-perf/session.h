/* SPDX-License-Identifier: BSD-2-Clause */
/* The way to the fabric while madring-perf runs: a ring, a port, two agents. */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include <madring.h>

#include "collect.h"
#include "common/local.h"
#include <madring/fabric.h>

struct drops;
struct mkeys;

struct session {
	struct local local;
	struct madring_agent *pma;
	uint64_t deadline_ns;	       /* the deadline of the collection; session_begin() sets it */
	struct madring_fabric *loaded; /* .topology, until the first discovery takes it */
	struct drops *drops;	       /* what switches drop during the discovery; NULL: not read */
	/*
	 * The GUID of a port. The discovery ends as soon as the node that has it is known, with all
	 * of its ports but not what these lead to, and .has_target is set then. 0: it goes on.
	 */
	uint64_t target_guid;
	bool has_target;
};

struct session_config {
	const char *ca_name; /* as madring_port_open() takes them */
	int port;
	uint16_t pkey_index; /* of the requests to performance management */
	uint64_t mkey;
	struct mkeys *mkeys;  /* NULL: .mkey */
	uint64_t deadline_ns; /* how long a collection may take, discovery included; 0: any time */
	size_t max_nodes;     /* the limit of nodes in a discovery; 0: the default */
	struct collect_tuning tuning;
	uint32_t outstanding_smps; /* of the discovery, throughout; 0: by the fabric's delay */
	const char *capture;	   /* a file for all MADs; NULL: none */
	const char *topology; /* the fabric, as madring-sweep --json wrote it; NULL: discover it */
};

/* Opens a session. Returns 0, or -errno with a message written, also for an error in .topology. */
int session_open(struct session *session, const struct session_config *config);
/* Closes the session. Returns 0; or -1, with a message written, when the capture is incomplete. */
int session_close(struct session *session, const struct session_config *config);

/* Begins a collection, whose deadline counts from now. */
void session_begin(struct session *session, const struct session_config *config);

/*
 * Discovers the fabric, or reads it from a file. Stores it, as far as it was found; NULL: nothing
 * was. The discovery takes at most half of the collection's time, so that there is time for the
 * counters of what it found. @progress may be NULL. Returns 0, or the -errno that ended it early.
 */
int session_discover(struct session *session, const struct session_config *config,
		     struct madring_fabric **fabric, struct progress *progress);

/*
 * Returns whether the fabric is whole, and whether the deadline has ended its discovery. @fabric
 * may be NULL.
 */
bool session_is_whole(const struct madring_fabric *fabric);
bool session_reached_deadline(const struct madring_fabric *fabric);

/*
 * Returns whether a discovery went on to its end, and left no node out: what it has not found is
 * not there.
 */
bool session_looked_everywhere(const struct madring_fabric *fabric);

#endif
