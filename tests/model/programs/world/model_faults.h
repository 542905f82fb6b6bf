/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets, in an open world, the model of the fabric and the health of its nodes by name. Call these
 * before the program starts. Each fails the seed if the name or the value is wrong.
 */
#ifndef MODEL_FAULTS_H
#define MODEL_FAULTS_H

#include <stdint.h>

/* Sets all numbers of the model to those of a profile: "real" or "ideal". */
void faults_set_profile(const char *name);

/* Sets a number of the model, by "NAME=VALUE"; a duration is in ns, a chance from 0 to 1. */
void faults_set_number(const char *setting);

/* Sets how long a node's agent works on a MAD. */
void faults_slow_node(const char *node, uint64_t ns);

/*
 * Stops a node, or with "*" all of them, for @ns, @after ns from now: it answers nothing, and
 * passes no SMP on.
 */
void faults_stall_node(const char *node, uint64_t after, uint64_t ns);

/* Makes @count hosts dead, spread evenly over all but the local one. */
void faults_kill_hosts(unsigned int count);

#endif
