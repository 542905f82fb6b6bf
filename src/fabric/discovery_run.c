/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include <infiniband/mad.h>

#include "common/clock.h"
#include "common/local.h"
#include "common/memory.h"
#include "common/mkeys.h"
#include "common/progress.h"
#include "common/runner.h"
#include "discovery_run.h"

/* The time over which answers are counted, to see whether a few slow nodes hold back all others. */
#define PULSE_NS UINT64_C(500000)

/* Few queries hold back others for one such time without many answers, and more than these for some
   more. One of the few costs one query more if it is not waited for. */
#define FEW_IN_THE_WAY 16u
#define SLOW_PULSES    3u

/* The retries of a query that is repeated in another way when it fails. */
#define RETRIES_OF_TRY 3

struct run {
	struct runner runner;
	struct discovery *discovery;
	const struct discovery_means *means;
	struct {
		uint64_t since; /* a time of the monotonic clock; 0: nothing waits */
		size_t answered;
		uint64_t best;	   /* answers in PULSE_NS */
		unsigned int slow; /* how often in a row the answers were few */
	} pulse;
};

/* Returns the M_Key of the search that a query has come to, or else that of the node that it goes
   to. A node that is yet to be found has the one of the port that it is behind. */
static uint64_t choose_mkey(const struct discovery_means *means, const struct query *query)
{
	uint64_t mkey;

	if (!means->mkeys)
		return means->mkey;
	if (query->searches && mkeys_search(means->mkeys, query->searches - 1u, &mkey))
		return mkey;
	if (!query->via)
		return mkeys_of_node(means->mkeys, means->local_guid);
	if (!query->exit)
		return mkeys_of_node(means->mkeys, query->via->info.node_guid);
	if (query->node)
		return mkeys_of_node(means->mkeys, query->node->info.node_guid);
	return mkeys_behind_port(means->mkeys, query->via->info.node_guid, query->exit);
}

/* Puts a query to an unknown node back for its next attempt with another M_Key. Returns false if
   there is none. */
static bool search_mkey(struct run *run, struct query *query)
{
	uint64_t mkey;

	if (!run->means->mkeys || run->discovery->stopped || !query->via || query->node ||
	    !mkeys_search(run->means->mkeys, query->searches, &mkey))
		return false;
	query->searches++;
	discovery_put_back(run->discovery, query);
	return true;
}

static void on_completion(const struct madring_completion *completion)
{
	struct query *query = completion->user;
	struct run *run = query->owner;

	if (!runner_take_outcome(&run->runner, completion->status)) {
		free(query);
		return;
	}
	if (completion->status == -ETIMEDOUT && search_mkey(run, query)) {
		runner_pump(&run->runner);
		return;
	}
	if (completion->status)
		discovery_no_reply(run->discovery, query, completion->status);
	else
		discovery_reply(run->discovery, query, madring_mad_data(completion->mad),
				completion->length);
	runner_pump(&run->runner);
}

/* Returns the flow of the requests to the node that a query goes to: those straight to it and those
   that come to it over a cable and back have different routes. */
static uint64_t flow_of(const struct query *query)
{
	uint64_t guid = query->via ? query->via->info.node_guid : 0;

	return (guid ^ (query->exit + UINT64_C(1)) << 48) | UINT64_C(1) << 63;
}

/* Prepares the SMP of a query. Returns 0, or -EINVAL when its route is none. */
static int prepare_query(const struct run *run, const struct query *query, struct madring_mad *mad)
{
	struct route route;
	int result;

	if (query_class(query) == IB_SMI_CLASS) {
		madring_smp_prepare(mad, query->lid, MADRING_GET, query->attribute,
				    query->modifier);
		return 0;
	}
	query_route(query, &route);
	result = madring_smp_dr_prepare(mad, route.port, route.hops, MADRING_GET, query->attribute,
					query->modifier);
	if (result || !query->lid)
		return result;
	return madring_smp_dr_from(mad, query->lid, discovery_own_lid(run->discovery));
}

/* Sends a query. Returns 0, -EAGAIN when the ring takes no more for now, or why the query cannot be
   sent. */
static int send_query(struct run *run, struct query *query)
{
	struct madring_send_options send = { .callback = on_completion,
					     .user = query,
					     .flow = flow_of(query) };
	struct madring_agent *agent =
		query_class(query) == IB_SMI_CLASS ? run->means->lid_agent : run->means->agent;
	struct madring_mad *mad = madring_mad_get(agent);
	int result;

	if (!mad)
		return -EAGAIN;
	query->owner = run;
	result = prepare_query(run, query, mad);
	if (result) {
		madring_mad_put(run->means->ring, mad);
		return result;
	}
	madring_smp_set_mkey(mad, choose_mkey(run->means, query));
	if ((query->lid || query->back) && !run->means->keeps_retries)
		send.retries = RETRIES_OF_TRY;
	return runner_send(&run->runner, agent, mad, &send);
}

