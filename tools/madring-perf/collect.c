/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "collector.h"
#include "common/clock.h"
#include "common/interrupt.h"
#include "common/memory.h"
#include "common/progress.h"

struct run {
	struct collector collector;
	uint16_t pkey_index;
	struct progress *progress;
	bool interrupted;
	uint32_t left; /* requests that end when the ring is closed, because it has failed */
};

int collect_agent_open(const struct local *local, const struct collect_tuning *tuning,
		       struct madring_agent **agent)
{
	struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
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
	return be16toh(madring_mad_const_address(mad)->lid);
}

/* Takes an outcome that comes after the collection: the last one frees the run. */
static void drop_outcome(struct run *run, struct request *request)
{
	free(request);
	if (!--run->left)
		free(run);
}

static void take_outcome(void *user, const struct madring_completion *completion)
{
	struct run *run = user;
	struct outcome outcome = {
		.error = completion->status,
		.now_ns = clock_ns(),
		.rtt_ns = completion->rtt_ns,
		.attempts = completion->attempts,
	};

	if (run->left) {
		drop_outcome(run, completion->user);
		return;
	}
	if (!completion->status) {
		outcome.mad = madring_mad_data(completion->mad);
		outcome.length = completion->length;
		outcome.source_lid = lid_of(completion->mad);
		outcome.asked_lid = lid_of(completion->request);
	}
	collector_outcome(&run->collector, completion->user, &outcome);
}

static int next_request(void *user, struct madring_batch *batch, struct madring_mad *mad,
			struct madring_send_options *send)
{
	struct run *run = user;
	struct request *request = collector_take(&run->collector);

	(void)batch;
	if (!request)
		return 0;
	madring_gmp_prepare(mad, request_lid(request), request_method(request),
			    request_attribute(request), 0);
	madring_mad_set_pkey_index(mad, run->pkey_index);
	request_data(request, (uint8_t *)madring_mad_data(mad) + MADRING_PMA_DATA);
	send->user = request;
	return 1;
}

static int watch_interrupt(void *user, struct madring_batch *batch)
{
	struct run *run = user;

	if (interrupted()) {
		run->interrupted = true;
		madring_batch_cancel(batch);
	}
	return -1;
}

static void show(void *user, const struct madring_batch_state *state)
{
	const struct run *run = user;

	if (run->progress)
		progress_show(run->progress, "%" PRIu64 " requests answered, %zu to go",
			      state->ended, run->collector.waiting + state->in_flight);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Runs the requests of one agent to their end, past signals. Returns 0 or a negative errno. */
static int run_batch(struct run *run, const struct plan *plan, struct madring_agent *agent,
		     struct madring_batch_state *state)
{
	const struct madring_batch_config config = {
		.next = next_request,
		.done = take_outcome,
		.user = run,
		.watch = watch_interrupt,
		.progress = show,
		.deadline_ms = clock_deadline_ms(plan->deadline_ns),
	};
	struct madring_batch *batch;
	int error = madring_batch_start(agent, &config, &batch);

	*state = (struct madring_batch_state){ 0 };
	if (error)
		return error;
	do
		error = madring_batch_run(batch);
	while (error == -EINTR);
	madring_batch_get_state(batch, state);
	run->left = state->in_flight;
	if (!run->left)
		madring_batch_end(batch);
	return error;
}

void collect(struct collection *collection, const struct plan *plan, const struct local *local,
	     struct madring_agent *agent, struct progress *progress)
{
	struct run *run = memory_get(1, sizeof(*run));
	struct madring_batch_state state;
	struct madring_stats stats;

	*run = (struct run){ .pkey_index = local->pkey_index, .progress = progress };
	collection->start_time_ms = now_ms();
	collection->start_ns = clock_ns();
	collector_start(&run->collector, collection, plan);
	collection->error = run_batch(run, plan, agent, &state);
	collector_end(&run->collector);
	collection->elapsed_ns = clock_ns() - collection->start_ns;
	collection->interrupted |= run->interrupted;
	collection->deadline_reached |= state.deadline_reached;
	madring_get_stats(local->ring, &stats);
	collection->stats.in_flight_peak = stats.in_flight_peak;
	collection->stats.driver = madring_driver_text(local->ring);
	if (!run->left)
		free(run);
}
