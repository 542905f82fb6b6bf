/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a ring: turns of the driver, timers, and the callbacks. */
#include "api/state.h"

#include <errno.h>

static void give_back(struct madring *ring)
{
	if (ring->reply && ring->reply_kept)
		driver_keep(ring->driver, ring->reply);
	else if (ring->reply)
		driver_give(ring->driver, ring->reply);
	if (ring->request && !ring->request_kept)
		madring_mad_put(ring, ring->request);
	ring->reply = NULL;
	ring->request = NULL;
}

static void call_back(struct madring *ring, const struct engine_completion *ended)
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
	};
	madring_callback callback = (madring_callback)(uintptr_t)ended->callback;

	ring->reply = completion.mad;
	ring->request = completion.request;
	ring->reply_kept = false;
	ring->request_kept = false;
	if (callback) {
		ring->calling = true;
		callback(&completion);
		ring->calling = false;
	}
	give_back(ring);
}

unsigned int dispatch(struct madring *ring, unsigned int budget)
{
	/* What callbacks cancel is for the next time, so that this ends. */
	unsigned int there = engine_completed(ring->engine);
	struct engine_completion ended;
	unsigned int count = 0;

	if (!budget || budget > there)
		budget = there;
	while (count < budget && engine_next_completion(ring->engine, &ended)) {
		call_back(ring, &ended);
		count++;
	}
	return count;
}

API int madring_dispatch(struct madring *ring, unsigned int budget)
{
	if (ring->calling)
		return -EBUSY;
	return (int)dispatch(ring, budget);
}

/* A turn of the driver, and then the timers: a reply that came while this thread was kept from
   running is still in time. */
static int turn(struct madring *ring, uint64_t until)
{
	int result = driver_turn(ring->driver, engine_completed(ring->engine) ? 0 : until);

	engine_advance(ring->engine, driver_clock());
	return result;
}

API int madring_submit(struct madring *ring)
{
	return turn(ring, 0);
}

static int turn_and_dispatch(struct madring *ring, uint64_t until)
{
	int error = turn(ring, until);

	/* Nothing that was collected waits for the caller to deal with an error. */
	if (!engine_completed(ring->engine) && error < 0)
		return error;
	return (int)dispatch(ring, 0);
}

int run(struct madring *ring, int timeout_ms)
{
	uint64_t until = ENGINE_NEVER;

	if (timeout_ms >= 0)
		until = driver_clock() + (uint64_t)timeout_ms * NS_PER_MS;
	while (engine_outstanding(ring->engine)) {
		int count = turn_and_dispatch(ring, until);

		if (count || driver_was_woken(ring->driver))
			return count;
		if (until != ENGINE_NEVER && driver_clock() >= until)
			return 0;
	}
	return 0;
}

API int madring_run(struct madring *ring, int timeout_ms)
{
	return ring->calling ? -EBUSY : run(ring, timeout_ms);
}

API int madring_step(struct madring *ring)
{
	int count;
	int error;

	if (ring->calling)
		return -EBUSY;
	driver_ready_clear(ring->driver);
	count = turn_and_dispatch(ring, 0);
	if (count < 0)
		return count;
	driver_was_woken(ring->driver);
	/* What the callbacks sent is on its way before the caller waits for its answers. */
	error = driver_arm(ring->driver);
	return error < 0 && !count ? error : count;
}

API int madring_fd(struct madring *ring)
{
	return driver_fd(ring->driver);
}

API int madring_wake(struct madring *ring)
{
	return driver_wake(ring->driver);
}
