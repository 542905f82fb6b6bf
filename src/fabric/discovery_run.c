/* SPDX-License-Identifier: BSD-2-Clause */
#include "discovery_run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <madring/batch.h>

/* The longest time between two looks at the deadline and at a signal. */
#define LOOK_MS 100

/* The time over which answers are counted, to see whether a few slow nodes hold back all others. */
#define PULSE_NS UINT64_C(500000)

/*
 * Few queries hold back others for one such time without many answers, and more than these for some
 * more. One of the few costs one query more if it is not waited for.
 */
#define FEW_IN_THE_WAY 16u
#define SLOW_PULSES    3u

/* The retries of a query that is repeated in another way when it fails. */
#define RETRIES_OF_TRY 3

struct discovery_run {
	struct discovery *discovery;
	struct discovery_means means;
	struct madring_batch *batch; /* NULL: it has ended, and this was its state: */
	struct madring_batch_state batch_state;
	struct query *sent; /* those without an outcome */
	size_t outstanding, answered;
	bool is_settled, is_done;
	struct {
		uint64_t since; /* a time of the monotonic clock; 0: nothing waits */
		size_t answered;
		uint64_t best;	   /* answers in PULSE_NS */
		unsigned int slow; /* how often in a row the answers were few */
	} pulse;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Fills in the node that a query goes to. A node that is yet to be found is behind a port. That of
 * a query about a known node is where the earlier fabric had it: see choose_mkey().
 */
static void find_target(const struct discovery_run *run, const struct query *query,
			struct madring_sweep_target *target)
{
	*target = (struct madring_sweep_target){ .attempt = query->searches };
	if (!query->via)
		target->guid = run->means.local_guid;
	else if (!query->exit)
		target->guid = query->via->public.guid;
	else if (query->node && !query->problem)
		target->guid = query->node->public.guid;
	else
		target->via_guid = query->via->public.guid;
	target->via_port = target->via_guid ? query->exit : 0;
}

/*
 * Chooses the M_Key of a query. Only that of the local node is chosen by a GUID, and that of a node
 * that was recalled, at the place where the earlier fabric had it. Any node can claim any GUID. A
 * node that has answered one Get answers others with the same M_Key (IBA 14.2.4), so it gets no
 * other, whatever GUID it has told.
 */
static void choose_mkey(const struct discovery_run *run, struct query *query)
{
	const struct madring_sweep_config *config = &run->means.config;
	struct madring_sweep_target target;

	if (query->has_mkey)
		return;
	query->has_mkey = true;
	query->mkey = config->m_key;
	if (!config->get_mkey)
		return;
	find_target(run, query, &target);
	if (!config->get_mkey(config->user, &target, &query->mkey))
		query->mkey = config->m_key;
}

/*
 * Puts a query to an unknown node back for its next attempt with another M_Key. Returns false if
 * there is none.
 */
static bool search_mkey(struct discovery_run *run, struct query *query)
{
	const struct madring_sweep_config *config = &run->means.config;
	struct madring_sweep_target target;
	uint64_t mkey;

	if (!config->get_mkey || run->discovery->stopped || !query->via || query->node)
		return false;
	find_target(run, query, &target);
	target.attempt++;
	if (!config->get_mkey(config->user, &target, &mkey))
		return false;
	query->searches++;
	query->has_mkey = false;
	discovery_put_back(run->discovery, query);
	return true;
}

static void add_sent(struct discovery_run *run, struct query *query)
{
	query->sent_next = run->sent;
	query->sent_link = &run->sent;
	if (run->sent)
		run->sent->sent_link = &query->sent_next;
	run->sent = query;
	run->outstanding++;
}

static void remove_sent(struct discovery_run *run, struct query *query)
{
	*query->sent_link = query->sent_next;
	if (query->sent_next)
		query->sent_next->sent_link = query->sent_link;
	run->outstanding--;
}

static void get_batch_state(const struct discovery_run *run, struct madring_batch_state *state)
{
	if (run->batch)
		madring_batch_get_state(run->batch, state);
	else
		*state = run->batch_state;
}

/* Returns whether something ended the batch early. */
static bool is_stopped(const struct discovery_run *run)
{
	struct madring_batch_state state;

	get_batch_state(run, &state);
	return state.canceled || state.deadline_reached || state.error;
}

/* Joins the ports by cables, once recalled links are proved. This may make queries. */
static void settle(struct discovery_run *run)
{
	if (run->is_settled)
		return;
	run->is_settled = discovery_settle(run->discovery);
}

/* Tells once that all queries have their outcome, and that no more are made. */
static void finish(struct discovery_run *run)
{
	const struct madring_sweep_config *config = &run->means.config;

	if (run->is_done)
		return;
	run->is_done = true;
	if (is_stopped(run) || run->discovery->error)
		discovery_stop(run->discovery);
	settle(run);
	if (config->on_done)
		config->on_done(config->user, run->means.sweep);
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct query *query = completion->user;
	struct discovery_run *run = user;

	remove_sent(run, query);
	run->answered++;
	if (completion->status == -ETIMEDOUT && search_mkey(run, query))
		return;
	if (completion->status)
		discovery_no_reply(run->discovery, query, completion->status);
	else
		discovery_reply(run->discovery, query, madring_mad_data(completion->mad),
				completion->length);
	if (!run->outstanding && is_stopped(run))
		finish(run);
}

/*
 * Returns the flow of the requests to the node that a query goes to: those straight to it and those
 * that come to it over a cable and back have different routes.
 */
static uint64_t flow_of(const struct query *query)
{
	uint64_t guid = query->via ? query->via->public.guid : 0;

	return (guid ^ (query->exit + UINT64_C(1)) << 48) | UINT64_C(1) << 63;
}

/* Prepares the SMP of a query. Returns 0, or -EINVAL when its route is none. */
static int prepare_query(const struct discovery_run *run, const struct query *query,
			 struct madring_mad *mad)
{
	struct route route;
	int result;

