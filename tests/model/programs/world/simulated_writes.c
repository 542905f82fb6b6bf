/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes: taken by the kernel and reported to the engine, at times that the seed decides. */
#include "simulated.h"

#include <errno.h>
#include <string.h>

#include "engine/tid.h"
#include "model_fail.h"
#include "model_kernel.h"
#include "ledger.h"
#include "model/common/must_alloc.h"
#include "model_scenario.h"
#include "virtual_clock.h"

static void append(struct write **list, size_t *count, size_t *room, const struct write *write)
{
	if (*count == *room) {
		*room = *room ? 2 * *room : 64;
		*list = must_realloc(*list, *room * sizeof(**list));
	}
	(*list)[(*count)++] = *write;
}

/* Returns a delay: 0 mostly, and by @chance a part of .slow_time. */
static uint64_t delay(struct driver *driver, uint32_t chance)
{
	if (!prng_chance(&driver->prng, chance))
		return 0;
	return prng_below(&driver->prng, driver->scenario->kernel.slow_time + 1);
}

static int refusal(struct driver *driver)
{
	if (prng_chance(&driver->prng, driver->scenario->kernel.again))
		return -EAGAIN;
	return prng_chance(&driver->prng, driver->scenario->kernel.no_memory) ? -ENOMEM : 0;
}

static void take(struct driver *driver, struct write *write)
{
	const struct engine_write *what = &write->write;

	write->taken = true;
	write->result = refusal(driver);
	if (!write->result)
		write->result = kernel_write(driver->lane[what->lane].fd, what->umad, what->bytes);
	play_until(virtual_now() + driver->scenario->kernel.mad_time);
	write->report_at = virtual_now() + delay(driver, driver->scenario->kernel.slow_report);
}

unsigned int fill_writes(struct driver *driver)
{
	uint64_t now = virtual_now();
	unsigned int count = 0;
	struct write write = { 0 };

	driver->filled_at = now;
	while (count < driver->scenario->kernel.write_most &&
	       engine_next_write(driver->engine, now, &write.write)) {
		ledger_taken(write.write.umad);
		write.taken = false;
		write.take_at = now + delay(driver, driver->scenario->kernel.slow_take);
		append(&driver->flying, &driver->flying_count, &driver->flying_room, &write);
		count++;
	}
	return count;
}

static bool is_same(struct engine_write_id a, struct engine_write_id b)
{
	return a.kind == b.kind && a.number == b.number;
}

/* Cancels the writes that the engine wants canceled, if they have not been taken yet. */
void fill_aborts(struct driver *driver)
{
	struct engine_write_id id;
	unsigned int lane;

	while (engine_next_abort(driver->engine, &id, &lane))
		for (size_t i = 0; i < driver->flying_count; i++) {
			struct write *write = &driver->flying[i];

			if (!is_same(write->write.id, id) || write->write.lane != lane ||
			    write->taken)
				continue;
			write->taken = true;
			write->result = -ECANCELED;
			write->report_at = virtual_now();
		}
}

void take_writes(struct driver *driver, bool all)
{
	uint64_t now = virtual_now();
	size_t kept = 0;

	for (size_t i = 0; i < driver->flying_count; i++) {
		struct write write = driver->flying[i];

		if (!write.taken && (all || write.take_at <= now))
			take(driver, &write);
		if (write.taken && (all || write.report_at <= now))
			append(&driver->due, &driver->due_count, &driver->due_room, &write);
		else
			driver->flying[kept++] = write;
	}
	driver->flying_count = kept;
}

uint64_t next_of_writes(const struct driver *driver)
{
	uint64_t next = ENGINE_NEVER;

	for (size_t i = 0; i < driver->flying_count; i++) {
		const struct write *write = &driver->flying[i];
		uint64_t at = write->taken ? write->report_at : write->take_at;

		if (at < next)
			next = at;
	}
	return next;
}

static void report_write(struct driver *driver, const struct write *write)
{
	const struct engine_write *what = &write->write;
	int result = write->result;

	if (result == -EIO && kernel_is_gone()) {
		lose_lane(driver, what->lane);
		result = -ENODEV;
	}
	trace("TID %08x is written to lane %u: %d", tid_read(what->umad->data), what->lane, result);
	if (!result && driver->tap)
		driver->tap->seen(driver->tap->context, what->lane, true, what->umad, what->bytes,
				  driver->filled_at);
	if (result == -EAGAIN || result == -ENOMEM)
		ledger_refused(what->umad);
	ledger_write_reported(result);
	engine_write_done(driver->engine, what->id, result, virtual_now());
}

void report_first_write(struct driver *driver)
{
	struct write write = driver->due[driver->due_first++];

	if (driver->due_first == driver->due_count)
		driver->due_first = driver->due_count = 0;
	report_write(driver, &write);
}

size_t count_due(const struct driver *driver)
{
	return driver->due_count - driver->due_first;
}

void cancel_writes(struct driver *driver, unsigned int lane)
{
	size_t kept = 0;

	while (count_due(driver))
		report_first_write(driver);
	for (size_t i = 0; i < driver->flying_count; i++) {
		struct write write = driver->flying[i];

		if (write.write.lane != lane) {
			driver->flying[kept++] = write;
			continue;
		}
		if (!write.taken)
			write.result = -ECANCELED;
		report_write(driver, &write);
	}
	driver->flying_count = kept;
}
