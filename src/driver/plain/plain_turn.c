/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn: writes, waits in ppoll(2), reads, and fires the timers. */
#include "driver/plain/plain.h"

#include <time.h>
#include <unistd.h>

/*
 * The MADs that a turn reads of all lanes, and of one lane at least. The callbacks of these, and
 * the writes that they ask for, come before the next turn. So the nodes get new requests meanwhile.
 */
#define LEAST_READS	 32u
#define MOST_READS	 512u
#define LEAST_LANE_READS 8u
/* A turn reads the replies to this part of the requests in flight. */
#define READ_PART 4u

static void take_wake(struct driver *driver)
{
	uint64_t count;

	if (read(driver->wake_fd, &count, sizeof(count)) > 0)
		driver->woken = true;
}

/* Lists what poll(2) is to look at. Returns how many entries there are. */
static nfds_t list_polled(struct driver *driver, bool is_waking)
{
	struct plain *plain = driver->plain;
	nfds_t count = 0;

	plain->polled[count++] =
		(struct pollfd){ .fd = is_waking ? driver->wake_fd : -1, .events = POLLIN };
	driver->unread = !driver->buffers.at_hand_count;
	for (unsigned int lane = 0; lane < driver->lanes; lane++) {
		plain->lane[lane].polled = NULL;
		if (!is_readable(&driver->lane[lane]))
			continue;
		plain->lane[lane].polled = &plain->polled[count];
		plain->polled[count++] = (struct pollfd){ .fd = driver->lane[lane].fd,
							  .events = read_events(driver, lane) };
	}
	return count;
}

/* Polls once. Returns how many entries have an event, or a negative errno. */
static int poll_once(struct driver *driver, nfds_t count, uint64_t wait_ns)
{
	const struct timespec limit = {
		.tv_sec = (time_t)(wait_ns / 1000000000u),
		.tv_nsec = (long)(wait_ns % 1000000000u),
	};
	int ready =
		ppoll(driver->plain->polled, count, wait_ns == ENGINE_NEVER ? NULL : &limit, NULL);

	driver->entries++;
	driver->plain->looked_at = driver_clock();
	return ready < 0 ? -errno : ready;
}

/* Polls from @begin on for @ns ns. Returns what poll_once() returns. */
static int look_for_events(struct driver *driver, nfds_t count, uint64_t begin, uint64_t ns)
{
	uint64_t passed;
	int ready;

	do {
		spin_relax();
		ready = poll_once(driver, count, 0);
		passed = driver->plain->looked_at - begin;
	} while (!ready && passed < ns);
	if (ready > 0)
		record_wait(driver, passed, false);
	else
		spin_missed(&driver->spin, passed);
	return ready;
}

/* Sleeps until there is an event. Returns what poll_once() returns. */
static int sleep_until_event(struct driver *driver, nfds_t count, uint64_t begin, uint64_t wait_ns)
{
	uint64_t passed = driver->plain->looked_at - begin;
	int ready;

	if (wait_ns != ENGINE_NEVER)
		wait_ns = passed < wait_ns ? wait_ns - passed : 0;
	ready = poll_once(driver, count, wait_ns);
	record_wait(driver, driver->plain->looked_at - begin, true);
	return ready;
}

/* Records how late the MADs that are there may be read. Lanes may still have some of earlier. */
static void note_lateness(struct driver *driver)
{
	struct plain *plain = driver->plain;
	uint64_t late_ns = away_look(&driver->away, plain->read_at);

	if (!plain->having_more || late_ns > plain->late_ns)
		plain->late_ns = late_ns;
	engine_late(driver->engine, plain->late_ns);
}

/*
 * Waits for an event, and looks for one for a short time before it sleeps (spin.h). Returns how
 * many entries have one, or a negative errno.
 */
static int wait_for_events(struct driver *driver, uint64_t wait_ns, bool is_waking)
{
	nfds_t count = list_polled(driver, is_waking);
	uint64_t look_ns = time_to_look(driver, wait_ns);
	uint64_t begin;
	int ready = 0;

	if (look_ns || !wait_ns)
		ready = poll_once(driver, count, 0);
	else
		driver->plain->looked_at = driver_clock();
	begin = driver->plain->looked_at;
	if (!ready && look_ns)
		ready = look_for_events(driver, count, begin, look_ns);
	if (!ready && wait_ns)
		ready = sleep_until_event(driver, count, begin, wait_ns);
	driver->plain->read_at = driver->plain->looked_at;
	note_lateness(driver);
	return ready;
}

/* Serves a lane. Returns whether it may have more to read now. */
static bool serve_lane(struct driver *driver, unsigned int lane, unsigned int limit)
{
	const struct lane_file *file = &driver->lane[lane];
	const struct pollfd *polled = driver->plain->lane[lane].polled;
	uint64_t arrived = driver->arrived;
	bool has_more = false;

	if (!is_readable(file) || !polled)
		return false;
	if (polled->revents & POLLOUT) {
		driver->plain->lane[lane].is_full = false;
		driver->plain->has_room = true;
	}
	if (polled->revents & POLLIN || has_found_message(driver, lane))
		has_more = read_lane(driver, lane, limit);
	driver->plain->lane[lane].unheard += (uint32_t)(driver->arrived - arrived);
	/* A device that is gone may have left MADs, which are read first. */
	if (polled->revents & (POLLERR | POLLHUP | POLLNVAL) && !has_more)
		loss_of_lane(driver, lane);
	return has_more;
}

