/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out a job of many requests through one agent or two. Keeps as many in flight as the ring
   takes, until none waits and all have their outcome, or until a signal, a deadline or an error
   stops the job. */
#ifndef COMMON_RUNNER_H
#define COMMON_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madring.h>

struct runner {
	struct madring *ring;
	struct madring_agent *agent;
	struct madring_agent *second; /* another agent of the job's requests; NULL: there is none */
	uint64_t deadline_ns;	      /* a time of the monotonic clock; 0: no deadline */

	void *job; /* from memory_get(); the runner is a part of it */
	/* Sends the job's next request. Returns 0, also when the job gave up a request that cannot
	   be sent; -ENOENT when none waits; -EAGAIN when the ring has no room for now. */
	int (*send_next)(void *job);
	/* Drops the job's waiting requests; it makes no more. */
	void (*stop)(void *job);
	size_t (*count_waiting)(const void *job);
	/* Looks after the job in each turn, before its requests are sent; may be NULL. Returns for
	   how many milliseconds the next turn may wait. */
	int (*watch)(void *job);
	/* Shows how far the job is, with @to_go requests that wait or are in flight. */
	void (*show)(void *job, size_t to_go);

	/* Filled by the runner. */
	size_t outstanding; /* requests that were sent and have no outcome yet */
	size_t answered;
	bool ended; /* see runner_end() */
	bool stopped, interrupted, deadline_reached;
	int longest_wait_ms; /* what .watch has returned */
	int error;	     /* the first -errno that stopped the job; 0: none */
};

/* Runs the job. A job that makes requests again afterwards may be run again. Jobs with other agents
   of the ring go on meanwhile, and are not waited for. */
void runner_run(struct runner *runner);

/* Sends a request of the job by one of its agents, and takes @mad over. Stops the job if the device
   is gone. Returns 0; -EAGAIN when the ring has no room for now; or the error that the request ends
   with. */
int runner_send(struct runner *runner, struct madring_agent *agent, struct madring_mad *mad,
		const struct madring_send_options *options);

/* Takes an outcome, and stops the job if the device is gone. The job's callback calls it first. If
   it returns false the job has ended: the callback frees its request and does nothing else. */
bool runner_take_outcome(struct runner *runner, int status);

/*
 * Ends the job, and frees it once no request is outstanding. When the ring has failed, requests
 * whose writes are under way complete no sooner than the ring is closed.
 */
void runner_end(struct runner *runner);

/* Sends the waiting requests, as far as the ring has room. The job's callback calls it last. */
void runner_pump(struct runner *runner);

/* Stops the job for @error. */
void runner_fail(struct runner *runner, int error);

#endif
