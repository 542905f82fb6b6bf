/* SPDX-License-Identifier: BSD-2-Clause */
/* A turn: what has arrived is reported, in an order that the seed decides, and time goes on. */
#include "simulated.h"

#include <errno.h>
#include <string.h>

#include "engine/tid.h"
#include "model_fail.h"
#include "model_kernel.h"
#include "ledger.h"
#include "model_scenario.h"
#include "virtual_clock.h"

#define BUFFER_BYTES	(sizeof(struct ib_user_mad) + MADRING_MAD_BYTES)
#define MOST_IDLE_TURNS 1000u

static bool is_to_be_read(const struct driver *driver, unsigned int lane)
{
	const struct lane_file *file = &driver->lane[lane];

	return file->fd >= 0 && !file->lost && driver->free_count && kernel_is_readable(file->fd) &&
	       !engine_lane_is_full(driver->engine, lane);
}

/* Returns a lane that has something to read, by turns; or .lanes if none has. */
static unsigned int lane_to_read(const struct driver *driver)
{
	for (unsigned int i = 0; i < driver->lanes; i++) {
		unsigned int lane = (driver->next_lane + i) % driver->lanes;

		if (is_to_be_read(driver, lane))
			return lane;
	}
	return driver->lanes;
}

static void read_lane(struct driver *driver, unsigned int lane)
{
	struct madring_mad *mad = driver->free[--driver->free_count];
	struct ib_user_mad *umad = madring_mad_umad(mad);
	ssize_t bytes = kernel_read(driver->lane[lane].fd, umad, BUFFER_BYTES);

	expect(bytes > 0, "a readable file gives %zd", bytes);
	driver->vacant_count++;
	driver->next_lane = (lane + 1) % driver->lanes;
	if (prng_chance(&driver->prng, 500000))
		driver->next_lane = lane;
	play_until(virtual_now() + driver->scenario->kernel.mad_time);
	memset((uint8_t *)mad + bytes, 0, BUFFER_BYTES - (size_t)bytes);
	if (driver->tap)
		driver->tap->seen(driver->tap->context, lane, false, umad, (size_t)bytes,
				  virtual_now());
	ledger_received(umad);
	trace("TID %08x is read from lane %u: status %u", tid_read(umad->data), lane, umad->status);
	engine_prefetch(driver->engine, umad);
	if (!engine_keeps(engine_receive(driver->engine, lane, umad, (size_t)bytes, virtual_now())))
		driver_give(driver, mad);
}

static void watch_for_loss(struct driver *driver)
{
	if (!kernel_is_gone())
		return;
	for (unsigned int lane = 0; lane < driver->lanes; lane++) {
		struct lane_file *file = &driver->lane[lane];

		if (file->fd < 0 || file->lost)
			continue;
		if (!file->loss_at)
			file->loss_at = virtual_now() + prng_below(&driver->prng, 1000000);
		else if (file->loss_at <= virtual_now())
			lose_lane(driver, lane);
	}
}

static uint64_t next_loss(const struct driver *driver)
{
	uint64_t next = ENGINE_NEVER;

	for (unsigned int lane = 0; kernel_is_gone() && lane < driver->lanes; lane++) {
		const struct lane_file *file = &driver->lane[lane];

		if (file->fd >= 0 && !file->lost && file->loss_at < next)
			next = file->loss_at;
	}
	return next;
}

unsigned int report_some(struct driver *driver, unsigned int most)
{
	uint32_t write_first = driver->scenario->kernel.is_steady
				       ? 1000000
				       : (uint32_t)prng_below(&driver->prng, 1000001);
	unsigned int count = 0;
	unsigned int lane = 0;

	if (!driver->behind)
		driver->looked_at = virtual_now();
	take_writes(driver, false);
	watch_for_loss(driver);
	while (count < most) {
		bool can_read = (lane = lane_to_read(driver)) < driver->lanes;

		if (count_due(driver) && (!can_read || prng_chance(&driver->prng, write_first)))
			report_first_write(driver);
		else if (can_read)
			read_lane(driver, lane);
		else
			break;
		count++;
		check_invariants(driver);
	}
	driver->behind =
		count == most && (count_due(driver) || lane_to_read(driver) < driver->lanes);
	return count;
}
static bool is_something_there(const struct driver *driver)
{
	return count_due(driver) || lane_to_read(driver) < driver->lanes || driver->woken ||
	       next_loss(driver) <= virtual_now();
}

