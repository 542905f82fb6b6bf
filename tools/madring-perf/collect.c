/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/mad.h>

#include "collect.h"
#include "collector.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/progress.h"
#include "common/runner.h"

struct run {
	struct runner runner;
	struct collector collector;
	uint16_t pkey_index;
	struct progress *progress;
};

int collect_agent_open(const struct local *local, const struct collect_tuning *tuning,
		       struct madring_agent **agent)
{
	struct madring_agent_config config = {
		.mgmt_class = IB_PERFORMANCE_CLASS,
		.class_version = 1,
		.window = tuning->window,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms ? tuning->patience_ms : COLLECT_PATIENCE_MS,
	};

	return local_agent_open(local, &config, "performance management", agent);
}

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

	if (!runner_take_outcome(&run->runner, completion->status)) {
		free(request);
		return;
	}
	if (!completion->status) {
		outcome.mad = madring_mad_data(completion->mad);
		outcome.length = completion->length;
		outcome.source_lid = lid_of(completion->mad);
		outcome.asked_lid = lid_of(completion->request);
	}
	collector_outcome(&run->collector, request, &outcome);
	runner_pump(&run->runner);
}

/* Sends a request. Returns 0, -EAGAIN when the ring takes no more for now, or why the request
   cannot be sent. */
static int send_request(struct run *run, struct request *request)
{
	struct madring_send_options send = { .callback = on_completion, .user = request };
	struct madring_mad *mad = madring_mad_get(run->runner.agent);

	if (!mad)
		return -EAGAIN;
	request->owner = run;
	madring_gmp_prepare(mad, request_lid(request), request_method(request),
			    request_attribute(request), 0);
	madring_mad_set_pkey_index(mad, run->pkey_index);
	request_data(request, (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA);
	return runner_send(&run->runner, run->runner.agent, mad, &send);
}

static int send_next(void *job)
{
	struct run *run = job;
	struct request *request = collector_take(&run->collector);
	struct outcome outcome = { 0 };
	int result;

	if (!request)
		return -ENOENT;
	result = send_request(run, request);
	if (result == -EAGAIN) {
		collector_put_back(&run->collector, request);
		return -EAGAIN;
	}
	if (!result)
		return 0;
	outcome.error = result;
	outcome.now_ns = clock_ns();
	collector_outcome(&run->collector, request, &outcome);
	return 0;
}

static void stop(void *job)
{
	collector_stop(&((struct run *)job)->collector);
}

static size_t count_waiting(const void *job)
{
	return ((const struct run *)job)->collector.waiting;
}

static void show(void *job, size_t to_go)
{
	const struct run *run = job;

	if (run->progress)
		progress_show(run->progress, "%zu requests answered, %zu to go",
			      run->runner.answered, to_go);
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
	struct run *run = memory_get(1, sizeof(*run));
	struct madring_ring_stats stats;

	*run = (struct run){
		.runner = { .ring = local->ring,
			    .agent = agent,
			    .deadline_ns = plan->deadline_ns,
			    .job = run,
			    .send_next = send_next,
			    .stop = stop,
			    .count_waiting = count_waiting,
			    .show = show },
		.pkey_index = local->pkey_index,
		.progress = progress,
	};
	collection->start_time_ms = now_ms();
	collection->start_ns = clock_ns();
	collector_start(&run->collector, collection, plan);
	runner_run(&run->runner);
	collector_end(&run->collector);
	collection->elapsed_ns = clock_ns() - collection->start_ns;
	collection->interrupted |= run->runner.interrupted;
	collection->deadline_reached |= run->runner.deadline_reached;
	collection->error = run->runner.error;
	madring_stats(local->ring, &stats);
	collection->stats.in_flight_peak = stats.in_flight_peak;
	collection->stats.driver = madring_driver_text(local->ring);
	runner_end(&run->runner);
}
