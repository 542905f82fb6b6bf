/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#include "arena.h"
#include "fault.h"
#include "slab.h"

#define HEADER_BYTES ((size_t)64) /* struct ib_user_mad with the P_Key index */
#define PLAIN_STRIDE (HEADER_BYTES + MADRING_MAD_BYTES)
#define LARGE_STRIDE (HEADER_BYTES + MADRING_LARGE_MAD_BYTES)

_Static_assert(sizeof(struct ib_user_mad) == HEADER_BYTES, "the header of umad ABI 5");
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "the bytes of a pool fit in a size_t");
_Static_assert(PLAIN_STRIDE % 64 == 0 && LARGE_STRIDE % 64 == 0, "buffers start cache lines");

struct pool {
	struct slab plain;
	struct slab large;
	struct arena *messages; /* NULL: none */
	uint64_t messages_refused;
	enum madring_pin pin;
};

int pool_reserve_messages(struct pool *pool, uint64_t message_bytes)
{
	if (pool->messages)
		return 0;
	return arena_open(&pool->messages, message_bytes, pool->pin);
}

static int fill(struct pool *pool, const struct pool_config *config)
{
	int error;

	error = slab_open(&pool->plain, config->plain, PLAIN_STRIDE, config->pin);
	if (error)
		return error;
	error = slab_open(&pool->large, config->large, LARGE_STRIDE, config->pin);
	if (error)
		return error;
	pool->pin = config->pin;
	return config->message_bytes ? pool_reserve_messages(pool, config->message_bytes) : 0;
}

