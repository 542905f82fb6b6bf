/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes requests from batches, sends them, and gives the batches their outcomes. */
#include "api/batch.h"
#include "api/lend.h"
#include "sized/sized.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

int batch_cancel_requests(struct madring_batch *batch)
{
	struct madring *ring = batch->ring;
	int count = 0;

	/* A transaction ends only after its write is reported. */
	driver_collect(ring->driver);
	for (uint32_t i = 0; i < batch->used; i++)
		if (batch->requests[i].is_in_flight)
			count += !engine_cancel(ring->engine, batch->requests[i].id);
	driver_ready_update(ring->driver);
	return count;
}

/* Tells whether .watch is to be called for the last time: the batch was stopped, and is done. */
static bool has_end_to_tell(const struct madring_batch *batch)
{
	return batch->is_stopped && !batch->is_ended && !batch->state.in_flight &&
	       batch->config.watch && !batch->is_told;
}

/* Makes the ring's descriptor readable if no outcome does so when a batch was stopped. */
static void wake_for_end(const struct madring_batch *batch)
{
	if (has_end_to_tell(batch))
		driver_ready_signal(batch->ring->driver);
}

int batch_stop(struct madring_batch *batch, int error)
{
	batch->is_stopped = true;
	batch->state.error = error;
	wake_for_end(batch);
	return batch_cancel_requests(batch);
}

void batch_canceled(struct madring_batch *batch)
{
	batch->state.canceled |= !batch->is_stopped;
	batch->is_stopped = true;
	wake_for_end(batch);
}

/* A batch goes on without a device only to have the outcomes of its other requests. */
static void stop_without_device(struct madring_batch *batch, int status)
{
	if (status != -ENODEV || batch->is_stopped)
		return;
	batch->is_stopped = true;
	batch->state.error = status;
}

static void call_done(struct madring_batch *batch, const struct madring_completion *completion)
{
	batch->state.ended++;
	batch->state.answered += !completion->status;
	stop_without_device(batch, completion->status);
	batch->calling++;
	batch->config.done(batch->config.user, completion);
	batch->calling--;
	batch->is_idle = false;
}

static struct batch_request *take_request(struct madring_batch *batch)
{
	struct batch_request *request = batch->free;

	if (request) {
		batch->free = request->free;
	} else {
		assert(batch->used < batch->config.most);
		request = &batch->requests[batch->used++];
		request->batch = batch;
	}
	batch->state.in_flight++;
	request->is_in_flight = true;
	return request;
}

static void give_back_request(struct madring_batch *batch, struct batch_request *request)
{
	request->is_in_flight = false;
	request->free = batch->free;
	batch->free = request;
	batch->state.in_flight--;
}

static void on_completion(const struct madring_completion *completion)
{
	struct batch_request *request = completion->user;
	struct madring_batch *batch = request->batch;
	struct madring *ring = batch->ring;
	struct madring_completion outcome = *completion;

	outcome.user = request->user;
	give_back_request(batch, request);
	if (!batch->is_ended)
		call_done(batch, &outcome);
	else if (!batch->state.in_flight)
		batch_free(batch);
	batches_pull(ring);
}

/* Gives a batch the outcome of a request that was not sent. */
static void refuse_request(struct madring_batch *batch, struct madring_mad *mad, void *user,
			   int error)
{
	struct madring *ring = batch->ring;
	const struct lent outer = ring->lent;
	const struct madring_completion outcome = {
		.user = user,
		.agent = batch->via,
		.status = error == -ESHUTDOWN ? -ECANCELED : error,
		.request = mad,
	};

	ring_lend(ring, NULL, mad);
	ring->lent.calling = true;
	call_done(batch, &outcome);
	ring_take_back(ring);
	ring->lent = outer;
}

/* Sends the request that .next has written, or gives the batch the outcome of its refusal. */
static void send_request(struct madring_batch *batch, struct madring_mad *mad,
			 struct madring_send_options *send)
{
	struct batch_request *request;
	uint64_t *id = send->id;
	int error;

