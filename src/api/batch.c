/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts, runs, cancels and ends batches. */
#include "api/batch.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>

#define PROGRESS_MS 100u

static bool is_valid_config(const struct madring_batch_config *config)
{
	return config->next && config->done && config->deadline_ms >= 0;
}

static void fill_defaults(struct madring_batch_config *config, const struct madring *ring)
{
	if (!config->most || config->most > ring->config.transactions)
		config->most = ring->config.transactions;
	if (!config->progress_ms)
		config->progress_ms = PROGRESS_MS;
}

static void set_times(struct madring_batch *batch)
{
	const struct madring_batch_config *config = &batch->config;
	uint64_t now = driver_clock();

	batch->deadline = ENGINE_NEVER;
	batch->progress_at = ENGINE_NEVER;
	batch->watch_at = config->watch ? now : ENGINE_NEVER;
	if (config->deadline_ms)
		batch->deadline = now + (uint64_t)config->deadline_ms * NS_PER_MS;
	if (config->progress)
		batch->progress_at = now + (uint64_t)config->progress_ms * NS_PER_MS;
}

/*
 * Fills @filled with the caller's configuration. Returns 0, or an error of madring_batch_start().
 */
static int take_config(const struct madring *ring, struct madring_batch_config *filled,
		       const struct madring_batch_config *config, size_t config_size,
		       size_t send_size)
{
	int error = sized_take(filled, sizeof(*filled), config, config_size);

	if (!error && send_size > MOST_SEND_SIZE)
		error = -E2BIG;
	if (!error && !is_valid_config(filled))
		error = -EINVAL;
	if (!error)
		error = ring_check(ring);
	if (!error && ring->is_closing)
		error = -ESHUTDOWN;
	return error;
}

API int madring_batch_start_sized(struct madring_agent *agent,
				  const struct madring_batch_config *config, size_t config_size,
				  size_t send_size, struct madring_batch **out)
{
	struct madring *ring = agent->ring;
	struct madring_batch_config filled;
	struct madring_batch *batch;
	int error = take_config(ring, &filled, config, config_size, send_size);

	if (error)
		return error;
	batch = calloc(1, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	batch->config = filled;
	batch->send_size = send_size;
	fill_defaults(&batch->config, ring);
	/* The kernel provides the memory of this array as it is used. */
	batch->requests = calloc(batch->config.most, sizeof(*batch->requests));
	if (!batch->requests) {
		free(batch);
		return -ENOMEM;
	}
	batch->ring = ring;
	batch->agent = agent;
	set_times(batch);
	batch_link(ring, batch);
	*out = batch;
	return 0;
}

static bool is_done(const struct madring_batch *batch)
{
	struct madring_batch_state state;

	madring_batch_get_state(batch, &state);
	return state.done;
}

static int run_batch(struct madring_batch *batch)
{
	struct madring *ring = batch->ring;
	int error;

	do {
		error = ring_check(ring);
		if (error)
			break;
		batches_turn(ring, true);
		if (is_done(batch))
			return batch->state.error;
		error = ring_run_turns(ring, ENGINE_NEVER);
	} while (error >= 0);
	if (error != -EINTR && error != -EREMOTE) {
		batches_fail(ring, error);
		ring_dispatch(ring, 0);
	}
	return error;
}

API int madring_batch_run(struct madring_batch *batch)
{
	int result;

	if (ring_is_foreign(batch->ring))
		return -EREMOTE;
	if (batch->ring->lent.calling)
		return -EBUSY;
	batch->is_running = true;
	result = run_batch(batch);
	batch->is_running = false;
	return result;
}

API int madring_batch_call_sized(struct madring_agent *agent,
				 const struct madring_batch_config *config, size_t config_size,
				 size_t send_size)
{
	struct madring_batch *batch;
	int error, again;

	if (ring_is_foreign(agent->ring))
		return -EREMOTE;
	if (agent->ring->lent.calling)
		return -EBUSY;
	error = madring_batch_start_sized(agent, config, config_size, send_size, &batch);
	if (error)
		return error;
	error = madring_batch_run(batch);
	if (error == -EINTR) {
		madring_batch_cancel(batch);
		do
			again = madring_batch_run(batch);
		while (again == -EINTR);
	}
	madring_batch_end(batch);
	return error;
}

API void madring_batch_more(struct madring_batch *batch)
{
	batch->is_idle = false;
	batch->ring->batch_misses = 0;
}

API int madring_batch_cancel(struct madring_batch *batch)
{
	if (ring_is_foreign(batch->ring))
		return -EREMOTE;
	if (batch->is_stopped)
		return batch_cancel_requests(batch);
	batch->state.canceled = true;
	return batch_stop(batch, 0);
}

API int madring_batch_end(struct madring_batch *batch)
{
	if (!batch)
		return 0;
	if (ring_check(batch->ring) == -EREMOTE)
		return -EREMOTE;
	if (batch->calling || batch->is_running)
		return -EBUSY;
	batch->is_ended = true;
	batch->is_stopped = true;
	batch_cancel_requests(batch);
	/* The requests that are left refer to the batch until they complete. */
	if (!batch->state.in_flight)
		batch_free(batch);
	return 0;
}

void batches_forget_agent(const struct madring_agent *agent)
{
	struct madring_batch *batch = agent->ring->batches;

	for (unsigned int i = 0; i < agent->ring->batch_count; i++, batch = batch->next) {
		if (batch->via == agent)
			batch->via = NULL;
		if (batch->agent != agent)
			continue;
		batch->agent = NULL;
		batch_canceled(batch);
	}
}

void batches_shut(struct madring *ring)
{
	struct madring_batch *batch = ring->batches;

	ring->is_closing = true;
	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		batch_canceled(batch);
}
