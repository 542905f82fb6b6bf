/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of a fabric in virtual time, on madring's own engine, with its windows, time-outs and
 * retries: it sweeps by directed routes, as a subnet manager would; then asks every LID for its
 * NodeInfo and its counters.
 */
#ifndef TESTS_SCENARIO_CLIENT_H
#define TESTS_SCENARIO_CLIENT_H

#include "fabric/fabric.h"

struct client_result {
	size_t nodes;	 /* that were found */
	size_t answered; /* requests */
	size_t timed_out;
	uint64_t history; /* a digest of all that came out, and when */
};

/* Runs it to its end from an endpoint; asks LIDs from 1 to @last_lid. The seed is the engine's. */
void client_run(struct fabric *fabric, int endpoint, uint16_t last_lid, uint64_t seed,
		struct client_result *result);

#endif