	batch->state.started++;
	/* The callback may have stopped the batch, or closed the agent. */
	if (batch->is_stopped || !batch->via) {
		refuse_request(batch, mad, send->user, -ECANCELED);
		return;
	}
	request = take_request(batch);
	request->user = send->user;
	send->user = request;
	send->callback = on_completion;
	send->id = &request->id;
	error = madring_send(batch->via, mad, send);
	if (error) {
		give_back_request(batch, request);
		refuse_request(batch, mad, request->user, error);
	} else if (id) {
		*id = request->id;
	}
}

/* Tells whether the batch may have a request that the ring has a transaction for. */
static bool can_pull(const struct madring_batch *batch)
{
	const struct madring *ring = batch->ring;

	return !batch->is_stopped && !batch->is_idle && !batch->is_at_end &&
	       batch->state.in_flight < batch->config.most &&
	       engine_outstanding(ring->engine) < ring->config.transactions;
}

/* Holds send options, with room for those of a program of a later version. */
union send_room {
	struct madring_send_options options;
	uint8_t bytes[MOST_SEND_SIZE];
};

static_assert(sizeof(union send_room) == MOST_SEND_SIZE, "the room holds this version's options");

/*
 * Has .next write a request. Returns what it returns, or -E2BIG when it sets an option that this
 * library does not know.
 */
static int call_next(struct madring_batch *batch, struct madring_mad *mad, union send_room *send)
{
	size_t known = sizeof(send->options);
	size_t used = batch->send_size > known ? batch->send_size : known;
	int result;

	memset(send, 0, used);
	batch->via = batch->agent;
	batch->writing = mad;
	batch->calling++;
	result = batch->config.next(batch->config.user, batch, mad, &send->options);
	batch->calling--;
	batch->writing = NULL;
	return result > 0 && !sized_rest_is_zero(send, used, known) ? -E2BIG : result;
}

/* Takes one request from a batch, and sends it. Returns false if there is none, or no room. */
static bool pull_one(struct madring_batch *batch)
{
	struct madring_mad *mad = can_pull(batch) ? madring_mad_alloc(batch->agent) : NULL;
	union send_room send;
	int result;

	if (!mad)
		return false;
	result = call_next(batch, mad, &send);
	if (result > 0 && result != MADRING_BATCH_FINISHED) {
		send_request(batch, mad, &send.options);
		return true;
	}
	madring_mad_free(batch->ring, mad);
	batch->is_idle = true;
	batch->is_at_end = result == MADRING_BATCH_FINISHED;
	if (result < 0 && !batch->is_stopped)
		batch_stop(batch, result);
	return false;
}

void batches_pull(struct madring *ring)
{
	ring->batch_misses = 0;
	/* A callback may start and end batches. */
	while (ring->batch_misses < ring->batch_count) {
		ring->batches = ring->batches->next;
		ring->batch_misses++;
		if (pull_one(ring->batches))
			ring->batch_misses = 0;
	}
}

API void madring_batch_via(struct madring_batch *batch, struct madring_agent *agent)
{
	assert(batch->writing && agent->ring == batch->ring);
	agent_write_class(agent, batch->writing);
	batch->via = agent;
}

static bool is_done(const struct madring_batch *batch)
{
	if (batch->state.in_flight)
		return false;
	return batch->is_stopped || batch->is_at_end ||
	       (batch->is_idle && batch->watch_at == ENGINE_NEVER);
}

API void madring_batch_get_state_sized(const struct madring_batch *batch,
				       struct madring_batch_state *state, size_t state_size)
{
	struct madring_batch_state own = batch->state;

	own.done = is_done(batch);
	sized_give(state, state_size, &own, sizeof(own));
}

/* Stops a batch that has reached its deadline, or calls .watch. */
static void look_after(struct madring_batch *batch, uint64_t now)
{
	int ms;

	batch->is_due = false;
	if (now >= batch->deadline) {
		batch->state.deadline_reached = true;
		batch_stop(batch, 0);
		return;
	}
	batch->calling++;
	ms = batch->config.watch(batch->config.user, batch);
	batch->calling--;
	batch->watch_at = ms < 0 ? ENGINE_NEVER : now + (uint64_t)ms * NS_PER_MS;
	batch->is_idle = false;
}

