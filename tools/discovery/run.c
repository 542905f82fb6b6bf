/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include <infiniband/mad.h>

#include "common/deadline.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/progress.h"
#include "run.h"

/* A discovery waits for its silent nodes; a slow one's answer to an earlier attempt counts as
   well, so that many short waits lose nothing against a few long ones. */
#define MAX_TIMEOUT_MS 250

/*
 * At 5 % loss each way one attempt in ten fails. Ten attempts lose one request in ten thousand
 * million, which a discovery of any fabric does not meet; a dead port costs some seconds, once,
 * as all dead ports are waited for together.
 */
#define RETRIES 9

struct run {
	struct discovery *discovery;
	const struct discovery_means *means;
	size_t answered;
	bool cancelled;
	int error;
};

static void end_early(struct run *run, int error)
{
	if (!run->error)
		run->error = error;
	discovery_stop(run->discovery);
}

static void pump(struct run *run);

static void on_completion(const struct madring_completion *completion)
{
	struct query *query = completion->user;
	struct run *run = query->owner;

	run->answered++;
	if (completion->status == -ENODEV)
		end_early(run, -ENODEV);
	if (completion->status)
		discovery_no_reply(run->discovery, query, completion->status);
	else
		discovery_reply(run->discovery, query, madring_mad_data(completion->mad),
				completion->length);
	pump(run);
}

/* Returns 0, -EAGAIN when the ring takes no more for now, or why this one cannot be sent. */
static int send_query(struct run *run, struct query *query)
{
	struct madring_send_options send = { .callback = on_completion, .user = query };
	struct madring_mad *mad = madring_mad_get(run->means->agent);
	struct route route;
	int result;

	if (!mad)
		return -EAGAIN;
	query->owner = run;
	query_route(query, &route);
	result = madring_smp_dr_prepare(mad, route.port, route.hops, MADRING_GET, query->attribute,
					query->modifier);
	if (!result) {
		madring_smp_set_mkey(mad, run->means->mkey);
		result = madring_send(run->means->agent, mad, &send);
	}
	if (result)
		madring_mad_put(run->means->ring, mad);
	return result;
}

/* Sends what is waiting, as far as the ring has room; the rest waits for completions. */
static void pump(struct run *run)
{
	struct discovery *discovery = run->discovery;
	struct query *query;
	int result;

	while ((query = discovery_take(discovery))) {
		result = send_query(run, query);
		if (result == -EAGAIN) {
			discovery_put_back(discovery, query);
			return;
		}
		if (result == -ENODEV)
			end_early(run, -ENODEV);
		if (result)
			discovery_no_reply(discovery, query,
					   result == -ESHUTDOWN ? -ECANCELED : result);
	}
}

static void cancel(struct run *run)
{
	run->cancelled = true;
	discovery_stop(run->discovery);
	madring_agent_cancel(run->means->agent);
}

static void check_deadline(struct run *run)
{
	if (!deadline_reached(run->means->deadline_ns))
		return;
	run->discovery->deadline_reached = true;
	cancel(run);
}

/* The ring does not run any more. What it still has must not call back once we are gone. */
static void give_up(struct run *run, int error)
{
	end_early(run, error);
	madring_agent_cancel(run->means->agent);
	madring_dispatch(run->means->ring, 0);
}

/* Until nothing is waiting or outstanding. */
static void run_out(struct run *run)
{
	struct discovery *discovery = run->discovery;
	int result;

	pump(run);
	while (madring_outstanding(run->means->ring)) {
		result = madring_run(run->means->ring,
				     deadline_wait_ms(run->means->deadline_ns, PROGRESS_MS));
		if (result < 0 && result != -EINTR) {
			give_up(run, result);
			return;
		}
		if (interrupted() && !run->cancelled)
			cancel(run);
		if (!run->cancelled)
			check_deadline(run);
		pump(run);
		progress_show(run->means->progress,
			      "%zu nodes found, %zu requests answered, %zu to go",
			      discovery->fabric->node_count, run->answered,
			      discovery->waiting + madring_outstanding(run->means->ring));
	}
	if (discovery->waiting)
		end_early(run, -ENOBUFS);
}

int discovery_agent_open(const struct local *local, const struct discovery_tuning *tuning,
			 struct madring_agent **agent)
{
	const struct madring_agent_config config = {
		.mgmt_class = IB_SMI_DIRECT_CLASS,
		.class_version = 1,
		.window = tuning->window,
		.pin_window = tuning->pin_window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries ? tuning->retries : RETRIES,
		.max_timeout_ms = MAX_TIMEOUT_MS,
	};

	return local_agent_open(local, &config, "directed-route SMPs", agent);
}

int discovery_run(struct discovery *discovery, const struct discovery_means *means)
{
	struct run run = { .discovery = discovery, .means = means };

	run_out(&run);
	discovery_settle(discovery);
	run_out(&run);
	return run.error;
}
