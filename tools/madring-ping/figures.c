/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "common/memory.h"
#include "figures.h"

struct figures *figures_new(void)
{
	return memory_get(1, sizeof(struct figures));
}

void figures_clear(struct figures *figures, uint64_t now_ns)
{
	memset(figures, 0, sizeof(*figures));
	figures->begin_ns = now_ns;
	figures->end_ns = now_ns;
}

double figures_loss(const struct figures *figures)
{
	uint64_t ended = figures->answered + figures->refused + figures->lost + figures->failed;

	return ended ? 100.0 * (double)(figures->lost + figures->failed) / (double)ended : 0;
}

double figures_rate(const struct figures *figures)
{
	uint64_t passed = figures->end_ns - figures->begin_ns;

	return passed ? (double)figures->answered * 1e9 / (double)passed : 0;
}
