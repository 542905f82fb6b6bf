/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes rings. */
#include "api/events.h"
#include "api/handles.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The bounds of the submission queue: how many requests one io_uring_enter(2) can submit. */
#define MIN_SUBMISSIONS 1024u
#define MAX_SUBMISSIONS 8192u

static uint32_t value_or(uint32_t value, uint32_t other)
{
	return value ? value : other;
}

/*
 * Returns a random seed, so that no fabric can choose addresses that share a bucket of the flow
 * table.
 */
static uint64_t draw_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	return driver_clock() ^ ((uint64_t)getpid() << 32);
}

static void fill_defaults(struct madring_config *config)
{
	config->transactions = value_or(config->transactions, 16384);
	config->buffers = value_or(config->buffers, config->transactions);
	config->reads = value_or(config->reads, 4096);
	config->agents = value_or(config->agents, 64);
	config->tick_us = value_or(config->tick_us, 1000);
	if (config->flows < config->transactions)
		config->flows = config->transactions;
	if (!config->seed)
		config->seed = draw_seed();
}

static bool is_valid_config(const struct madring_config *config)
{
	return config->transactions <= MADRING_MAX_TRANSACTIONS &&
	       config->lanes <= MADRING_MAX_LANES && config->agents <= MADRING_MAX_AGENTS &&
	       config->reads >= MADRING_MAX_LANES && config->reads <= MADRING_MAX_READS &&
	       !(config->reads & (config->reads - 1)) && config->buffers <= MADRING_MAX_BUFFERS &&
	       config->large_buffers <= MADRING_MAX_BUFFERS &&
	       config->flows <= MADRING_MAX_TRANSACTIONS && config->tick_us <= 1000000 &&
	       config->pin <= MADRING_PIN_BEST_EFFORT &&
	       config->receive <= MADRING_RECEIVE_POSTED &&
	       config->driver <= MADRING_DRIVER_PLAIN &&
	       config->sqpoll_idle_ms <= MADRING_MAX_SQPOLL_MS &&
	       (config->spin_us <= MADRING_MAX_SPIN_US || config->spin_us == MADRING_NO_SPIN);
}

static int open_pool(struct madring *ring)
{
	struct pool_config config = {
		.plain = ring->config.buffers + ring->config.reads,
		.large = ring->config.large_buffers,
		.message_bytes = ring->config.message_bytes,
		.pin = ring->config.pin,
	};

	return pool_open(&ring->pool, &config);
}

static int open_engine(struct madring *ring)
{
	struct engine_config config = {
		.transactions = ring->config.transactions,
		.agents = ring->config.agents,
		.lanes = MADRING_MAX_LANES,
		.flows = ring->config.flows,
		.tick_ns = (uint64_t)ring->config.tick_us * 1000,
		.seed = ring->config.seed,
		.now = driver_clock(),
	};

	return engine_open(&ring->engine, &config);
}

static int open_driver(struct madring *ring)
{
	uint32_t submissions = MIN_SUBMISSIONS;
	struct driver_config config = {
		.reads = ring->config.reads,
		.driver = ring->config.driver,
		.receive = ring->config.receive,
		.sqpoll_idle_ms = ring->config.sqpoll_idle_ms,
		.spin_us = ring->config.spin_us,
	};

	while (submissions < ring->config.transactions && submissions < MAX_SUBMISSIONS)
		submissions *= 2;
	config.submissions = submissions;
	return driver_open(&ring->driver, &config);
}

static int open_parts(struct madring *ring)
{
	int error;

	ring->agents = calloc(ring->config.agents, sizeof(struct madring_agent *));
	if (!ring->agents)
		return -ENOMEM;
	error = open_driver(ring);
	if (error < 0)
		return error;
	error = open_pool(ring);
	if (error < 0)
		return error;
	error = open_engine(ring);
	if (error < 0)
		return error;
	return driver_attach(ring->driver, ring->engine, ring->pool);
}

/* Closed rings whose memory the kernel may still use, linked by .kept. */
static _Atomic(struct madring *) kept_rings;

/*
 * Frees the ring and returns 0; or keeps its memory and returns the error that has ended
 * io_uring.
 */
static int close_parts(struct madring *ring)
{
	int error = ring->driver ? driver_close(ring->driver) : 0;

	if (error) {
		ring->kept = atomic_exchange(&kept_rings, ring);
		return error;
	}
	ring->driver = NULL;
	engine_close(ring->engine);
	if (ring->pool)
		pool_close(ring->pool);
	free(ring->agents);
	free(ring);
	return 0;
}

API int madring_open_sized(struct madring **out, const struct madring_config *config,
			   size_t config_size)
{
	struct madring_config filled;
	struct madring *ring;
	int error;

	if (!out)
		return -EINVAL;
	error = sized_take(&filled, sizeof(filled), config, config_size);
	if (error)
		return error;
	fill_defaults(&filled);
	if (!is_valid_config(&filled))
		return -EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->config = filled;
	ring->thread = thread_number();
	error = open_parts(ring);
	event_ring_opened(ring, error);
	if (error < 0) {
		close_parts(ring);
		return error;
	}
	*out = ring;
	return 0;
}

static void finish_transactions(struct madring *ring)
{
	engine_shutdown(ring->engine);
	ring_dispatch(ring, 0);
	/* Each transaction that is left has a write under way, and completes when that ends. */
	while (engine_outstanding(ring->engine)) {
		int error = driver_turn(ring->driver, ENGINE_NEVER);

		if (error < 0 && error != -EINTR)
			ring_give_up(ring, error);
		ring_dispatch(ring, 0);
	}
}

API int madring_close(struct madring *ring)
{
	bool is_foreign;
	int error;

	if (!ring)
		return 0;
	if (ring->lent.calling)
		return -EBUSY;
	is_foreign = ring_is_foreign(ring) && !driver_is_inherited(ring->driver);
	/* The callbacks may call here whatever they may call in the ring's thread. */
	ring->thread = thread_number();
	event_ring_closes(ring);
	batches_shut(ring);
	/* In a child of fork(2) the parent calls back for the transactions. */
	if (!driver_is_inherited(ring->driver))
		finish_transactions(ring);
	/* This calls back, too, for adopted files: batches and captures may still be used. */
	while (ring->ports)
		port_close(ring->ports);
	batches_free(ring);
	madring_capture_close(ring);
	error = close_parts(ring);
	return !error && is_foreign ? -EREMOTE : error;
}

API unsigned int madring_outstanding(const struct madring *ring)
{
	return engine_outstanding(ring->engine);
}
