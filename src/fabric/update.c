/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at a part of a fabric again, or at all of it where that does not suffice. */
#include <errno.h>
#include <time.h>

#include "public.h"
#include "sized/sized.h"

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns whether a fabric has to be discovered anew. A sweep that was ended early is not. */
static bool is_doubtful(const struct madring_fabric *fabric)
{
	struct madring_sweep_state state;

	madring_fabric_get_sweep_state(fabric, &state);
	return state.doubtful && !state.canceled && !state.deadline_reached;
}

int madring_fabric_update_sized(struct madring_subnet *subnet, const struct madring_fabric *earlier,
				const struct madring_node *const *nodes, size_t count,
				const struct madring_sweep_config *config, size_t config_size,
				struct madring_fabric **fabric)
{
	struct madring_sweep_config sweep;
	int64_t start = now_ms();
	int error = sized_take(&sweep, sizeof(sweep), config, config_size);

	*fabric = NULL;
	if (error)
		return error;
	if (sweep.earlier || sweep.look_at || sweep.look_at_count || !earlier)
		return -EINVAL;
	sweep.earlier = earlier;
	sweep.look_at = nodes;
	sweep.look_at_count = count;
	error = madring_sweep(subnet, &sweep, fabric);
	if (error || !is_doubtful(*fabric))
		return error;
	madring_fabric_free(*fabric);
	sweep.earlier = NULL;
	sweep.look_at = NULL;
	sweep.look_at_count = 0;
	if (sweep.deadline_ms) {
		sweep.deadline_ms -= now_ms() - start;
		if (sweep.deadline_ms < 1)
			sweep.deadline_ms = 1;
	}
	return madring_sweep(subnet, &sweep, fabric);
}
