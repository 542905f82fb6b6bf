/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's state, and the functions that its files call in each other. */
#ifndef MADRING_DRIVER_URING_H
#define MADRING_DRIVER_URING_H

#include <assert.h>
#include <errno.h>

#include <liburing.h>
#include <pthread.h>
#include <string.h>

#include "driver/driver.h"

/*
 * The purpose of an io_uring request, which is the top byte of its user_data. The next byte is the
 * lane. The low 32 bits are the slot of a write, or the number of a posted read's buffer.
 */
enum request {
	REQUEST_WRITE = 1, /* the write of a whole MAD */
	REQUEST_SEGMENT,   /* the write of an RMPP frame */
	REQUEST_READ,	   /* a single, posted read */
	REQUEST_MULTISHOT, /* a multishot read */
	REQUEST_POLL,	   /* a poll for errors that no read reports */
	REQUEST_CANCEL,	   /* cancels one of the above; it is the last kind that has a lane */
	REQUEST_WAKE,
	REQUEST_TIMER,
	REQUEST_REST, /* changes the timer, or cancels all requests */
	REQUEST_MARK, /* a NOP: all entries before it were taken */
};

_Static_assert(REQUEST_MARK <= UINT8_MAX && MADRING_MAX_LANES <= UINT8_MAX + 1,
	       "a request and a lane have a byte each in user_data");

static inline uint64_t request_tag(enum request what, unsigned int lane, uint32_t value)
{
	return (uint64_t)what << 56 | (uint64_t)lane << 48 | value;
}

struct lane_file {
	int fd;		/* -1: not open */
	bool armed;	/* its multishot read is under way */
	bool disarming; /* that read is being cancelled */
	bool refused;	/* a read was refused */
	bool lost;
	bool closing;
	bool watched;	     /* its poll is under way */
	bool resting;	     /* a read has failed; none is made until driver.rest_ends */
	bool starved;	     /* no room for .long_bytes until buffers are given back */
	uint32_t long_bytes; /* length of the message that no read has room for (long.c); 0: none */
	uint32_t posted;     /* single reads under way */
	uint32_t pending;    /* requests of any kind under way */
};

/* The bytes of a receive buffer, and io_uring's name for the group of provided buffers. */
#define BUFFER_BYTES ((unsigned int)(sizeof(struct ib_user_mad) + MADRING_MAD_BYTES))
#define BUFFER_GROUP 0

_Static_assert(BUFFER_BYTES == 320, "a umad header and a MAD");
_Static_assert(MADRING_MAX_READS <= UINT16_MAX + 1, "buffers are numbered in 16 bits");

/*
 * The receive buffers. Each has a number. A buffer at hand may be posted or provided to the
 * kernel. When a MAD is passed on, the number of its buffer is vacant until a buffer is given
 * back.
 */
struct buffers {
	struct madring_mad **mad; /* by number */
	uint16_t *at_hand;
	uint16_t *vacant;
	uint32_t at_hand_count;
	uint32_t vacant_count;
	uint32_t kept;			/* vacant numbers whose buffers a caller keeps */
	struct io_uring_buf_ring *ring; /* of provided buffers */
};

struct driver {
	struct driver_config config;
	bool *is_owner; /* in a page that the kernel wipes in a child, so that it is false there */
	pthread_t thread; /* the thread that opened the driver */
	struct engine *engine;
	struct pool *pool;
	const struct pinned *plain; /* the pool's memory of plain buffers */
	struct io_uring uring;
	struct lane_file lane[MADRING_MAX_LANES];
	unsigned int lanes; /* all open lanes have lower numbers */
	bool unread;	    /* lanes may lack a read, or may have a long message to read */
	bool has_strategy;  /* the receive strategy is chosen: */
	bool multishot;
	struct buffers buffers;

	int error; /* the one that has ended io_uring; 0: it works */
	int wake_fd;
	uint64_t wake_count; /* where the read of .wake_fd puts its result */
	bool wake_posted;
	bool woken;
	bool mark_seen;
	bool ready_waits;  /* the program is between two steps and may wait for .ready_fd */
	int ready_fd;	   /* -1: driver_fd() was not called */
	uint64_t timer_at; /* ENGINE_NEVER: not armed */
	struct __kernel_timespec timer;
	unsigned int timer_entry; /* the submission queue's tail after the last entry with .timer */

	uint64_t rest_ends; /* when lanes that rest are read again; ENGINE_NEVER: none rests */

