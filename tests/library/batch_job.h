/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs of the tests of batches: what they ask for, and what became of it. */
#ifndef TESTS_LIBRARY_BATCH_JOB_H
#define TESTS_LIBRARY_BATCH_JOB_H

#include "library_fixture.h"

/* Is more than any errno of an outcome. */
#define MOST_STATUS 200

/* A job of .total requests, to LIDs from 1 on. */
struct job {
	struct madring_batch *batch;
	struct madring *ring;
	unsigned int total, given, ended;
	unsigned int with[MOST_STATUS]; /* outcomes, by the errno */
	unsigned int in_flight, peak;
	unsigned int cancel_after; /* outcomes; 0: never */
	unsigned int lid_0_every;  /* so often a request has no destination; 0: never */
	int next_error;		   /* what .next returns at the end, rather than 0 */
	unsigned int ends;	   /* so often .next was called at the end */
	int watch_ms;
	unsigned int watched, watch_adds, told;
	struct madring_agent *via;
	struct job *other; /* its .next has one more request after each outcome */
	uint64_t last_user;
};

/* Returns the config of a batch that hands the job's requests out and counts their outcomes. */
struct madring_batch_config job_config(struct job *job);

/* Is a .watch that adds .watch_adds requests, one a call. */
int job_watch(void *user, struct madring_batch *batch);

/* Is a .progress that counts its calls. */
void job_tell(void *user, const struct madring_batch_state *state);

/* Starts a batch by the fixture's agent, with a config whose user begins with a job. */
struct madring_batch *job_start(struct fixture *fixture, const struct madring_batch_config *config);

struct madring_batch_state job_batch_state(const struct madring_batch *batch);

#endif
