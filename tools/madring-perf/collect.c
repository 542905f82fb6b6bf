/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <infiniband/mad.h>

#include "collect.h"
#include "collector.h"
#include "common/clock.h"
#include "common/deadline.h"
#include "common/interrupt.h"
#include "common/progress.h"

struct run {
	struct collector collector;
	struct madring *ring;
	struct madring_agent *agent;
	struct progress *progress;
	size_t answered;
	int error;
};

int collect_agent_open(const struct local *local, const struct collect_tuning *tuning,
		       struct madring_agent **agent)
{
	struct madring_agent_config config = {
		.mgmt_class = IB_PERFORMANCE_CLASS,
		.class_version = 1,
		.window = tuning->window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries ? tuning->retries : COLLECT_RETRIES,
		.first_timeout_ms = COLLECT_FIRST_TIMEOUT_MS,
		.min_timeout_ms = COLLECT_MIN_TIMEOUT_MS,
		.max_timeout_ms = COLLECT_MAX_TIMEOUT_MS,
	};

	return local_agent_open(local, &config, "performance management", agent);
}

static void end_early(struct run *run, int error)
{
	if (!run->error)
		run->error = error;
	collector_stop(&run->collector);
}

static void pump(struct run *run);

static uint16_t lid_of(const struct madring_mad *mad)
{
	return be16toh(madring_mad_address(mad)->lid);
}

static void on_completion(const struct madring_completion *completion)
{
	struct request *request = completion->user;
	struct run *run = request->owner;
	struct outcome outcome = {
		.error = completion->status,
		.now_ns = clock_ns(),
		.rtt_ns = completion->rtt_ns,
		.attempts = completion->attempts,
	};

	run->answered++;
	if (completion->status == -ENODEV)
		end_early(run, -ENODEV);
	if (!completion->status) {
		outcome.mad = madring_mad_data(completion->mad);
		outcome.length = completion->length;
		outcome.source_lid = lid_of(completion->mad);
		outcome.asked_lid = lid_of(completion->request);
	}
	collector_outcome(&run->collector, request, &outcome);
	pump(run);
}

/* Returns 0, -EAGAIN when the ring takes no more for now, or why this one cannot be sent. */
static int send_request(struct run *run, struct request *request)
{
	struct madring_send_options send = { .callback = on_completion, .user = request };
	struct madring_mad *mad = madring_mad_get(run->agent);
	int result;

	if (!mad)
		return -EAGAIN;
	request->owner = run;
	madring_gmp_prepare(mad, request_lid(request), request_method(request),
			    request_attribute(request), 0);
	request_data(request, (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA);
	result = madring_send(run->agent, mad, &send);
	if (result)
		madring_mad_put(run->ring, mad);
	return result;
}

/* Sends what is waiting, as far as the ring has room; the rest waits for completions. */
static void pump(struct run *run)
{
	struct request *request;
	int result;

	while ((request = collector_take(&run->collector))) {
		result = send_request(run, request);
		if (result == -EAGAIN) {
			collector_put_back(&run->collector, request);
			return;
		}
		if (result == -ENODEV)
			end_early(run, -ENODEV);
		if (result)
			collector_outcome(&run->collector, request,
					  &(struct outcome){ .error = result == -ESHUTDOWN
									      ? -ECANCELED
									      : result,
							     .now_ns = clock_ns() });
	}
}

/* The ring does not run any more. What it still has must not call back once we are gone. */
static void give_up(struct run *run, int error)
{
	end_early(run, error);
	madring_agent_cancel(run->agent);
	madring_dispatch(run->ring, 0);
}

/* Stops the collection after a signal, or at its deadline. */
static void check_end(struct run *run)
{
	struct collection *collection = run->collector.collection;

	if (run->collector.stopped)
		return;
	if (interrupted())
		collection->interrupted = true;
	else if (deadline_reached(run->collector.plan->deadline_ns))
		collection->deadline_reached = true;
	else
		return;
	collector_stop(&run->collector);
	madring_agent_cancel(run->agent);
}

static void run_out(struct run *run)
{
	struct collector *collector = &run->collector;
	int result;

	pump(run);
	while (madring_outstanding(run->ring)) {
		result = madring_run(run->ring,
				     deadline_wait_ms(collector->plan->deadline_ns, PROGRESS_MS));
		if (result < 0 && result != -EINTR) {
			give_up(run, result);
			return;
		}
		check_end(run);
		pump(run);
		if (run->progress)
			progress_show(run->progress, "%zu requests answered, %zu to go",
				      run->answered,
				      collector->waiting + madring_outstanding(run->ring));
	}
	if (collector->waiting)
		end_early(run, -ENOBUFS);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void collect(struct collection *collection, const struct plan *plan, const struct local *local,
	     struct madring_agent *agent, struct progress *progress)
{
	struct run run = { .ring = local->ring, .agent = agent, .progress = progress };
	struct madring_ring_stats stats;

	collection->start_time_ms = now_ms();
	collection->start_ns = clock_ns();
	collector_start(&run.collector, collection, plan);
	run_out(&run);
	collector_end(&run.collector);
	collection->elapsed_ns = clock_ns() - collection->start_ns;
	collection->error = run.error;
	madring_stats(local->ring, &stats);
	collection->stats.in_flight_peak = stats.in_flight_peak;
}