	uint32_t pending;	      /* requests under way, with those of lanes */
	uint64_t arrived;	      /* MADs read */
	uint64_t filled_at;	      /* when writes were last prepared */
	uint32_t uncollected;	      /* completions that were seen and not reported yet */
	uint64_t peeked_at;	      /* when they were seen */
	const struct driver_tap *tap; /* NULL: none */
	uint32_t long_writes;	      /* long MADs written in this turn: they have no completion */
	uint32_t final_writes;	      /* writes of this turn that end their transaction */
	bool quiet;		      /* nothing arrived during the last wait */
	uint64_t entries;
	struct io_uring_sqe spare_sqe; /* takes what will never be submitted: see enter_sqe() */
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
		driver->tap->seen(driver->tap->context, lane, false, madring_mad_umad(mad), bytes,
				  now);
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

/*
 * buffers.c: the receive buffers.
 *
 * `buffers_open` takes the buffers from the pool. Returns 0 or -ENOMEM.
 * `buffers_close` gives all of them back.
 * `buffers_ring_open` makes the ring of provided buffers. Returns 0 or a negative errno.
 * `buffers_ring_close` removes that ring: all its buffers are at hand again.
 * `buffers_provide` provides as many buffers to the kernel as may be needed.
 * `buffers_take` returns the buffer of a number, which is vacant from now on.
 */
int buffers_open(struct driver *driver);
void buffers_close(struct driver *driver);
int buffers_ring_open(struct driver *driver);
void buffers_ring_close(struct driver *driver);
void buffers_provide(struct driver *driver);
struct madring_mad *buffers_take(struct driver *driver, uint16_t number);

/*
 * lane.c
 *
 * Prepares the reads and polls that lanes lack.
 */
void lanes_fill(struct driver *driver);

/*
 * long.c: messages that are longer than a receive buffer.
 *
 * `long_found` records that the message at the head of the lane's queue has @bytes bytes. If
 * @bytes is no more than a receive buffer has, the length is not known.
 * `long_read` reads that message, if there is room for it.
 * `long_room` lets starved lanes read again, because buffers were given back.
 * `long_write` writes a long message and reports the end of the write.
 */
void long_found(struct driver *driver, unsigned int lane, uint32_t bytes);
void long_read(struct driver *driver, unsigned int lane);
void long_room(struct driver *driver);
void long_write(struct driver *driver, const struct engine_write *write, uint64_t now);

/*
 * ready.c
 *
 * Makes the fd for a foreign event loop readable, if there is one.
 */
void ready_signal(const struct driver *driver);

/*
 * loss.c: lanes whose device is gone or whose reads fail.
 *
 * `loss_of_lane` records that the device of a lane is gone.
 * `loss_or_rest` handles a failed read or poll. The lane is lost if its device is gone; otherwise
 * it rests until driver.rest_ends.
 * `loss_cancel` asks the kernel to cancel all requests of a lane.
 */
void loss_of_lane(struct driver *driver, unsigned int lane);
void loss_or_rest(struct driver *driver, unsigned int lane);
void loss_cancel(struct driver *driver, unsigned int lane);

/*
 * enter.c: entering the kernel.
 *
 * `enter_sqe` returns a submission queue entry. It submits a full queue first. If that fails for
 * good, the entry does not belong to the queue and is never submitted.
 * `enter_has_room` tells whether the queue has room for writes and posted reads. The rest of the
 * queue is reserved for requests that cannot wait.
 * `enter_tag` sets the user_data of a lane's request, and counts it.
 * `enter_may_bring_more` tells whether entering the kernel may bring completions that are ready
 * now.
 * `enter_kernel` submits, and waits up to @wait_ns for @count completions. Returns 0 or a
 * negative errno.
 * `enter_and_report` waits for a completion, and reports all that there are. Returns 0, or the
 * error after which it has given io_uring up. `enter_has_taken` tells whether the kernel has taken
 * all entries before @tail, an earlier tail of the submission queue. Then the memory that they
 * point to may change.
 */
struct io_uring_sqe *enter_sqe(struct driver *driver);
bool enter_has_room(const struct driver *driver);
void enter_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
	       unsigned int lane, uint32_t value);
bool enter_may_bring_more(const struct driver *driver);
int enter_kernel(struct driver *driver, unsigned int count, uint64_t wait_ns);
int enter_and_report(struct driver *driver);
bool enter_has_taken(const struct driver *driver, unsigned int tail);

/*
 * complete.c: reporting completions to the engine.
 *
 * `complete_write` reports the end of a write; @result is 0 or more, or a negative errno.
 * `complete_all` reports all completions. Returns how many there were.
 * `complete_some` reports at most @limit completions. Returns how many there were.
 */
void complete_write(struct driver *driver, unsigned int lane, struct engine_write_id id, int result,
		    uint64_t now);
unsigned int complete_all(struct driver *driver);
unsigned int complete_some(struct driver *driver, unsigned int limit);

/*
 * turn.c
 *
 * Prepares all that is to be submitted. Returns how many of the entries are writes.
 */
unsigned int turn_fill(struct driver *driver);

#endif
