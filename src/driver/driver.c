/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes drivers, and calls the operations of their kinds. */
#include "driver/driver_state.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int open_owner_flag(struct driver *driver)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -ENOMEM;
	driver->is_owner = memory;
	*driver->is_owner = true;
	return madvise(memory, page, MADV_WIPEONFORK) ? -ENOMEM : 0;
}

static void free_driver(struct driver *driver)
{
	buffers_close(driver);
	away_close(&driver->away);
	if (driver->is_owner)
		munmap(driver->is_owner, (size_t)sysconf(_SC_PAGESIZE));
	free(driver);
}

static int open_parts(struct driver *driver)
{
	int error = open_owner_flag(driver);

	if (error)
		return error;
	driver->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (driver->wake_fd < 0)
		return -errno;
	return driver->operations->open(driver);
}

int driver_open_kind(struct driver **out, const struct driver_config *config,
		     const struct driver_operations *operations)
{
	struct driver *driver = calloc(1, sizeof(*driver) + operations->state_bytes);
	int error;

	if (!driver)
		return -ENOMEM;
	driver->operations = operations;
	driver->config = *config;
	driver->wake_fd = -1;
	away_open(&driver->away);
	driver->ready_fd = -1;
	driver->loop_fd = -1;
	driver->timer_at = ENGINE_NEVER;
	driver->loop_until = ENGINE_NEVER;
	driver->rest_ends = ENGINE_NEVER;
	/* The kernel's thread that submits has a processor of its own. */
	spin_open(&driver->spin, config->spin_us, spin_processors() - !!config->sqpoll_idle_ms);
	for (unsigned int lane = 0; lane < MADRING_MAX_LANES; lane++)
		driver->lane[lane].fd = -1;
	error = open_parts(driver);
	if (error < 0) {
		if (driver->wake_fd >= 0)
			close(driver->wake_fd);
		free_driver(driver);
		return error;
	}
	*out = driver;
	return 0;
}

int driver_attach(struct driver *driver, struct engine *engine, struct pool *pool)
{
	assert(!driver->engine);
	driver->engine = engine;
	driver->pool = pool;
	driver->plain_memory = pool_plain_memory(pool);
	return buffers_open(driver);
}

bool driver_is_inherited(const struct driver *driver)
{
	return !*driver->is_owner;
}

int driver_check(const struct driver *driver)
{
	return driver_error(driver);
}

int driver_try(struct driver *driver)
{
	return driver->operations->try(driver);
}

void driver_give_up(struct driver *driver, int error)
{
	if (!driver->error)
		driver->error = error;
	driver->uncollected = 0;
	driver->operations->give_up(driver);
	/* The program's next step returns the error. */
	ready_signal(driver);
}

int driver_close(struct driver *driver)
{
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver_lane_close(driver, lane);
	driver->operations->close(driver);
	if (driver->wake_fd >= 0)
		close(driver->wake_fd);
	if (driver->ready_fd >= 0)
		close(driver->ready_fd);
	if (driver->operations->is_pending(driver))
		return driver->error;
	free_driver(driver);
	return 0;
}

int driver_lane_open(struct driver *driver, unsigned int lane, int fd)
{
	/* An error that is found here leaves nothing to undo. */
	int error = driver_try(driver);

	assert(driver->engine && lane < MADRING_MAX_LANES && fd >= 0 && driver->lane[lane].fd < 0);
	if (error < 0)
		return error;
	driver->lane[lane] = (struct lane_file){ .fd = fd };
	driver->unread = true;
	if (lane >= driver->lanes)
		driver->lanes = lane + 1;
	error = driver->operations->lane_open(driver, lane);
	if (error < 0)
		driver_lane_close(driver, lane);
	return error;
}

void driver_lane_close(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	assert(lane < MADRING_MAX_LANES);
	if (file->fd < 0)
		return;
	file->closing = true;
	loss_of_lane(driver, lane);
	driver->operations->lane_close(driver, lane);
	file->fd = -1;
}

int driver_turn(struct driver *driver, uint64_t until)
{
	int error = driver_error(driver);

	assert(driver->engine);
	return error ? error : driver->operations->turn(driver, until);
}

void driver_settle(struct driver *driver)
{
	if (!driver_error(driver))
		driver->operations->settle(driver);
}

void driver_collect(struct driver *driver)
{
	if (!driver_error(driver))
		driver->operations->collect(driver);
}

bool driver_is_behind(const struct driver *driver)
{
	return driver->uncollected;
}

int driver_fd(struct driver *driver)
{
	int error = driver_error(driver);

	if (error || driver->loop_fd >= 0)
		return error ? error : driver->loop_fd;
	return driver->operations->fd(driver);
}

void driver_ready_clear(struct driver *driver)
{
	if (driver->loop_fd < 0 || driver_error(driver))
		return;
	driver->ready_waits = false;
	driver->operations->ready_clear(driver);
}

int driver_arm(struct driver *driver, uint64_t until)
{
	int error = driver_error(driver);

	driver->loop_until = until;
	return error ? error : driver->operations->arm(driver);
}

void driver_set_tap(struct driver *driver, const struct driver_tap *tap)
{
	driver->tap = tap;
}

uint64_t driver_entries(const struct driver *driver)
{
	return driver->entries;
}

struct spin_stats driver_spin_stats(const struct driver *driver)
{
	return driver->spin.stats;
}

bool driver_is_multishot(const struct driver *driver)
{
	return driver->multishot;
}