int pool_open(struct pool **result, const struct pool_config *config)
{
	struct pool *pool;
	int error;

	if (config->pin != MADRING_PIN_REQUIRED && config->pin != MADRING_PIN_BEST_EFFORT)
		return -EINVAL;
	pool = calloc(1, sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	error = fill(pool, config);
	if (error) {
		pool_close(pool);
		return error;
	}
	*result = pool;
	return 0;
}

void pool_close(struct pool *pool)
{
	if (!pool)
		return;
	arena_close(pool->messages);
	slab_close(&pool->large);
	slab_close(&pool->plain);
	free(pool);
}

struct madring_mad *pool_take_plain(struct pool *pool)
{
	return slab_take(&pool->plain, PLAIN_STRIDE, SLAB_LIBRARY);
}

struct madring_mad *pool_take_large(struct pool *pool)
{
	return slab_take(&pool->large, LARGE_STRIDE, SLAB_LIBRARY);
}

struct madring_mad *pool_get_plain(struct pool *pool)
{
	return slab_take(&pool->plain, PLAIN_STRIDE, SLAB_PROGRAM);
}

struct madring_mad *pool_get_large(struct pool *pool)
{
	return slab_take(&pool->large, LARGE_STRIDE, SLAB_PROGRAM);
}

struct madring_mad *pool_take_message(struct pool *pool, size_t length)
{
	if (pool->messages && length <= SIZE_MAX - HEADER_BYTES)
		return arena_take(pool->messages, HEADER_BYTES + length);
	pool->messages_refused++;
	return NULL;
}

int pool_message_refusal(const struct pool *pool)
{
	return pool->messages ? arena_refusal(pool->messages) : -ENOMEM;
}

static bool fits_large(const struct pool *pool, size_t length)
{
	return pool->large.count && length <= MADRING_LARGE_MAD_BYTES;
}

struct madring_mad *pool_take_long(struct pool *pool, size_t length)
{
	if (fits_large(pool, length) && pool->large.free_count)
		return pool_take_large(pool);
	return pool_take_message(pool, length);
}

bool pool_may_have_room(const struct pool *pool, size_t length)
{
	if (fits_large(pool, length))
		return true;
	return pool->messages && length <= SIZE_MAX - HEADER_BYTES &&
	       arena_may_have_room(pool->messages, HEADER_BYTES + length);
}

static bool holds_message(const struct pool *pool, const struct madring_mad *mad)
{
	return pool->messages && arena_holds(pool->messages, mad);
}

void pool_give(struct pool *pool, struct madring_mad *mad)
{
	if (slab_holds(&pool->plain, mad))
		slab_give(&pool->plain, mad, PLAIN_STRIDE);
	else if (slab_holds(&pool->large, mad))
		slab_give(&pool->large, mad, LARGE_STRIDE);
	else if (holds_message(pool, mad))
		arena_give(pool->messages, mad);
	else
		pool_fault(mad, "not of this pool");
}

size_t pool_room(const struct pool *pool, const struct madring_mad *mad)
{
	if (slab_holds(&pool->plain, mad))
		return MADRING_MAD_BYTES;
	if (slab_holds(&pool->large, mad))
		return MADRING_LARGE_MAD_BYTES;
	if (holds_message(pool, mad))
		return arena_buffer_bytes(pool->messages, mad) - HEADER_BYTES;
	pool_fault(mad, "not of this pool");
}

/* Takes a buffer of a slab from the program. Returns 0, -EALREADY or -EFAULT. */
static inline int claim_slab(struct slab *slab, const struct madring_mad *mad, size_t stride)
{
	size_t offset = pinned_offset(&slab->memory, mad);
	size_t index = offset / stride;

	if (index >= slab->count || index * stride != offset)
		return -EFAULT;
	if (slab->owner[index] != SLAB_PROGRAM)
		return -EALREADY;
	slab->owner[index] = SLAB_LIBRARY;
	return 0;
}

int pool_claim(struct pool *pool, const struct madring_mad *mad, size_t *room)
{
	int error;

	if (slab_holds(&pool->plain, mad)) {
		*room = MADRING_MAD_BYTES;
		return claim_slab(&pool->plain, mad, PLAIN_STRIDE);
	}
	if (slab_holds(&pool->large, mad)) {
		*room = MADRING_LARGE_MAD_BYTES;
		return claim_slab(&pool->large, mad, LARGE_STRIDE);
	}
	if (!holds_message(pool, mad))
		return -EFAULT;
	error = arena_claim(pool->messages, mad);
	if (!error)
		*room = arena_buffer_bytes(pool->messages, mad) - HEADER_BYTES;
	return error;
}

void pool_release(struct pool *pool, const struct madring_mad *mad)
{
	if (slab_holds(&pool->plain, mad))
		pool->plain.owner[slab_index(&pool->plain, mad, PLAIN_STRIDE)] = SLAB_PROGRAM;
	else if (slab_holds(&pool->large, mad))
		pool->large.owner[slab_index(&pool->large, mad, LARGE_STRIDE)] = SLAB_PROGRAM;
	else
		arena_release(pool->messages, mad);
}

const struct pinned *pool_plain_memory(const struct pool *pool)
{
	return &pool->plain.memory;
}

uint32_t pool_plain_index(const struct pool *pool, const struct madring_mad *mad)
{
	return slab_index(&pool->plain, mad, PLAIN_STRIDE);
}

struct madring_mad *pool_plain_at(const struct pool *pool, uint32_t index)
{
	return slab_at(&pool->plain, index, PLAIN_STRIDE);
}

static void slab_stats(const struct slab *slab, struct pool_class_stats *stats)
{
	*stats = (struct pool_class_stats){
		.capacity = slab->count,
		.in_use = slab->count - slab->free_count,
		.peak = slab->count - slab->free_least,
		.exhausted = slab->exhausted,
	};
}

static void add_memory(struct pool_stats *stats, const struct pinned *memory)
{
	stats->pinned_bytes += memory->locked_bytes;
	stats->unpinned_bytes += memory->bytes - memory->locked_bytes;
	stats->huge_bytes += memory->huge_bytes;
}

void pool_stats(const struct pool *pool, struct pool_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	slab_stats(&pool->plain, &stats->plain);
	slab_stats(&pool->large, &stats->large);
	add_memory(stats, &pool->plain.memory);
	add_memory(stats, &pool->large.memory);
	if (pool->messages) {
		arena_stats(pool->messages, &stats->message);
		add_memory(stats, arena_memory(pool->messages));
	}
	stats->message.exhausted += pool->messages_refused;
}