/* Returns how many MADs a turn reads of each lane that has some. */
static unsigned int lane_limit(const struct driver *driver, int ready)
{
	uint32_t limit = engine_in_flight(driver->engine) / READ_PART;

	limit = limit < LEAST_READS ? LEAST_READS : limit;
	limit = (limit < MOST_READS ? limit : MOST_READS) / (unsigned int)(ready ? ready : 1);
	return limit < LEAST_LANE_READS ? LEAST_LANE_READS : limit;
}

/* Serves all lanes, each turn from another one on. */
static void serve_lanes(struct driver *driver, int ready)
{
	unsigned int limit = lane_limit(driver, ready);
	unsigned int first = driver->plain->first_lane;
	uint64_t having_more = 0;

	for (unsigned int i = 0; i < driver->lanes; i++) {
		unsigned int lane = (first + i) % driver->lanes;

		if (serve_lane(driver, lane, limit))
			having_more |= UINT64_C(1) << lane;
	}
	driver->plain->first_lane = first + 1 < driver->lanes ? first + 1 : 0;
	driver->plain->having_more = having_more;
}

/*
 * Returns how many MADs a lane may have had at .heard_at: a reply to each request, and as many
 * others as there are receive buffers. A lane that always has more must not hold the timers back
 * for ever.
 */
static uint32_t most_queued(const struct driver *driver)
{
	return driver->plain->expected + driver->config.reads;
}

/* Removes the lanes from .unheard from which so much was read since .heard_at. */
static void forget_long_queues(struct driver *driver)
{
	struct plain *plain = driver->plain;

	for (uint64_t left = plain->unheard; left; left &= left - 1) {
		unsigned int lane = (unsigned int)__builtin_ctzll(left);

		if (plain->lane[lane].unheard >= most_queued(driver))
			plain->unheard &= ~(UINT64_C(1) << lane);
	}
}

/*
 * Fires the timers by the latest time before which all MADs have been reported: a reply that
 * arrived while this thread was not scheduled is still in time. @since is such a time if no lane
 * has more to read.
 */
static void fire_timers(struct driver *driver, uint64_t since)
{
	struct plain *plain = driver->plain;

	if (!plain->unheard) {
		plain->heard_at = since;
		plain->unheard = plain->having_more;
		plain->expected = engine_in_flight(driver->engine);
		plain->expected_until =
			driver->arrived +
			(plain->expected < MOST_READS ? MOST_READS : plain->expected);
		for (unsigned int lane = 0; lane < driver->lanes; lane++)
			plain->lane[lane].unheard = 0;
	} else {
		plain->unheard &= plain->having_more;
		forget_long_queues(driver);
	}
	/* While replies come as fast as they are read, a turn must end all the same. */
	driver->uncollected = plain->unheard && driver->arrived < plain->expected_until;
	if (!plain->unheard)
		engine_advance(driver->engine, plain->heard_at);
}

int turn_look(struct driver *driver, uint64_t wait_ns, uint64_t since, bool is_waking)
{
	int ready = wait_for_events(driver, wait_ns, is_waking);

	if (ready < 0)
		return ready;
	if (driver->plain->polled[0].revents)
		take_wake(driver);
	serve_lanes(driver, ready);
	fire_timers(driver, since);
	return 0;
}

void plain_collect(struct driver *driver)
{
	struct plain *plain = driver->plain;

	plain->read_at = driver_clock();
	for (uint64_t left = plain->having_more; left; left &= left - 1)
		read_lane(driver, (unsigned int)__builtin_ctzll(left), most_queued(driver));
	plain->having_more = 0;
	driver->uncollected = 0;
}

unsigned int fill_turn(struct driver *driver)
{
	unsigned int taken = write_all(driver);

	if (driver->rest_ends <= driver->filled_at)
		loss_end_rest(driver);
	return taken;
}

/* Tells whether a lane has a message to read that poll(2) need not show. */
static bool has_found_some(const struct driver *driver)
{
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		if (is_readable(&driver->lane[lane]) && has_found_message(driver, lane))
			return true;
	return false;
}

int plain_turn(struct driver *driver, uint64_t until)
{
	unsigned int taken = fill_turn(driver);
	uint64_t wait_ns = has_found_some(driver) ? 0 : wait_limit(driver, until);
	int error = turn_look(driver, wait_ns, driver->filled_at, true);

	/* MADs that arrived during the wait are in time: they are read before a timer fires. */
	if (!error && !driver->plain->unheard && next_deadline(driver) <= driver->plain->looked_at)
		error = turn_look(driver, 0, driver->plain->looked_at, true);
	/* The other end of a message may wait for a segment, and there may be no next turn. */
	if (engine_wants_segment(driver->engine))
		taken += write_all(driver);
	return error < 0 ? error : (int)taken;
}
