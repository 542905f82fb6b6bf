/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of the library. */
#include <time.h>

#include "driver/driver.h"

uint64_t driver_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