	if (query_class(query) == MADRING_CLASS_SMP) {
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

/* Writes the next query that can be prepared (madring_batch_config.next). */
static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct discovery_run *run = user;
	struct query *query;
	int result;

	while ((query = discovery_take(run->discovery))) {
		if (query_class(query) == MADRING_CLASS_SMP)
			madring_batch_via(batch, run->means.lid_agent);
		result = prepare_query(run, query, mad);
		if (!result)
			break;
		discovery_no_reply(run->discovery, query, result);
	}
	if (!query)
		return run->discovery->error;
	choose_mkey(run, query);
	madring_smp_set_mkey(mad, query->mkey);
	send->user = query;
	send->flow = flow_of(query);
	if ((query->lid || query->back) && !run->means.config.keep_retries)
		send->retries = RETRIES_OF_TRY;
	add_sent(run, query);
	return 1;
}

/* Counts the answers of some time, and lets queries go that wait for others if there were few. */
static void count_pulse(struct discovery_run *run, uint64_t elapsed, size_t in_the_way)
{
	uint64_t rate = (run->answered - run->pulse.answered) * PULSE_NS / elapsed;

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
 * Returns for how many milliseconds the ring may wait.
 */
static int watch_pulse(struct discovery_run *run)
{
	size_t in_the_way = discovery_in_the_way(run->discovery);
	uint64_t now, elapsed;

	if (!in_the_way) {
		run->pulse.since = 0;
		run->pulse.slow = 0;
		return LOOK_MS;
	}
	now = now_ns();
	elapsed = now - run->pulse.since;
	if (run->pulse.since && elapsed < PULSE_NS)
		return 1;
	/* A program that did not run for long has not measured the fabric. */
	if (run->pulse.since && elapsed < 3 * PULSE_NS)
		count_pulse(run, elapsed, in_the_way);
	run->pulse.since = now;
	run->pulse.answered = run->answered;
	return 1;
}

static bool is_idle(const struct discovery_run *run)
{
	return !run->outstanding && !run->discovery->waiting;
}

static int watch(void *user, struct madring_batch *batch)
{
	struct discovery_run *run = user;
	const struct madring_sweep_config *config = &run->means.config;

	(void)batch;
	if (config->is_canceled && !run->is_done && config->is_canceled(config->user))
		discovery_run_cancel(run);
	if (is_idle(run))
		settle(run);
	if (is_idle(run) || (!run->outstanding && is_stopped(run)))
		finish(run);
	return run->is_done ? -1 : watch_pulse(run);
}

static void show_progress(void *user, const struct madring_batch_state *batch_state)
{
	struct discovery_run *run = user;
	struct madring_sweep_state state;

	(void)batch_state;
	discovery_run_get_state(run, &state);
	run->means.config.on_progress(run->means.config.user, &state);
}

int discovery_run_start(struct discovery *discovery, const struct discovery_means *means,
			struct discovery_run **started)
{
	const struct madring_sweep_config *config = &means->config;
	struct discovery_run *run = calloc(1, sizeof(*run));
	struct madring_batch_config batch = {
		.next = next_request,
		.done = take_outcome,
		.user = run,
		.watch = watch,
		.progress = config->on_progress ? show_progress : NULL,
		.progress_ms = config->progress_ms,
		.deadline_ms = config->deadline_ms > INT_MAX ? INT_MAX : (int)config->deadline_ms,
	};
	int error;

	if (!run)
		return -ENOMEM;
	discovery->lids.wanted = means->lid_agent;
	run->discovery = discovery;
	run->means = *means;
	error = madring_batch_start(means->agent, &batch, &run->batch);
	if (error)
		free(run);
	else
		*started = run;
	return error;
}

int discovery_run_on(struct discovery_run *run)
{
	return madring_batch_run(run->batch);
}

void discovery_run_cancel(struct discovery_run *run)
{
	if (run->batch)
		madring_batch_cancel(run->batch);
	if (!run->outstanding)
		finish(run);
}

void discovery_run_get_state(const struct discovery_run *run, struct madring_sweep_state *state)
{
	const struct discovery *discovery = run->discovery;
	struct madring_batch_state batch;

	get_batch_state(run, &batch);
	*state = (struct madring_sweep_state){
		.done = run->is_done,
		.canceled = batch.canceled,
		.deadline_reached = batch.deadline_reached,
		.error = discovery->error ? discovery->error : batch.error,
		.nodes = discovery->fabric->node_count,
		.answered = run->answered,
		.to_go = discovery->waiting + run->outstanding,
		.unanswered = discovery->dropped,
		.lid_requests = discovery->lids.requests,
		.lid_nodes = discovery->lids.trusted,
		.lid_refused = discovery->lids.refused,
		.lid_repeated = discovery->lids.lost,
		.recalled = discovery->earlier.recalled,
		.doubtful = discovery->earlier.is_doubtful,
	};
}

/*
 * Ends the batch, as canceled if the sweep is not done. Returns 0, or -EBUSY, which changes
 * nothing.
 */
static int end_batch(struct discovery_run *run)
{
	struct madring_batch_state *state = &run->batch_state;

	madring_batch_get_state(run->batch, state);
	if (madring_batch_end(run->batch) == -EBUSY)
		return -EBUSY;
	run->batch = NULL;
	if ((run->outstanding || !is_idle(run)) && !is_stopped(run))
		state->canceled = true;
	return 0;
}

int discovery_run_end(struct discovery_run *run, struct madring_sweep_state *state)
{
	struct discovery *discovery = run->discovery;
	struct query *query;

	if (end_batch(run))
		return -EBUSY;
	run->means.config.on_done = NULL;
	/*
	 * Requests in flight have no outcome: the program does not wait for them, or the ring has
	 * failed.
	 */
	while ((query = run->sent)) {
		remove_sent(run, query);
		discovery_no_reply(discovery, query, -ECANCELED);
	}
	finish(run);
	discovery_run_get_state(run, state);
	discovery->deadline_reached = state->deadline_reached;
	free(run);
	return 0;
}

int discovery_run(struct discovery *discovery, const struct discovery_means *means)
{
	struct madring_sweep_state state = { 0 };
	struct discovery_run *run;
	int error = discovery_run_start(discovery, means, &run);

	if (error)
		return error;
	while (discovery_run_on(run) == -EINTR)
		;
	error = discovery_run_end(run, &state);
	return error ? error : state.error;
}