static bool is_due(const struct madring_batch *batch, bool has_turned, uint64_t now)
{
	return !batch->is_stopped &&
	       (now >= batch->deadline ||
		(batch->config.watch && (has_turned || now >= batch->watch_at)));
}

/* Returns a batch whose .is_due is set, or NULL. */
static struct madring_batch *find_due(const struct madring *ring)
{
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		if (batch->is_due)
			return batch;
	return NULL;
}

static void look_after_all(struct madring *ring, bool has_turned, uint64_t now)
{
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		batch->is_due = is_due(batch, has_turned, now);
	/* A callback may end other batches. */
	while ((batch = find_due(ring)))
		look_after(batch, now);
}

/*
 * Calls .watch of one batch that was stopped and has nothing in flight, for the last time: there
 * may be no outcome that tells the program. Returns false if there is no such batch.
 */
static bool tell_end(struct madring *ring)
{
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next) {
		if (!has_end_to_tell(batch))
			continue;
		batch->is_told = true;
		batch->calling++;
		batch->config.watch(batch->config.user, batch);
		batch->calling--;
		return true;
	}
	return false;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Returns when the batch wants the next turn. */
static uint64_t next_time(const struct madring_batch *batch)
{
	if (has_end_to_tell(batch))
		return 0;
	if (batch->is_ended || is_done(batch))
		return ENGINE_NEVER;
	if (batch->is_stopped)
		return batch->progress_at;
	return earlier(earlier(batch->watch_at, batch->deadline), batch->progress_at);
}

static void tell_progress(struct madring_batch *batch, uint64_t now)
{
	struct madring_batch_state state;

	batch->progress_at = now + (uint64_t)batch->config.progress_ms * NS_PER_MS;
	madring_batch_get_state(batch, &state);
	batch->calling++;
	batch->config.progress(batch->config.user, &state);
	batch->calling--;
}

/* Returns a batch that is to tell its progress, or NULL. */
static struct madring_batch *find_progress(const struct madring *ring, uint64_t now)
{
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		if (now >= batch->progress_at && !batch->is_ended && !is_done(batch))
			return batch;
	return NULL;
}

/*
 * Stops the batches that wait for a buffer, if no outcome will ever give one back. A batch whose
 * .watch wants another call pulls again after it; the program may have given a buffer back by then.
 */
static void stop_without_buffers(struct madring *ring)
{
	struct madring_batch *batch = ring->batches;

	if (engine_outstanding(ring->engine))
		return;
	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		if (can_pull(batch) && batch->watch_at == ENGINE_NEVER)
			batch_stop(batch, -ENOBUFS);
}

/* Sets madring.batches_at. Returns whether a batch is done that was not at the last call. */
static bool note_ends(struct madring *ring)
{
	struct madring_batch *batch = ring->batches;
	bool has_new_end = false;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next) {
		ring->batches_at = earlier(ring->batches_at, next_time(batch));
		has_new_end |= is_done(batch) && !batch->was_done;
		batch->was_done = is_done(batch);
	}
	return has_new_end;
}

bool batches_turn(struct madring *ring, bool has_turned)
{
	const struct lent outer = ring->lent;
	struct madring_batch *batch;
	uint64_t now;

	ring->batches_at = ENGINE_NEVER;
	if (!ring->batch_count || driver_check(ring->driver))
		return false;
	now = driver_clock();
	ring->lent.calling = true;
	look_after_all(ring, has_turned, now);
	do {
		batches_pull(ring);
		stop_without_buffers(ring);
	} while (tell_end(ring));
	while ((batch = find_progress(ring, now)))
		tell_progress(batch, now);
	ring->lent = outer;
	return note_ends(ring);
}

void batches_fail(struct madring *ring, int error)
{
	const struct lent outer = ring->lent;
	struct madring_batch *batch = ring->batches;

	for (unsigned int i = 0; i < ring->batch_count; i++, batch = batch->next)
		if (!batch->is_stopped)
			batch_stop(batch, error);
	ring->lent.calling = true;
	while (tell_end(ring))
		;
	ring->lent = outer;
}
