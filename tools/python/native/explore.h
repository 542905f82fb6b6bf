/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a sweep, and keeps the nodes that it finds until Python takes them. */
#ifndef MADRING_PYTHON_EXPLORE_H
#define MADRING_PYTHON_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct madring_fabric;
struct madring_node;
struct madring_subnet;
struct madring_sweep_config;
struct exploration;

/* Describes a node that has just answered for the first time. */
struct exploration_node {
	uint64_t guid, port_guid;
	uint8_t type, port_count, hops;
	uint8_t path[64];
};

/*
 * Starts a sweep. @config: without callbacks. Returns 0, -ENOMEM, or an error of
 * madring_sweep_start().
 */
int explore_open(struct madring_subnet *subnet, const struct madring_sweep_config *config,
		 struct exploration **exploration);

/* Returns whether the sweep has ended, and the errno that has ended it early, or 0. */
bool explore_is_done(const struct exploration *exploration);
int explore_error(const struct exploration *exploration);

/* Returns whether the whole fabric has to be discovered instead: see madring_fabric_update(). */
bool explore_is_doubtful(const struct exploration *exploration);

/* Returns how many nodes wait to be taken, and where they are until the ring runs. */
size_t explore_count(const struct exploration *exploration);
const struct exploration_node *explore_nodes(const struct exploration *exploration);

/* Drops the nodes, which Python has taken. */
void explore_taken(struct exploration *exploration);

/*
 * Runs the ring until @enough nodes wait, the sweep is done, or @timeout_ms have passed. Returns 0,
 * or an error of madring_run().
 */
int explore_run(struct exploration *exploration, size_t enough, int timeout_ms);

/*
 * Ends the sweep, and frees the exploration. @fabric: NULL, or set as by madring_sweep_end().
 * Returns its error.
 */
int explore_close(struct exploration *exploration, struct madring_fabric **fabric);

/* Returns how many requests were answered from an earlier fabric, when this one was found. */
size_t explore_recalled(const struct madring_fabric *fabric);

/* Returns the NodeType of a node. */
uint8_t explore_node_type(const struct madring_node *node);

/* Saves a fabric to a file. Returns 0 or a negative errno. */
int explore_save(const struct madring_fabric *fabric, const char *path);

#endif
