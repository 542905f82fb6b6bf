/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that all drivers have, and the functions that their files share. */
#ifndef MADRING_DRIVER_STATE_H
#define MADRING_DRIVER_STATE_H

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/spin.h"

struct lane_file {
	int fd;	      /* -1: not open */
	bool refused; /* a read was refused */
	bool lost;
	bool closing;
	bool resting;	     /* a read has failed; none is made until driver.rest_ends */
	bool starved;	     /* no room for .long_bytes until buffers are given back */
	uint32_t long_bytes; /* length of the message that no read has room for (long.c); 0: none */
};

/* The bytes of a receive buffer. */
#define BUFFER_BYTES ((unsigned int)(sizeof(struct ib_user_mad) + MADRING_MAD_BYTES))

_Static_assert(BUFFER_BYTES == 320, "a umad header and a MAD");
_Static_assert(MADRING_MAX_READS <= UINT16_MAX + 1, "buffers are numbered in 16 bits");

/*
 * The receive buffers. Each has a number. A buffer at hand may be read into, or given to the
 * kernel. When a MAD is passed on, the number of its buffer is vacant until a buffer is given
 * back.
 */
struct buffers {
	struct madring_mad **mad; /* by number */
	uint16_t *at_hand;
	uint16_t *vacant;
	uint32_t at_hand_count;
	uint32_t vacant_count;
	uint32_t kept; /* vacant numbers whose buffers a caller keeps */
};

/* Tells how long the thread was off its processor, as far as that is known. */
struct away {
	int fd;		     /* of the kernel's count; -1: there is none */
	pthread_t thread;    /* that is counted */
	uint64_t counted_ns; /* the last count */
	uint64_t looked_at;  /* of the last away_look() */
	uint32_t looks;	     /* since the last count */
};

/*
 * The functions of a kind of driver. driver.h describes those that have the same name there.
 * driver.c calls .turn, .settle, .collect, .fd, .ready_clear and .arm only without driver_error().
 */
struct driver_operations {
	size_t state_bytes; /* of its own state, which follows struct driver in memory */
	/* Opens what the kind needs. Returns 0 or a negative errno, which leaves nothing open. */
	int (*open)(struct driver *driver);
	/* Ends all requests that are under way, and frees what .open has made. */
	void (*close)(struct driver *driver);
	/* Tells whether the kernel may still use memory of the driver, which has failed. */
	bool (*is_pending)(const struct driver *driver);
	int (*try)(struct driver *driver);
	void (*give_up)(struct driver *driver);
	int (*lane_open)(struct driver *driver, unsigned int lane);
	/* Waits until all requests of the lane have ended. */
	void (*lane_close)(struct driver *driver, unsigned int lane);
	/* Cancels all requests of a lane whose device is gone. */
	void (*lane_lost)(struct driver *driver, unsigned int lane);
	int (*turn)(struct driver *driver, uint64_t until);
	void (*settle)(struct driver *driver);
	void (*collect)(struct driver *driver);
	/*
	 * Makes .loop_fd and .ready_fd. Called before the next two. Returns .loop_fd or an error.
	 */
	int (*fd)(struct driver *driver);
	void (*ready_clear)(struct driver *driver);
	int (*arm)(struct driver *driver);
};

extern const struct driver_operations uring_operations;
extern const struct driver_operations plain_operations;

/* The states of the kinds. */
struct uring;
struct plain;

struct driver {
	const struct driver_operations *operations;
	struct uring *uring; /* the state of io_uring */
	struct plain *plain; /* the state of the driver without it */
	int reason;	     /* why io_uring is not used; 0: it is, or was not asked for */
	struct driver_config config;
	bool *is_owner; /* in a page that the kernel wipes in a child, so that it is false there */
	struct engine *engine;
	struct pool *pool;
	const struct pinned *plain_memory; /* the pool's memory of plain buffers */
	struct lane_file lane[MADRING_MAX_LANES];
	unsigned int lanes; /* all open lanes have lower numbers */
	bool unread;	    /* lanes may lack a read, or may have a long message to read */
	bool has_strategy;  /* the receive strategy is chosen: */
	bool multishot;
	struct buffers buffers;

	int error; /* the one that has ended the driver; 0: it works */
	int wake_fd;
	bool woken;
	bool ready_waits;    /* the program is between two steps and may wait for driver_fd() */
	int loop_fd;	     /* what driver_fd() has returned; -1: nothing yet */
	int ready_fd;	     /* the eventfd of ready_signal(); -1: not open */
	uint64_t timer_at;   /* ENGINE_NEVER: not armed */
	uint64_t loop_until; /* what driver_arm() was given */

	uint64_t rest_ends; /* when lanes that rest are read again; ENGINE_NEVER: none rests */

	uint64_t arrived;     /* MADs read */
	uint64_t filled_at;   /* when writes were last prepared */
	uint32_t uncollected; /* completions that were seen and not reported, or whether lanes have
				 more */
	const struct driver_tap *tap; /* NULL: none */
	uint32_t final_writes;	      /* writes of this turn that end their transaction */
	uint64_t entries;
	struct spin spin;
	struct away away;
};

/* Returns 0, or the error for which the kernel must not be entered. */
static inline int driver_error(const struct driver *driver)
{
	return __builtin_expect(*driver->is_owner, 1) ? driver->error : -EREMOTE;
}

