/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pinned pool of a ring: a slab of buffers for plain MADs, one for 2 KiB MADs, and an
 * arena for messages of any size. The slabs are pinned when the pool opens; the arena grows.
 */
#ifndef MADRING_POOL_H
#define MADRING_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>
#include <madring/ring.h>
#include <madring/stats.h>

#include "pinned.h"

struct pool;

struct pool_config {
	uint32_t plain;		/* buffers of 64 + 256 bytes */
	uint32_t large;		/* buffers of 64 + 2048 bytes */
	uint64_t message_bytes; /* that the arena grows to; 0: none */
	enum madring_pin pin;
};

/* 0, -ENOMEM, -EINVAL, or -ENOBUFS at the memory-lock limit when pinning is required. */
int pool_open(struct pool **pool, const struct pool_config *config);
/* Every buffer, wherever it is, is invalid from here on. */
void pool_close(struct pool *pool);

/*
 * Takes a buffer; NULL when the class is empty. O(1), last in first out, so that hot
 * buffers are used again. The header and the MAD hold whatever they held.
 */
struct madring_mad *pool_take_plain(struct pool *pool);
struct madring_mad *pool_take_large(struct pool *pool);
/* @length: bytes of MAD. From the arena, which is not O(1). */
struct madring_mad *pool_take_message(struct pool *pool, size_t length);
/*
 * Returns why pool_take_message() has just returned NULL: -ENOBUFS at the memory-lock limit, else
 * -ENOMEM.
 */
int pool_message_refusal(const struct pool *pool);
/* A buffer of 2 KiB when that is enough and there is one, else one from the arena. */
struct madring_mad *pool_take_long(struct pool *pool, size_t length);

/* Whether pool_take_long(), which has failed, may succeed once buffers have been given back. */
bool pool_may_have_room(const struct pool *pool, size_t length);

/* Makes the arena, unless there is one. 0, or an error of pool_open(). */
int pool_reserve_messages(struct pool *pool, uint64_t message_bytes);

/* Gives back a buffer of any class. Giving back what is not taken is a caught error (abort). */
void pool_give(struct pool *pool, struct madring_mad *mad);

/* Bytes of MAD that a buffer has room for. */
size_t pool_room(const struct pool *pool, const struct madring_mad *mad);

/* Where the plain buffers are: what they are told from others by. */
const struct pinned *pool_plain_memory(const struct pool *pool);

/* Numbers of plain buffers, dense from 0: for provided-buffer rings. */
uint32_t pool_plain_index(const struct pool *pool, const struct madring_mad *mad);
struct madring_mad *pool_plain_at(const struct pool *pool, uint32_t index);

void pool_stats(const struct pool *pool, struct madring_pool_stats *stats);

#endif
