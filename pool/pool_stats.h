/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts buffers. struct madring_stats says what the members mean. */
#ifndef MADRING_POOL_STATS_H
#define MADRING_POOL_STATS_H

#include <stdint.h>

/* Counts one class of buffers; messages in bytes. */
struct pool_class_stats {
	uint64_t capacity, in_use, peak, exhausted;
};

/* Counts the buffers of a pool. */
struct pool_stats {
	struct pool_class_stats plain, large, message;
	uint64_t pinned_bytes, unpinned_bytes, huge_bytes;
};

#endif