static bool may_wait(const struct driver *driver)
{
	return !driver->behind && !engine_wants_write(driver->engine) &&
	       !engine_completed(driver->engine) && !engine_requests(driver->engine);
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Lets time pass until there is something to report, or until @until. Returns false if there never
 * will be.
 */
static bool wait_for_something(struct driver *driver, uint64_t until)
{
	for (;;) {
		uint64_t next;

		take_writes(driver, false);
		watch_for_loss(driver);
		if (is_something_there(driver) || virtual_now() >= until)
			return true;
		next = earliest(kernel_next_event(), next_of_writes(driver));
		next = earliest(earliest(next, next_loss(driver)), until);
		if (next == ENGINE_NEVER)
			return false;
		play_until(next);
	}
}

static int wait(struct driver *driver, uint64_t until)
{
	const struct kernel_scenario *kernel = &driver->scenario->kernel;
	uint64_t now = virtual_now();

	until = earliest(until, engine_next_deadline(driver->engine));
	if (until > now && prng_chance(&driver->prng, kernel->interrupt)) {
		uint64_t longest = earliest(until - now, 1000000);

		wait_for_something(driver, now + prng_below(&driver->prng, longest + 1));
		return -EINTR;
	}
	if (!wait_for_something(driver, until))
		world_fail("%u requests wait, and nothing will ever happen",
			   engine_outstanding(driver->engine));
	/* A turn with many requests in flight waits for more than one completion. */
	if (virtual_now() < until && kernel->batch_time)
		play_until(earliest(until,
				    virtual_now() + prng_below(&driver->prng, kernel->batch_time)));
	return 0;
}

/* Fails the seed when a program takes turns without end that neither do anything nor wait. */
static void watch_for_spinning(struct driver *driver, bool was_idle)
{
	driver->idle_turns = was_idle ? driver->idle_turns + 1 : 0;
	expect(driver->idle_turns < MOST_IDLE_TURNS, "%u turns without anything to do",
	       driver->idle_turns);
}

/* Fires the engine's timers, once all that was there has been reported. */
static void advance(struct driver *driver)
{
	if (!driver->behind)
		engine_advance(driver->engine, driver->looked_at);
	if (engine_wants_segment(driver->engine)) {
		fill_writes(driver);
		take_writes(driver, false);
	}
	check_invariants(driver);
}

/* Does a turn with a kernel that cannot be entered: it takes none of the writes. */
static int broken_turn(struct driver *driver, int error)
{
	fill_writes(driver);
	play_until(virtual_now() + driver->scenario->kernel.turn_time);
	driver->looked_at = virtual_now();
	advance(driver);
	return error;
}

/* Returns how many completions this turn reports. */
static unsigned int most_reports(struct driver *driver)
{
	const struct kernel_scenario *kernel = &driver->scenario->kernel;

	return kernel->is_steady ? kernel->report_most
				 : (unsigned int)prng_range(&driver->prng, 1, kernel->report_most);
}

/*
 * Takes the processor from the program now and then. Only MADs that are there after that are late.
 */
static void pause_at_random(struct driver *driver)
{
	const struct kernel_scenario *kernel = &driver->scenario->kernel;
	uint64_t ns = 0;

	if (prng_chance(&driver->prng, kernel->pause))
		ns = prng_below(&driver->prng, kernel->pause_time + 1);
	play_until(virtual_now() + ns);
	if (ns || !driver->behind)
		engine_late(driver->engine, ns);
}

static int turn(struct driver *driver, uint64_t until)
{
	const struct kernel_scenario *kernel = &driver->scenario->kernel;
	uint64_t before = virtual_now();
	unsigned int writes, reports;
	int error = 0;

	driver->entries++;
	fill_aborts(driver);
	writes = fill_writes(driver);
	take_writes(driver, false);
	play_until(virtual_now() + kernel->turn_time);
	if (until && may_wait(driver))
		error = wait(driver, until);
	pause_at_random(driver);
	reports = report_some(driver, most_reports(driver));
	advance(driver);
	watch_for_spinning(driver,
			   !writes && !reports && virtual_now() - before <= kernel->turn_time);
	return error ? error : (int)writes;
}

int driver_turn(struct driver *driver, uint64_t until)
{
	int error = driver_try(driver);

	if (driver->error)
		return driver->error;
	return error ? broken_turn(driver, error) : turn(driver, until);
}

void driver_collect(struct driver *driver)
{
	if (!driver->error)
		report_some(driver, UINT32_MAX);
}

void driver_settle(struct driver *driver)
{
	int error = driver_try(driver);

	if (driver->error)
		return;
	if (error) {
		driver_give_up(driver, error);
		return;
	}
	take_writes(driver, true);
	report_some(driver, UINT32_MAX);
}

bool driver_is_behind(const struct driver *driver)
{
	return driver->behind;
}
