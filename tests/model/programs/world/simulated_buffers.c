/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive buffers: which are at hand, and which were passed on. */
#include "simulated.h"

static bool is_plain(const struct driver *driver, const struct madring_mad *mad)
{
	return pinned_holds(pool_plain_memory(driver->pool), mad);
}

static void use_again(struct driver *driver, struct madring_mad *mad)
{
	if (!driver->vacant_count) {
		pool_give(driver->pool, mad);
		return;
	}
	driver->vacant_count--;
	driver->free[driver->free_count++] = mad;
}

void driver_give(struct driver *driver, struct madring_mad *mad)
{
	if (is_plain(driver, mad))
		use_again(driver, mad);
	else
		pool_give(driver->pool, mad);
}

void driver_keep(struct driver *driver, const struct madring_mad *mad)
{
	struct madring_mad *other;

	if (!is_plain(driver, mad))
		return;
	other = pool_take_plain(driver->pool);
	if (other)
		use_again(driver, other);
	else
		driver->kept++;
}

void driver_put(struct driver *driver, struct madring_mad *mad)
{
	if (!is_plain(driver, mad) || !driver->kept) {
		pool_give(driver->pool, mad);
		return;
	}
	driver->kept--;
	use_again(driver, mad);
}
