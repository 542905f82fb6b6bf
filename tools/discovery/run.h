/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a discovery's queries out through a ring, all that it allows at once. */
#ifndef DISCOVERY_RUN_H
#define DISCOVERY_RUN_H

#include <stdint.h>
#include <madring.h>

#include "discovery.h"

struct progress;

/* A discovery waits for its silent nodes; a slow one's answer to an earlier attempt counts as
   well, so that many short waits lose nothing against a few long ones. */
#define DISCOVERY_MAX_TIMEOUT_MS 250

/*
 * At 5 % loss each way one attempt in ten fails. Ten attempts lose one request in ten thousand
 * million, which a discovery of any fabric does not meet; a dead port costs some seconds, once,
 * as all dead ports are waited for together.
 */
#define DISCOVERY_RETRIES 9

/* By what it is carried out. */
struct discovery_means {
	struct madring *ring;
	struct madring_agent *agent; /* for directed-route SMPs */
	uint64_t mkey;
	struct progress *progress;
};

/*
 * Runs @discovery, which was started, to its end, an interrupt (discovery->stopped), or an
 * error. Returns 0, or -errno: what ended it early, such as -ENODEV.
 */
int discovery_run(struct discovery *discovery, const struct discovery_means *means);

#endif
