/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a ring: turns of the driver, and the callbacks. */
#include "api/lend.h"
#include "base/debug.h"

#include <errno.h>

/* Calls back for a transaction that has ended, and takes its buffers back. */
static void call_back_completion(struct madring *ring, const struct engine_completion *ended)
{
	struct madring_completion completion = {
		.user = ended->user,
		.agent = ring->agents[ended->agent],
		.id = ended->id,
		.status = ended->status,
		.mad = (struct madring_mad *)ended->reply,
		.length = ended->length,
		.request = (struct madring_mad *)ended->request,
		.attempts = ended->attempts,
		.rtt_ns = ended->rtt_ns,
		.received_ns = ended->received_at,
		.rmpp_status = ended->rmpp_status,
	};
	madring_callback callback = (madring_callback)(uintptr_t)ended->callback;

	ring_lend(ring, completion.mad, completion.request);
	if (callback) {
		ring->lent.calling = true;
		callback(&completion);
		ring->lent.calling = false;
	}
	ring_take_back(ring);
}

static void call_back_request(struct madring *ring, const struct engine_received *request)
{
	struct madring_agent *agent = ring->agents[request->agent];
	struct madring_received received = {
		.user = agent->receive_user,
		.agent = agent == agent->port->others ? NULL : agent,
		.status = request->status,
		.mad = (struct madring_mad *)request->umad,
		.length = request->length,
	};

	ring_lend(ring, received.mad, NULL);
	ring->lent.calling = true;
	agent->receive(&received);
	ring->lent.calling = false;
	ring_take_back(ring);
}

void agent_hand_over(struct madring_agent *agent)
{
	struct madring *ring = agent->ring;
	const struct lent outer = ring->lent;
	struct engine_received received;

	/* In a child of fork(2) the parent answers the request. */
	while (engine_next_request_of(ring->engine, agent->number, &received))
		if (received.umad && !driver_is_inherited(ring->driver))
			call_back_request(ring, &received);
	ring->lent = outer;
}

/* Calls back for at most @budget completions. Returns how many there were. */
static unsigned int dispatch_completions(struct madring *ring, unsigned int budget)
{
	struct engine_completion ended;
	unsigned int count = 0;

	while (count < budget && engine_next_completion(ring->engine, &ended)) {
		call_back_completion(ring, &ended);
		count++;
	}
	return count;
}

/* Alternates between completions and requests, so that with a budget neither has to wait. */
static unsigned int dispatch_both(struct madring *ring, unsigned int completions,
				  unsigned int requests, unsigned int budget)
{
	struct engine_received request;
	unsigned int count = 0;

	while (count < budget && (completions || requests)) {
		if (completions) {
			count += dispatch_completions(ring, 1);
			completions--;
		}
		if (requests && count < budget) {
			if (engine_next_request(ring->engine, &request)) {
				call_back_request(ring, &request);
				count++;
			}
			requests--;
		}
	}
	return count;
}

unsigned int ring_dispatch(struct madring *ring, unsigned int budget)
{
	/* Callbacks may cancel requests. Those complete in the next call, so that this one ends. */
	unsigned int completions = engine_completed(ring->engine);
	unsigned int requests = engine_requests(ring->engine);

	if (!budget || budget > completions + requests)
		budget = completions + requests;
	if (!requests)
		return dispatch_completions(ring, budget);
	return dispatch_both(ring, completions, requests, budget);
}

API int madring_dispatch(struct madring *ring, unsigned int budget)
{
	if (ring_is_foreign(ring))
		return -EREMOTE;
	if (ring->lent.calling)
		return -EBUSY;
	return (int)ring_dispatch(ring, budget);
}

static bool has_to_dispatch(const struct madring *ring)
{
	return engine_completed(ring->engine) || engine_requests(ring->engine);
}

static int do_turn(struct madring *ring, uint64_t until)
{
	if (ring->debug_level != debug_level())
		tap_update(ring);
	return driver_turn(ring->driver, until);
}

/*
 * Tells whether the ring belongs to another thread or to the parent process, which calls back for
 * what has been collected. Other errors come only after that.
 */
static bool is_refused(const struct madring *ring)
{
	return ring_check(ring) == -EREMOTE;
}

API int madring_submit(struct madring *ring)
{
	return is_refused(ring) ? -EREMOTE : do_turn(ring, 0);
}

static int dispatch_turn(struct madring *ring, uint64_t until)
{
	int error = do_turn(ring, until);

	if (error < 0 && error != -EINTR && error != -EREMOTE)
		batches_fail(ring, error);
	/* Completions that were collected are called back before the error is returned. */
	if (!has_to_dispatch(ring) && error < 0)
		return error;
	return (int)ring_dispatch(ring, 0);
}

/*
 * Does turns until all is called back that was there when the driver looked. Returns how many
 * there were, or a negative errno.
 */
static int dispatch_turns(struct madring *ring, uint64_t until)
{
	int total = 0;

	do {
		int count = dispatch_turn(ring, until);

		if (count < 0)
			return total ? total : count;
		total += count;
	} while (driver_is_behind(ring->driver));
	return total;
}

/* Tells whether there may ever be something to call back for. */
static bool can_bring_more(const struct madring *ring)
{
	return engine_outstanding(ring->engine) || engine_receivers(ring->engine) ||
	       engine_requests(ring->engine) || ring->batches_at != ENGINE_NEVER;
}

int ring_run_turns(struct madring *ring, uint64_t until)
{
	while (can_bring_more(ring)) {
		bool is_sooner = ring->batches_at < until;
		int count = dispatch_turns(ring, is_sooner ? ring->batches_at : until);

		if (count || driver_was_woken(ring->driver))
			return count;
		if (until != ENGINE_NEVER && driver_clock() >= until)
			return 0;
		if (batches_turn(ring, false))
			until = 0;
	}
	return 0;
}

int ring_run(struct madring *ring, int timeout_ms)
{
	uint64_t until = ENGINE_NEVER;

	if (batches_turn(ring, true))
		until = 0;
	else if (timeout_ms >= 0)
		until = driver_clock() + (uint64_t)timeout_ms * NS_PER_MS;
	return ring_run_turns(ring, until);
}

API int madring_run(struct madring *ring, int timeout_ms)
{
	if (is_refused(ring))
		return -EREMOTE;
	return ring->lent.calling ? -EBUSY : ring_run(ring, timeout_ms);
}

API int madring_step(struct madring *ring)
{
	int count;
	int error;

	if (is_refused(ring))
		return -EREMOTE;
	if (ring->lent.calling)
		return -EBUSY;
	driver_ready_clear(ring->driver);
	count = dispatch_turns(ring, 0);
	if (count < 0)
		return count;
	driver_was_woken(ring->driver);
	batches_turn(ring, true);
	/* The requests of the callbacks are submitted before the caller waits for their replies. */
	error = driver_arm(ring->driver, ring->batches_at);
	return error < 0 && !count ? error : count;
}

API int madring_fd(struct madring *ring)
{
	return is_refused(ring) ? -EREMOTE : driver_fd(ring->driver);
}

API int madring_wake(struct madring *ring)
{
	return driver_wake(ring->driver);
}

void ring_give_up(struct madring *ring, int error)
{
	driver_give_up(ring->driver, error);
	engine_forget_writes(ring->engine, driver_clock());
}
