/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DRIVER_SPIN_STATS_H
#define DRIVER_SPIN_STATS_H

#include <stdint.h>

/* Counts the waits before which a driver looked for completions. */
struct spin_stats {
	uint64_t hits;	 /* something came meanwhile */
	uint64_t misses; /* nothing came, and the driver slept */
	uint64_t ns;	 /* the time that both took */
};

#endif
