/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver of src/driver/driver.h without io_uring: it plays the engine against a model of the
 * kernel, in virtual time. What io_uring leaves open, the seed decides: when a write is taken, when
 * its end is reported, before or after its reply, and how much of what has happened one turn
 * reports. A foreign event loop has no place in virtual time: driver_fd() returns -ENOSYS.
 */
#include "simulated.h"

#include <errno.h>
#include <stdlib.h>

#include "model_fail.h"
#include "model_kernel.h"
#include "ledger.h"
#include "model/common/must_alloc.h"
#include "programs.h"
#include "model_scenario.h"
#include "simulated_driver.h"
#include "virtual_clock.h"

/* The transactions that engine_check() recounts at an event, on average. */
#define CHECKED_TRANSACTIONS 128u

static const struct scenario *current;
static uint64_t time_bound;
static unsigned int open_drivers;

void simulated_driver_begin(const struct scenario *scenario, uint64_t bound)
{
	current = scenario;
	time_bound = VIRTUAL_START + bound;
}

void simulated_driver_end(void)
{
	expect(!open_drivers, "a driver is still open");
}
uint64_t driver_clock(void)
{
	return virtual_now();
}

void play_until(uint64_t time)
{
	uint64_t next;

	if (programs_are_several()) {
		programs_wait(time);
		return;
	}
	while ((next = kernel_next_event()) <= time) {
		virtual_advance(next);
		kernel_run();
	}
	virtual_advance(time);
	expect(time <= time_bound, "not done in time");
}
/*
 * Returns whether to call engine_check() now. It takes time in proportion to the transactions that
 * there may be, so it is called seldom for a large engine.
 */
static bool is_checked_now(struct driver *driver)
{
	uint32_t transactions = driver->scenario->ring.transactions;

	return prng_below(&driver->check_prng, transactions) < CHECKED_TRANSACTIONS;
}

void check_invariants(struct driver *driver)
{
	expect(driver->free_count + driver->vacant_count == driver->reads,
	       "%u receive buffers at hand and %u away, of %u", driver->free_count,
	       driver->vacant_count, driver->reads);
	/*
	 * A buffer that is away holds a reply or a request that waits, is lent to a callback, or is
	 * kept.
	 */
	expect(driver->kept <= driver->vacant_count &&
		       driver->vacant_count - driver->kept <=
			       engine_outstanding(driver->engine) +
				       engine_requests(driver->engine) + 1,
	       "%u receive buffers are away, with %u requests outstanding", driver->vacant_count,
	       engine_outstanding(driver->engine));
	if (is_checked_now(driver))
		engine_check(driver->engine);
}
int driver_open(struct driver **out, const struct driver_config *config)
{
	struct driver *driver = must_alloc(sizeof(*driver));

	driver->scenario = current;
	driver->reads = config->reads;
	prng_seed(&driver->prng, current->seed ^ 0x647276);
	prng_seed(&driver->check_prng, current->seed);
	for (unsigned int lane = 0; lane < MADRING_MAX_LANES; lane++)
		driver->lane[lane].fd = -1;
	open_drivers++;
	*out = driver;
	return 0;
}

int driver_attach(struct driver *driver, struct engine *engine, struct pool *pool)
{
	driver->engine = engine;
	driver->pool = pool;
	driver->free = must_alloc(driver->reads * sizeof(struct madring_mad *));
	while (driver->free_count < driver->reads) {
		driver->free[driver->free_count] = pool_take_plain(pool);
		if (!driver->free[driver->free_count])
			return -ENOMEM;
		driver->free_count++;
	}
	ledger_open(pool, driver->scenario->fabric.corrupt);
	return 0;
}

int driver_close(struct driver *driver)
{
	int error = driver->error;

	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver_lane_close(driver, lane);
	open_drivers--;
	ledger_close();
	expect(!driver->engine || driver->vacant_count == driver->kept,
	       "%u receive buffers are away when all is done", driver->vacant_count);
	if (!error)
		for (uint32_t i = 0; i < driver->free_count; i++)
			pool_give(driver->pool, driver->free[i]);
	free(driver->free);
	free(driver->flying);
	free(driver->due);
	free(driver);
	return error;
}

bool driver_is_inherited(const struct driver *driver)
{
	(void)driver;
	return false;
}

static bool has_broken(const struct driver *driver)
{
	uint64_t at = driver->scenario->kernel.breaks_at;

	return at != SCENARIO_NEVER && virtual_now() >= VIRTUAL_START + at;
}

int driver_check(const struct driver *driver)
{
	return driver->error;
}

int driver_try(struct driver *driver)
{
	if (!driver->error && has_broken(driver))
		return -EBADF;
	return driver->error;
}

void driver_give_up(struct driver *driver, int error)
{
	if (!driver->error)
		driver->error = error;
	driver->flying_count = 0;
	driver->due_count = 0;
	driver->behind = false;
}
void lose_lane(struct driver *driver, unsigned int lane)
{
	if (driver->lane[lane].lost)
		return;
	trace("lane %u is lost", lane);
	driver->lane[lane].lost = true;
	engine_lane_lost(driver->engine, lane);
}

int driver_lane_open(struct driver *driver, unsigned int lane, int fd)
{
	int error = driver_try(driver);

	if (error)
		return error;
	driver->lane[lane] = (struct lane_file){ .fd = fd };
	if (lane >= driver->lanes)
		driver->lanes = lane + 1;
	return 0;
}

void driver_lane_close(struct driver *driver, unsigned int lane)
{
	if (driver->lane[lane].fd < 0)
		return;
	lose_lane(driver, lane);
	cancel_writes(driver, lane);
	driver->lane[lane].fd = -1;
}

int driver_fd(struct driver *driver)
{
	return driver->error ? driver->error : -ENOSYS;
}

void driver_ready_clear(struct driver *driver)
{
	(void)driver;
}

int driver_arm(struct driver *driver, uint64_t until)
{
	int error = driver_try(driver);

	(void)until;
	if (error)
		return error;
	fill_aborts(driver);
	fill_writes(driver);
	report_some(driver, UINT32_MAX);
	return 0;
}

void driver_ready_update(const struct driver *driver)
{
	(void)driver;
}

void driver_ready_signal(const struct driver *driver)
{
	(void)driver;
}

int driver_wake(const struct driver *driver)
{
	((struct driver *)(uintptr_t)driver)->woken = true;
	return 0;
}

bool driver_was_woken(struct driver *driver)
{
	bool woken = driver->woken;

	driver->woken = false;
	return woken;
}

void driver_set_tap(struct driver *driver, const struct driver_tap *tap)
{
	driver->tap = tap;
}

uint64_t driver_entries(const struct driver *driver)
{
	return driver->entries;
}

bool driver_is_multishot(const struct driver *driver)
{
	(void)driver;
	return true;
}

struct spin_stats driver_spin_stats(const struct driver *driver)
{
	(void)driver;
	return (struct spin_stats){ 0 };
}

enum madring_driver driver_kind(const struct driver *driver)
{
	(void)driver;
	return MADRING_DRIVER_URING;
}

int driver_reason(const struct driver *driver)
{
	(void)driver;
	return 0;
}

const char *driver_text(const struct driver *driver)
{
	(void)driver;
	return "simulated";
}
