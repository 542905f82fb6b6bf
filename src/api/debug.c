/* SPDX-License-Identifier: BSD-2-Clause */
/* The level of what is told on standard error. */
#include "api/state.h"
#include "debugging/debug.h"

API int madring_debug(int level)
{
	if (level >= 0) {
		debug_set_level(level);
		device_debug(level >= DEBUG_MADS);
	}
	return debug_level();
}