/* Shows a received MAD to the tap, if there is one. */
static inline void tap_received(const struct driver *driver, unsigned int lane,
				const struct madring_mad *mad, size_t bytes, uint64_t now)
{
	if (__builtin_expect(driver->tap != NULL, 0))
		driver->tap->seen(driver->tap->context, lane, false, madring_mad_const_umad(mad),
				  bytes, now);
}

/*
 * Clears what a read of @bytes bytes leaves of an older MAD in a buffer of @room bytes. Both
 * count the umad header. A program that keeps the buffer may send all of it.
 */
static inline void clear_rest(struct madring_mad *mad, size_t bytes, size_t room)
{
	if (__builtin_expect(bytes < room, 0))
		memset((uint8_t *)mad + bytes, 0, room - bytes);
}

/* Returns the latest time at which a turn has something to do. */
static inline uint64_t next_deadline(const struct driver *driver)
{
	uint64_t deadline = engine_next_deadline(driver->engine);

	return deadline < driver->rest_ends ? deadline : driver->rest_ends;
}

/* Returns the latest time at which driver_fd() has to be readable. */
static inline uint64_t next_step(const struct driver *driver)
{
	uint64_t deadline = next_deadline(driver);

	return deadline < driver->loop_until ? deadline : driver->loop_until;
}

/*
 * Returns how long a turn may wait, in ns: until @until or the next timer. It must not wait if
 * there is more to write, to complete, or to collect.
 */
static inline uint64_t wait_limit(const struct driver *driver, uint64_t until)
{
	uint64_t deadline = next_deadline(driver);

	if (driver->uncollected || engine_wants_write(driver->engine) ||
	    engine_completed(driver->engine) || engine_requests(driver->engine))
		return 0;
	if (deadline < until)
		until = deadline;
	if (until == ENGINE_NEVER)
		return until;
	return until > driver->filled_at ? until - driver->filled_at : 0;
}

/*
 * Returns how long to look for completions before a wait of @wait_ns, in ns; 0: not at all. A
 * program that waits for nothing, or in an event loop of its own, sleeps at once.
 */
static inline uint64_t time_to_look(struct driver *driver, uint64_t wait_ns)
{
	uint32_t in_flight = engine_in_flight(driver->engine);

	if (!wait_ns || !in_flight || in_flight >= SPIN_IN_FLIGHT || driver->loop_fd >= 0)
		return 0;
	return spin_time(&driver->spin, wait_ns);
}

/* Records that a turn had nothing to do for @ns ns, in which the thread slept or only looked. */
static inline void record_wait(struct driver *driver, uint64_t ns, bool has_slept)
{
	if (has_slept)
		spin_slept(&driver->spin, ns);
	else
		spin_hit(&driver->spin, ns);
}

/* Tells whether the lane's device can still bring a MAD. */
static inline bool is_readable(const struct lane_file *file)
{
	return file->fd >= 0 && !file->lost;
}

/* Opens a driver of a kind. Returns 0 or a negative errno. */
int driver_open_kind(struct driver **out, const struct driver_config *config,
		     const struct driver_operations *operations);

/*
 * buffers.c: the receive buffers.
 *
 * `buffers_open` takes the buffers from the pool. Returns 0 or -ENOMEM.
 * `buffers_close` gives all of them back.
 * `buffers_take` returns the buffer of a number, which is vacant from now on.
 */
int buffers_open(struct driver *driver);
void buffers_close(struct driver *driver);
struct madring_mad *buffers_take(struct driver *driver, uint16_t number);

/*
 * long_room.c: messages that are longer than a receive buffer, and the room for them.
 *
 * `long_found` records that the message at the head of the lane's queue has @bytes bytes. If
 * @bytes is no more than a receive buffer has, the length is not known.
 * `long_starve` records whether a lane has no room for its message.
 * `long_room` lets starved lanes read again, because buffers were given back.
 */
void long_found(struct driver *driver, unsigned int lane, uint32_t bytes);
void long_starve(struct driver *driver, unsigned int lane, bool starved);
void long_room(struct driver *driver);

/*
 * long.c
 *
 * `long_read` reads the message at the head of the lane's queue, if there is room for it.
 * `long_write` writes a long message and reports the end of the write.
 */
void long_read(struct driver *driver, unsigned int lane);
void long_write(struct driver *driver, const struct engine_write *write, uint64_t now);

/*
 * away.c: the time that the thread was off its processor.
 *
 * `away_open` begins to count for the calling thread, and `away_close` ends that.
 * `away_look` returns how much of the time since the last look the thread was ready to run and
 * did not, in ns; 0 if that is not known.
 */
void away_open(struct away *away);
void away_close(struct away *away);
uint64_t away_look(struct away *away, uint64_t now);

/* wake.c: makes the fd for a foreign event loop readable, if there is one. */
void ready_signal(const struct driver *driver);

/*
 * loss.c: lanes whose device is gone or whose reads fail.
 *
 * `loss_of_lane` records that the device of a lane is gone.
 * `loss_or_rest` handles a failed read or poll. The lane is lost if its device is gone; otherwise
 * it rests until driver.rest_ends.
 * `loss_end_rest` lets the lanes that rest be read again.
 */
void loss_of_lane(struct driver *driver, unsigned int lane);
void loss_or_rest(struct driver *driver, unsigned int lane);
void loss_end_rest(struct driver *driver);

#endif
