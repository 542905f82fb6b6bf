/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep of a game's fabric. */
#ifndef TIMES_SWEEP_H
#define TIMES_SWEEP_H

#include <stdbool.h>

struct discovery;
struct game;
struct madring_agent;
struct times_result;

/*
 * Opens an agent for SMPs, as madring-sweep does. A calm one has a pinned window that no queue is
 * too short for, and makes one attempt for each request.
 */
struct madring_agent *sweep_agent(const struct game *game, bool is_calm);

/* Sweeps the fabric. The caller ends the discovery, and frees its fabric. */
void sweep_run(struct madring_agent *agent, struct discovery *discovery);

/* Fills in what a sweep has found, and what there is. */
void sweep_compare(const struct discovery *discovery, struct times_result *result);

void sweep_end(struct discovery *discovery);

#endif
