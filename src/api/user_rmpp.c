/* SPDX-License-Identifier: BSD-2-Clause */
/* Configures the engine's RMPP (MADRING_RMPP_USER): its limits, times and memory. */
#include "api/handles.h"

#include <string.h>

#include "rmpp/rmpp.h"

#define SENDS	 1024u
#define RECEIVES 4096u
#define FRAMES	 1024u
#define WINDOW	 RMPP_MAX_WINDOW

/* The kernel's receiver gives up after 40 s, and remembers for 10 s what it has received. */
#define IDLE_NS	  (UINT64_C(10000) * NS_PER_MS)
#define TOTAL_NS  (UINT64_C(600000) * NS_PER_MS)
#define LINGER_NS (UINT64_C(10000) * NS_PER_MS)

static struct ib_user_mad *take_message(void *context, size_t bytes)
{
	const struct madring *ring = context;
	struct madring_mad *mad = pool_take_long(ring->pool, bytes);

	if (!mad)
		return NULL;
	/* A program that keeps the buffer may send all of it, even beyond the message's end. */
	memset(mad, 0, sizeof(struct ib_user_mad) + pool_room(ring->pool, mad));
	return madring_mad_umad(mad);
}

static void give_message(void *context, struct ib_user_mad *umad)
{
	struct madring *ring = context;
	struct madring_mad *mad = (struct madring_mad *)umad;

	/* The driver lets lanes read again that wait for room. It may be closed already. */
	if (ring->driver)
		driver_give(ring->driver, mad);
	else
		pool_give(ring->pool, mad);
}

static uint32_t smaller_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int user_rmpp_open(struct madring *ring, uint64_t message_bytes)
{
	const struct rmpp_config config = {
		.sends = smaller_of(SENDS, ring->config.transactions),
		.receives = RECEIVES,
		.frames = FRAMES,
		.window = WINDOW,
		.message_limit =
			message_bytes < RMPP_MAX_MESSAGE ? message_bytes : RMPP_MAX_MESSAGE,
		.first_timeout_ns = UINT64_C(250) * NS_PER_MS,
		.min_timeout_ns = UINT64_C(25) * NS_PER_MS,
		.max_timeout_ns = UINT64_C(1000) * NS_PER_MS,
		.idle_ns = IDLE_NS,
		.total_ns = TOTAL_NS,
		.linger_ns = LINGER_NS,
		.tick_ns = (uint64_t)ring->config.tick_us * 1000,
		.seed = ring->config.seed,
		.now = driver_clock(),
		.memory = { .take = take_message, .give = give_message, .context = ring },
	};

	return engine_rmpp_open(ring->engine, &config);
}
