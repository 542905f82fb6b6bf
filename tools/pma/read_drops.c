/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madring.h>

#include "common/clock.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/memory.h"
#include "common/progress.h"
#include "read_drops.h"

/* The most switches that are asked at once. */
#define WINDOW 64

struct drops_job {
	struct madring_batch *batch;
	struct madring_agent *agent;
	struct drops *drops;
	uint16_t pkey_index;
	struct progress *progress; /* NULL: the sweep tells its own */
};

static uint16_t lid_of(const struct madring_mad *mad)
{
	return be16toh(madring_mad_const_address(mad)->lid);
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct drops_job *job = user;
	struct outcome outcome = {
		.error = completion->status,
		.now_ns = clock_ns(),
		.rtt_ns = completion->rtt_ns,
		.attempts = completion->attempts,
	};

	if (!completion->status) {
		outcome.mad = madring_mad_data(completion->mad);
		outcome.length = completion->length;
		outcome.source_lid = lid_of(completion->mad);
		outcome.asked_lid = lid_of(completion->request);
	}
	drops_outcome(job->drops, completion->user, &outcome);
}

static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	const struct drops_job *job = user;
	struct switch_drops *from = drops_take(job->drops);

	(void)batch;
	if (!from)
		return 0;
	madring_gmp_prepare(mad, from->lid, MADRING_GET, drops_attribute(from), 0);
	madring_mad_set_pkey_index(mad, job->pkey_index);
	drops_data(from, (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA);
	send->user = from;
	return 1;
}

static int watch_interrupt(void *user, struct madring_batch *batch)
{
	const struct drops_job *job = user;

	if (interrupted()) {
		drops_stop(job->drops);
		madring_batch_cancel(batch);
	}
	return -1;
}

static void show(void *user, const struct madring_batch_state *state)
{
	const struct drops_job *job = user;

	if (job->progress)
		progress_show(job->progress, "counters of %zu switches to be read",
			      job->drops->waiting + state->in_flight);
}

void drops_job_see(void *context, const struct madring_node_port *port)
{
	struct drops_job *job = context;

	if (port->number || port->node->type != MADRING_NODE_SWITCH)
		return;
	drops_add(job->drops, port->node);
	madring_batch_more(job->batch);
}

int drops_agent_open(const struct local *local, const struct tuning *tuning,
		     struct madring_agent **agent)
{
	const struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
		.class_version = 1,
		.window = tuning->window && tuning->window < WINDOW ? tuning->window : WINDOW,
		.retries = DROPS_RETRIES,
		.first_timeout_ms = DROPS_FIRST_TIMEOUT_MS,
		.min_timeout_ms = DROPS_MIN_TIMEOUT_MS,
		.max_timeout_ms = DROPS_MAX_TIMEOUT_MS,
		.queue_us = tuning->queue_us,
		.patience_ms = tuning->patience_ms,
	};

	return madring_agent_open(local_port_of(local, MADRING_CLASS_PMA), &config, agent);
}

struct drops_job *drops_job_start(struct drops *drops, const struct local *local,
				  struct madring_agent *agent, uint64_t deadline_ns)
{
	struct drops_job *job = memory_get(1, sizeof(*job));
	const struct madring_batch_config config = {
		.next = next_request,
		.done = take_outcome,
		.user = job,
		.watch = watch_interrupt,
		.progress = show,
		.deadline_ms = clock_deadline_ms(deadline_ns),
	};

	*job = (struct drops_job){ .agent = agent,
				   .drops = drops,
				   .pkey_index = local->pkey_index };
	drops->error = madring_batch_start(agent, &config, &job->batch);
	if (!drops->error)
		return job;
	free(job);
	return NULL;
}

bool drops_job_is_idle(const struct drops_job *job)
{
	struct madring_batch_state state;

	madring_batch_get_state(job->batch, &state);
	return !job->drops->waiting && !state.in_flight;
}

void drops_job_finish(struct drops_job *job, bool stopped, struct progress *progress)
{
	struct madring_batch_state state;

	job->progress = progress;
	/* What has not answered yet would tell nothing of the time before. */
	madring_agent_cancel(job->agent);
	madring_batch_get_state(job->batch, &state);
	if (stopped || state.error)
		drops_stop(job->drops);
	else
		drops_finish(job->drops);
	madring_batch_more(job->batch);
	while (madring_batch_run(job->batch) == -EINTR)
		;
}

void drops_job_end(struct drops_job *job)
{
	if (job)
		madring_batch_end(job->batch);
	free(job);
}
