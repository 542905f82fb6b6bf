/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the pinned buffers of a ring: a slab for plain MADs, a slab for 2 KiB MADs, and an arena
 * for messages of any size. The slabs are pinned when the pool opens; the arena grows.
 */
#ifndef MADRING_POOL_H
#define MADRING_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>
#include <madring/ring.h>

#include "pinned.h"
#include "pool_stats.h"

struct pool;

struct pool_config {
	uint32_t plain;		/* buffers of 64 + 256 bytes */
	uint32_t large;		/* buffers of 64 + 2048 bytes */
	uint64_t message_bytes; /* the most bytes of the arena; 0: none */
	enum madring_pin pin;
};

/*
 * `pool_open` allocates and pins the buffers. Returns 0, -ENOMEM, -EINVAL, or, with
 * MADRING_PIN_REQUIRED, -ENOBUFS at the memory-lock limit.
 */
int pool_open(struct pool **pool, const struct pool_config *config);

/* `pool_close` frees all buffers, including taken ones. */
void pool_close(struct pool *pool);

/*
 * `pool_take_plain` and `pool_take_large` return a buffer, or NULL when the class is empty. They
 * are O(1). The last buffer given back is taken first, because it is in the cache. The header and
 * the MAD are not cleared.
 */
struct madring_mad *pool_take_plain(struct pool *pool);
struct madring_mad *pool_take_large(struct pool *pool);

/*
 * `pool_get_plain` and `pool_get_large` take a buffer for the program in the same way. Every other
 * buffer that is taken is the library's, until pool_release() makes it the program's.
 */
struct madring_mad *pool_get_plain(struct pool *pool);
struct madring_mad *pool_get_large(struct pool *pool);

/*
 * `pool_take_message` returns a buffer from the arena for @length bytes of MAD, or NULL. It is not
 * O(1).
 */
struct madring_mad *pool_take_message(struct pool *pool, size_t length);
/*
 * `pool_message_refusal` returns why pool_take_message() has just returned NULL: -ENOBUFS at the
 * memory-lock limit, else -ENOMEM.
 */
int pool_message_refusal(const struct pool *pool);

/*
 * `pool_take_long` returns a buffer of 2 KiB if it suffices and one is free, else one from the
 * arena, or NULL.
 */
struct madring_mad *pool_take_long(struct pool *pool, size_t length);

/*
 * `pool_may_have_room` returns whether pool_take_long(), which has failed, may succeed once buffers
 * have been given back.
 */
bool pool_may_have_room(const struct pool *pool, size_t length);

/* `pool_reserve_messages` makes the arena, unless there is one. Returns 0, or as pool_open(). */
int pool_reserve_messages(struct pool *pool, uint64_t message_bytes);

/* `pool_give` gives back a buffer of any class. Aborts when it is not taken. */
void pool_give(struct pool *pool, struct madring_mad *mad);

/*
 * `pool_claim` makes a buffer of the program's the library's, and stores the bytes of MAD that it
 * has room for in @room. Returns 0; -EFAULT when @mad is not a buffer of this pool; or -EALREADY
 * when the buffer is not the program's.
 */
int pool_claim(struct pool *pool, const struct madring_mad *mad, size_t *room);

/* `pool_release` makes a buffer that is taken the program's. */
void pool_release(struct pool *pool, const struct madring_mad *mad);

/* `pool_room` returns the number of bytes of MAD that a buffer has room for. */
size_t pool_room(const struct pool *pool, const struct madring_mad *mad);

/* `pool_plain_memory` returns the memory of the plain buffers, which tells them from others. */
const struct pinned *pool_plain_memory(const struct pool *pool);

/*
 * `pool_plain_index` returns the number of a plain buffer, for provided-buffer rings. The numbers
 * are dense and begin with 0.
 */
uint32_t pool_plain_index(const struct pool *pool, const struct madring_mad *mad);

/* `pool_plain_at` returns the plain buffer with that number. */
struct madring_mad *pool_plain_at(const struct pool *pool, uint32_t index);

/* `pool_stats` fills @stats. */
void pool_stats(const struct pool *pool, struct pool_stats *stats);

#endif
