/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include <madring.h>

#include "common/clock.h"
#include "common/local.h"
#include "common/memory.h"
#include "common/progress.h"
#include "common/runner.h"
#include "read_drops.h"

/* The most switches that are asked at once. */
#define WINDOW 64

struct drops_job {
	struct runner runner;
	struct drops *drops;
	uint16_t pkey_index;
	struct progress *progress;
};

/* A request on its way. It may outlive the job, and then nobody takes its outcome. */
struct drops_request {
	struct drops_job *job;
	struct switch_drops *from;
};

static uint16_t lid_of(const struct madring_mad *mad)
{
	return be16toh(madring_mad_address(mad)->lid);
}

static void on_completion(const struct madring_completion *completion)
{
	struct drops_request request = *(struct drops_request *)completion->user;
	struct outcome outcome = {
		.error = completion->status,
		.now_ns = clock_ns(),
		.rtt_ns = completion->rtt_ns,
		.attempts = completion->attempts,
	};

	free(completion->user);
	if (!runner_take_outcome(&request.job->runner, completion->status))
		return;
	if (!completion->status) {
		outcome.mad = madring_mad_data(completion->mad);
		outcome.length = completion->length;
		outcome.source_lid = lid_of(completion->mad);
		outcome.asked_lid = lid_of(completion->request);
	}
	drops_outcome(request.job->drops, request.from, &outcome);
	runner_pump(&request.job->runner);
}

/* Sends a switch's request. Returns 0, -EAGAIN when the ring takes no more for now, or why the
   request cannot be sent. */
static int send_request(struct drops_job *job, struct switch_drops *from)
{
	struct madring_send_options send = { .callback = on_completion };
	struct madring_mad *mad = madring_mad_get(job->runner.agent);
	struct drops_request *request;
	int result;

	if (!mad)
		return -EAGAIN;
	request = memory_get(1, sizeof(*request));
	*request = (struct drops_request){ .job = job, .from = from };
	send.user = request;
	madring_gmp_prepare(mad, from->lid, MADRING_GET, drops_attribute(from), 0);
	madring_mad_set_pkey_index(mad, job->pkey_index);
	drops_data(from, (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA);
	result = runner_send(&job->runner, job->runner.agent, mad, &send);
	if (result)
		free(request);
	return result;
}

static int send_next(void *context)
{
	struct drops_job *job = context;
	struct switch_drops *from = drops_take(job->drops);
	int result;

	if (!from)
		return -ENOENT;
	result = send_request(job, from);
	if (result == -EAGAIN) {
		drops_put_back(job->drops, from);
		return -EAGAIN;
	}
	if (result)
		drops_outcome(job->drops, from, &(struct outcome){ .error = result });
	return 0;
}

static void stop(void *context)
{
	drops_stop(((struct drops_job *)context)->drops);
}

static size_t count_waiting(const void *context)
{
	return ((const struct drops_job *)context)->drops->waiting;
}

static void show(void *context, size_t to_go)
{
	progress_show(((struct drops_job *)context)->progress,
		      "counters of %zu switches to be read", to_go);
}

void drops_job_see(void *context, const struct madring_node_port *port)
{
	struct drops_job *job = context;

	if (port->number || port->node->type != MADRING_NODE_SWITCH)
		return;
	drops_add(job->drops, port->node);
	runner_pump(&job->runner);
}

int drops_agent_open(const struct local *local, const struct tuning *tuning,
		     struct madring_agent **agent)
{
	const struct madring_agent_config config = {
		.mgmt_class = IB_PERFORMANCE_CLASS,
		.class_version = 1,
		.window = tuning->window && tuning->window < WINDOW ? tuning->window : WINDOW,
		.retries = DROPS_RETRIES,
		.first_timeout_ms = DROPS_FIRST_TIMEOUT_MS,
		.min_timeout_ms = DROPS_MIN_TIMEOUT_MS,
		.max_timeout_ms = DROPS_MAX_TIMEOUT_MS,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms,
	};

	return madring_agent_open(local_port_of(local, IB_PERFORMANCE_CLASS), &config, agent);
}

struct drops_job *drops_job_start(struct drops *drops, const struct local *local,
				  struct madring_agent *agent)
{
	struct drops_job *job = memory_get(1, sizeof(*job));

	*job = (struct drops_job){
		.runner = { .ring = local->ring,
			    .agent = agent,
			    .job = job,
			    .send_next = send_next,
			    .stop = stop,
			    .count_waiting = count_waiting,
			    .show = show },
		.drops = drops,
		.pkey_index = local->pkey_index,
	};
	return job;
}

void drops_job_finish(struct drops_job *job, bool stopped, uint64_t deadline_ns,
		      struct progress *progress)
{
	job->progress = progress;
	job->runner.deadline_ns = deadline_ns;
	/* What has not answered yet would tell nothing of the time before. */
	madring_agent_cancel(job->runner.agent);
	if (stopped || job->runner.stopped)
		drops_stop(job->drops);
	else
		drops_finish(job->drops);
	runner_run(&job->runner);
}

void drops_job_end(struct drops_job *job)
{
	if (job)
		runner_end(&job->runner);
}
