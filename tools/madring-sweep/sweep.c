/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <infiniband/mad.h>

#include "advice.h"
#include "capture.h"
#include "clock.h"
#include "interrupt.h"
#include "progress.h"
#include "sweep.h"

/* A sweep waits for its silent nodes; a slow one's answer to an earlier attempt counts as well,
   so that many short waits lose nothing against a few long ones. */
#define MAX_TIMEOUT_MS 250

struct sweep {
	struct discovery *discovery;
	const struct options *options;
	struct madring *ring;
	struct madring_port *port;
	struct madring_agent *agent;
	struct progress progress;
	size_t answered;
	int error;
};

static void end_early(struct sweep *sweep, int error)
{
	if (!sweep->error)
		sweep->error = error;
	discovery_stop(sweep->discovery);
}

static void pump(struct sweep *sweep);

static void on_completion(const struct madring_completion *completion)
{
	struct query *query = completion->user;
	struct sweep *sweep = query->owner;

	sweep->answered++;
	if (completion->status == -ENODEV)
		end_early(sweep, -ENODEV);
	if (completion->status)
		discovery_no_reply(sweep->discovery, query, completion->status);
	else
		discovery_reply(sweep->discovery, query, madring_mad_data(completion->mad),
				completion->length);
	pump(sweep);
}

/* Returns 0, -EAGAIN when the ring takes no more for now, or why this one cannot be sent. */
static int send_query(struct sweep *sweep, struct query *query)
{
	struct madring_send send = { .callback = on_completion, .user = query };
	struct madring_mad *mad = madring_mad_get(sweep->agent);
	struct route route;
	int result;

	if (!mad)
		return -EAGAIN;
	query->owner = sweep;
	query_route(query, &route);
	result = madring_smp_dr_prepare(mad, route.port, route.hops, MADRING_GET, query->attribute,
					query->modifier);
	if (!result) {
		madring_smp_set_mkey(mad, sweep->options->mkey);
		result = madring_send(sweep->agent, mad, &send);
	}
	if (result)
		madring_mad_put(sweep->ring, mad);
	return result;
}

/* Sends what is waiting, as far as the ring has room; the rest waits for completions. */
static void pump(struct sweep *sweep)
{
	struct discovery *discovery = sweep->discovery;
	struct query *query;
	int result;

	while ((query = discovery_take(discovery))) {
		result = send_query(sweep, query);
		if (result == -EAGAIN) {
			discovery_put_back(discovery, query);
			return;
		}
		if (result == -ENODEV)
			end_early(sweep, -ENODEV);
		if (result)
			discovery_no_reply(discovery, query,
					   result == -ESHUTDOWN ? -ECANCELED : result);
	}
}

static void cancel(struct sweep *sweep)
{
	discovery_stop(sweep->discovery);
	madring_agent_cancel(sweep->agent);
}

/* Until nothing is waiting or outstanding. */
static void run(struct sweep *sweep)
{
	struct discovery *discovery = sweep->discovery;
	int result;

	pump(sweep);
	while (madring_outstanding(sweep->ring)) {
		result = madring_run(sweep->ring, PROGRESS_MS);
		if (result < 0 && result != -EINTR) {
			end_early(sweep, result);
			return;
		}
		if (interrupted() && !discovery->stopped)
			cancel(sweep);
		pump(sweep);
		progress_show(&sweep->progress, discovery->fabric->node_count, sweep->answered,
			      discovery->waiting + madring_outstanding(sweep->ring));
	}
	if (discovery->waiting)
		end_early(sweep, -ENOBUFS);
}

static int fail(const struct options *options, const char *what, int error)
{
	fprintf(stderr, "madring-sweep: %s: %s\n", what, madring_strerror(error));
	advice_print(options, error);
	return -1;
}

static int open_ring(struct sweep *sweep)
{
	const struct options *options = sweep->options;
	struct madring_config config = { .pin = MADRING_PIN_BEST_EFFORT, .transactions = 16384 };
	int result;

	if (options->window > config.transactions)
		config.transactions = options->window;
	result = madring_open(&sweep->ring, &config);
	return result ? fail(options, "cannot open a ring", result) : 0;
}

static int open_port(struct sweep *sweep)
{
	const struct options *options = sweep->options;
	char what[128];
	int result =
		madring_port_open(sweep->ring, options->ca_name, options->port, NULL, &sweep->port);

	if (!result)
		return 0;
	snprintf(what, sizeof(what), "cannot open port %d of device %s", options->port,
		 options->ca_name ? options->ca_name : "(any)");
	return fail(options, options->ca_name || options->port ? what : "cannot open a port",
		    result);
}

static int open_agent(struct sweep *sweep)
{
	const struct options *options = sweep->options;
	struct madring_agent_config config = {
		.mgmt_class = IB_SMI_DIRECT_CLASS,
		.class_version = 1,
		.window = options->window,
		.pin_window = options->pin_window,
		.timeout_ms = options->timeout_ms,
		.retries = options->retries,
		.max_timeout_ms = MAX_TIMEOUT_MS,
	};
	int result = madring_agent_open(sweep->port, &config, &sweep->agent);

	return result ? fail(options, "cannot register for directed-route SMPs", result) : 0;
}

static int open_all(struct sweep *sweep)
{
	if (open_ring(sweep))
		return -1;
	if (open_port(sweep) || open_agent(sweep) ||
	    capture_start(sweep->ring, sweep->options->capture)) {
		madring_close(sweep->ring);
		return -1;
	}
	return 0;
}

static void carry_out(struct sweep *sweep, struct result *result)
{
	uint64_t start = clock_ns();

	run(sweep);
	discovery_settle(sweep->discovery);
	run(sweep);
	result->elapsed_ns = clock_ns() - start;
}

int sweep_run(struct discovery *discovery, struct result *result)
{
	struct sweep sweep = { .discovery = discovery, .options = result->options };

	if (open_all(&sweep))
		return -1;
	progress_start(&sweep.progress, !sweep.options->show);
	interrupt_watch(sweep.ring);
	carry_out(&sweep, result);
	interrupt_unwatch();
	progress_end(&sweep.progress);
	madring_stats(sweep.ring, &result->stats);
	capture_end(sweep.ring, sweep.options->capture);
	madring_close(sweep.ring);
	result->finished = time(NULL);
	/* A signal that came when all was done has ended nothing. */
	result->interrupted = interrupted() && discovery->stopped;
	result->error = sweep.error;
	return 0;
}
