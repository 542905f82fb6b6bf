/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the driver without io_uring, and the functions that its files call in each other. */
#ifndef MADRING_DRIVER_PLAIN_H
#define MADRING_DRIVER_PLAIN_H

#include <poll.h>

#include "driver/driver_state.h"

/* The most writes that wait for lanes that take none now. */
#define MOST_WAITING 8192u

struct plain_lane {
	bool is_full;	       /* its file took no write; poll(2) tells when it does */
	bool is_in_loop;       /* .loop_events are set in plain.epoll_fd */
	short loop_events;     /* as poll(2) names them */
	uint32_t unheard;      /* MADs read since .heard_at */
	struct pollfd *polled; /* its entry in plain.polled; NULL: none */
};

/* A write that its lane has not taken yet. */
struct plain_write {
	struct engine_write_id id;
	unsigned int lane;
};

struct plain {
	struct plain_lane lane[MADRING_MAX_LANES];
	struct pollfd polled[MADRING_MAX_LANES + 1];
	struct plain_write waiting[MOST_WAITING]; /* the oldest first */
	uint32_t waiting_count;
	bool has_room;		 /* some of them may be made now, or canceled */
	unsigned int first_lane; /* the first to be read in the next turn */
	uint64_t looked_at;	 /* when poll(2) last returned */
	uint64_t read_at;	 /* the time of MADs that are read; not before .looked_at */
	uint64_t late_ns;	 /* how late the MADs may be read that are there */
	uint64_t having_more;	 /* a bit for each lane that may have more to read now */
	uint64_t heard_at; /* a time before which all MADs have been reported when .unheard is 0 */
	uint64_t unheard;  /* a bit for each lane that may still have a MAD from before .heard_at */
	uint32_t expected; /* requests in flight at .heard_at */
	uint64_t expected_until; /* driver.arrived when so many MADs, or more, have been read */
	int epoll_fd;		 /* -1: driver_fd() was not called */
	int timer_fd;
};

/*
 * plain_write.c
 *
 * `write_all` makes the writes that the engine asks for. Returns how many the lanes have taken.
 * `write_cancel` reports those waiting writes as canceled whose lanes are lost.
 * `write_postpone` has the engine make all waiting writes again later.
 */
unsigned int write_all(struct driver *driver);
void write_cancel(struct driver *driver);
void write_postpone(struct driver *driver);

/*
 * plain_read.c
 *
 * `read_events` returns the events of poll(2) that a lane waits for now.
 * `has_found_message` tells whether the lane has a long message to read, which a lane that stands
 * in for a umad file does not show to poll(2). `read_lane` reads at most @limit MADs. Returns
 * whether the lane may have more to read now.
 */
short read_events(const struct driver *driver, unsigned int lane);
bool has_found_message(const struct driver *driver, unsigned int lane);
bool read_lane(struct driver *driver, unsigned int lane, unsigned int limit);

/*
 * plain_turn.c
 *
 * `fill_turn` makes the writes of a turn. Returns how many the lanes have taken.
 * `turn_look` waits at most @wait_ns until a lane has something to read, or takes writes again, or
 * until driver_wake() is called; then reads. With @is_waking false it leaves the wake-up for later.
 * It fires the timers that were due at @since, if all MADs that arrived until then are reported.
 * Returns 0 or a negative errno of ppoll(2).
 */
unsigned int fill_turn(struct driver *driver);
int turn_look(struct driver *driver, uint64_t wait_ns, uint64_t since, bool is_waking);
int plain_turn(struct driver *driver, uint64_t until);
void plain_collect(struct driver *driver);

/*
 * plain_loop.c: an fd for a foreign event loop.
 *
 * `loop_forget` takes a lane out of it.
 * `loop_close` closes it.
 */
int plain_fd(struct driver *driver);
void plain_ready_clear(struct driver *driver);
int plain_arm(struct driver *driver);
void loop_forget(struct driver *driver, unsigned int lane);
void loop_close(struct driver *driver);

#endif