static int send_next(void *job)
{
	struct run *run = job;
	struct query *query = discovery_take(run->discovery);
	int result;

	if (!query)
		return -ENOENT;
	result = send_query(run, query);
	if (result == -EAGAIN) {
		discovery_put_back(run->discovery, query);
		return -EAGAIN;
	}
	if (result)
		discovery_no_reply(run->discovery, query, result);
	return 0;
}

static void stop(void *job)
{
	discovery_stop(((struct run *)job)->discovery);
}

static size_t count_waiting(const void *job)
{
	return ((const struct run *)job)->discovery->waiting;
}

/* Counts the answers of some time, and lets queries go that wait for others if there were few. */
static void count_pulse(struct run *run, uint64_t elapsed, size_t in_the_way)
{
	uint64_t rate = (run->runner.answered - run->pulse.answered) * PULSE_NS / elapsed;

	run->pulse.slow = 4 * rate <= run->pulse.best ? run->pulse.slow + 1 : 0;
	if (rate > run->pulse.best)
		run->pulse.best = rate;
	if (run->pulse.slow < (in_the_way > FEW_IN_THE_WAY ? SLOW_PULSES : 1))
		return;
	discovery_hurry(run->discovery);
	run->pulse.slow = 0;
}

/*
 * Sees to it that queries do not wait for a few others that leave the fabric idle: fewer than a
 * quarter as many answers come as have come before. Slow nodes, silent ones and lost MADs do that.
 * Returns for how many milliseconds the program may wait.
 */
static int watch_pulse(void *job)
{
	struct run *run = job;
	size_t in_the_way = discovery_in_the_way(run->discovery);
	uint64_t now, elapsed;

	if (!in_the_way) {
		run->pulse.since = 0;
		run->pulse.slow = 0;
		return PROGRESS_MS;
	}
	now = clock_ns();
	elapsed = now - run->pulse.since;
	if (run->pulse.since && elapsed < PULSE_NS)
		return 1;
	/* A program that did not run for long has not measured the fabric. */
	if (run->pulse.since && elapsed < 3 * PULSE_NS)
		count_pulse(run, elapsed, in_the_way);
	run->pulse.since = now;
	run->pulse.answered = run->runner.answered;
	return 1;
}

static void show(void *job, size_t to_go)
{
	const struct run *run = job;

	progress_show(run->means->progress, "%zu nodes found, %zu requests answered, %zu to go",
		      run->discovery->fabric->node_count, run->runner.answered, to_go);
}

static int open_agent(const struct local *local, const struct discovery_tuning *tuning,
		      uint8_t mgmt_class, const char *what, struct madring_agent **agent)
{
	const struct madring_agent_config config = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.window = tuning->window,
		.pin_window = tuning->pin_window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms,
	};

	return local_agent_open(local, &config, what, agent);
}

int discovery_agent_open(const struct local *local, const struct discovery_tuning *tuning,
			 struct madring_agent **agent)
{
	return open_agent(local, tuning, IB_SMI_DIRECT_CLASS, "directed-route SMPs", agent);
}

int discovery_lid_agent_open(const struct local *local, const struct discovery_tuning *tuning,
			     struct madring_agent **agent)
{
	return open_agent(local, tuning, IB_SMI_CLASS, "SMPs by LID", agent);
}

int discovery_run(struct discovery *discovery, const struct discovery_means *means)
{
	struct run *run = memory_get(1, sizeof(*run));
	int error;

	discovery->lids.wanted = means->lid_agent;
	*run = (struct run){
		.runner = { .ring = means->ring,
			    .agent = means->agent,
			    .second = means->lid_agent,
			    .deadline_ns = means->deadline_ns,
			    .job = run,
			    .send_next = send_next,
			    .stop = stop,
			    .count_waiting = count_waiting,
			    .watch = watch_pulse,
			    .show = show },
		.discovery = discovery,
		.means = means,
	};
	runner_run(&run->runner);
	discovery_settle(discovery);
	runner_run(&run->runner);
	discovery->deadline_reached = run->runner.deadline_reached;
	error = run->runner.error;
	runner_end(&run->runner);
	return error;
}
