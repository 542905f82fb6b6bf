/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver's files share. */
#ifndef MADRING_DRIVER_URING_H
#define MADRING_DRIVER_URING_H

#include <assert.h>
#include <errno.h>

#include <liburing.h>
#include <pthread.h>
#include <string.h>

#include "driver/driver.h"

/* What a request was for: the top byte of its user_data. The lane is in the next one, and the
   slot of a write, or the buffer of a posted read, below. */
enum request {
	REQUEST_WRITE = 1, /* of a whole MAD */
	REQUEST_SEGMENT,   /* a write of one of RMPP's */
	REQUEST_READ,	   /* a single, posted read */
	REQUEST_MULTISHOT, /* a multishot read */
	REQUEST_POLL,	   /* for an error that no read reports */
	REQUEST_CANCEL,	   /* of one of the above: the last that is a lane's */
	REQUEST_WAKE,
	REQUEST_TIMER,
	REQUEST_REST, /* the timer's change, and the cancelling of all */
	REQUEST_MARK, /* what was handed over before it has been taken */
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
	bool disarming; /* and shall not be */
	bool refused;	/* which was refused */
	bool lost;
	bool closing;
	bool watched;	     /* its poll is under way */
	bool resting;	     /* a read has failed; none is made until .rest_ends */
	bool starved;	     /* there is no room for .long_bytes before buffers are given back */
	uint32_t long_bytes; /* of a message that no read has had room for, see long.c; 0: none */
	uint32_t posted;     /* single reads under way */
	uint32_t pending;    /* requests under way, of any kind */
};

/* Of a receive buffer; and the number that io_uring knows the provided ones by. */
#define BUFFER_BYTES ((unsigned int)(sizeof(struct ib_user_mad) + MADRING_MAD_BYTES))
#define BUFFER_GROUP 0

_Static_assert(BUFFER_BYTES == 320, "a umad header and a MAD");
_Static_assert(MADRING_MAX_READS <= UINT16_MAX + 1, "buffers are numbered in 16 bits");

/*
 * The receive buffers, numbered. One that is at hand may be posted or provided; one whose
 * MAD was passed on leaves its number vacant until a buffer is given back.
 */
struct buffers {
	struct madring_mad **mad; /* by number */
	uint16_t *at_hand;
	uint16_t *vacant;
	uint32_t at_hand_count;
	uint32_t vacant_count;
	uint32_t kept;			/* vacant, and nobody is bound to give one back */
	struct io_uring_buf_ring *ring; /* provided ones */
};

struct driver {
	struct driver_config config;
	bool *own;	  /* in a page that the kernel wipes in a child, where it is false */
	pthread_t thread; /* the thread that opened the driver */
	struct engine *engine;
	struct pool *pool;
	const struct pinned *plain; /* where the pool has the plain buffers */
	struct io_uring uring;
	struct lane_file lane[MADRING_MAX_LANES];
	unsigned int lanes; /* below which all that are open are */
	bool unread;	    /* some may have no read under way, or not read long messages */
	bool decided;	    /* the receive strategy is */
	bool multishot;
	struct buffers buffers;

	int error; /* what has ended io_uring; 0: it works */
	int wake_fd;
	uint64_t wake_count; /* what is read from it */
	bool wake_posted;
	bool woken;
	bool mark_seen;
	bool ready_waits;  /* no step is under way: .ready_fd may be waited for */
	int ready_fd;	   /* -1: nobody asked for it */
	uint64_t timer_at; /* ENGINE_NEVER: not armed */
	struct __kernel_timespec timer;
	unsigned int timer_entry; /* the submission queue's tail behind the last that names it */

	uint64_t rest_ends; /* when lanes that rest are read again; ENGINE_NEVER: none rests */

	uint32_t pending;	      /* requests under way, lanes' included */
	uint64_t arrived;	      /* MADs read */
	uint64_t filled_at;	      /* when MADs were last handed over to be written */
	uint32_t uncollected;	      /* completions that were there when they were looked for */
	uint64_t looked_at;	      /* which was then */
	const struct driver_tap *tap; /* NULL: nobody wants to see them */
	/* Of the MADs handed over in this turn: those for which no completion comes; those whose
	   completion is what is waited for. */
	uint32_t written, final;
	bool quiet; /* nothing arrived when something was last waited for */
	uint64_t entries;
	struct io_uring_sqe nowhere; /* what is prepared here is never submitted: see enter_sqe() */
};

/* 0, or why the kernel must not be entered. */
static inline int driver_state(const struct driver *driver)
{
	return __builtin_expect(*driver->own, 1) ? driver->error : -EREMOTE;
}

/* Shows the tap, if there is one, a MAD that was received. */
static inline void tap_received(const struct driver *driver, unsigned int lane,
				const struct madring_mad *mad, size_t bytes, uint64_t now)
{
	if (__builtin_expect(driver->tap != NULL, 0))
		driver->tap->seen(driver->tap->context, lane, false, madring_mad_umad(mad), bytes,
				  now);
}

/*
 * `clear_rest` clears what a read of @bytes bytes leaves of an older MAD in a buffer of @room
 * bytes, umad headers included, because a program that keeps the buffer may send all of it.
 */
static inline void clear_rest(struct madring_mad *mad, size_t bytes, size_t room)
{
	if (__builtin_expect(bytes < room, 0))
		memset((uint8_t *)mad + bytes, 0, room - bytes);
}

/* `next_deadline` returns when a turn has something to do at the latest. */
static inline uint64_t next_deadline(const struct driver *driver)
{
	uint64_t deadline = engine_next_deadline(driver->engine);

	return deadline < driver->rest_ends ? deadline : driver->rest_ends;
}

/* buffers.c */
int buffers_open(struct driver *driver);
void buffers_close(struct driver *driver);
/* Makes the ring of provided buffers. 0 or -errno. */
int buffers_ring_open(struct driver *driver);
/* Takes it apart again: all its buffers are at hand. */
void buffers_ring_close(struct driver *driver);
/* Provides as many as may be needed. */
void buffers_provide(struct driver *driver);
/* The buffer of a number, which is vacant from now on. */
struct madring_mad *buffers_take(struct driver *driver, uint16_t number);

/* lane.c: posts the reads that are missing. */
void lanes_fill(struct driver *driver);

/* long.c: messages that are longer than a receive buffer. */
/* The message at the head of the lane's queue has @bytes bytes, or as many as will be seen. */
void long_found(struct driver *driver, unsigned int lane, uint32_t bytes);
/* Reads it, if there is room. */
void long_read(struct driver *driver, unsigned int lane);
/* Buffers were given back. */
void long_room(struct driver *driver);
/* Writes a long message, and reports that. */
void long_write(struct driver *driver, const struct engine_write *write, uint64_t now);

/* ready.c: has the fd for a foreign event loop readable, if there is one. */
void ready_signal(const struct driver *driver);

/* loss.c */
/* The device is gone. */
void loss_of_lane(struct driver *driver, unsigned int lane);
/* Takes note of a failed read or poll: the lane is lost if its device is gone, and else rests until
   .rest_ends. */
void loss_or_rest(struct driver *driver, unsigned int lane);
/* Asks the kernel to cancel all that is under way on a lane. */
void loss_cancel(struct driver *driver, unsigned int lane);

/* enter.c */
/* Returns a submission queue entry. A full queue is handed over first. If that fails for good, the
   entry returned is none of the queue's, and is never submitted. */
struct io_uring_sqe *enter_sqe(struct driver *driver);
/* Whether the queue has room for what can wait; the rest of it is kept for what cannot. */
bool enter_has_room(const struct driver *driver);
/* Names a lane's request, and counts it. */
void enter_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
	       unsigned int lane, uint32_t value);
/* Whether an entry into the kernel may bring completions that are ready now. */
bool enter_may_bring_more(const struct driver *driver);
/* Submits, and waits up to @wait_ns for @count completions. 0 or -errno. */
int enter_kernel(struct driver *driver, unsigned int count, uint64_t wait_ns);
/* Waits for a completion, and reports all that are there. Returns 0; or the error for which none
   can come any more, after giving io_uring up. */
int enter_to_end(struct driver *driver);
/* Whether the kernel has taken all entries up to where the submission queue's tail was @tail; what
   they point to is the driver's again. */
bool enter_has_taken(const struct driver *driver, unsigned int tail);

/* complete.c */
/* Reports the end of a write. */
void complete_write(struct driver *driver, unsigned int lane, struct engine_write_id id, int result,
		    uint64_t now);
/* Reports all completions that are there. Returns how many there were. */
unsigned int complete_all(struct driver *driver);
/* At most so many of them. */
unsigned int complete_some(struct driver *driver, unsigned int limit);

/* turn.c: prepares all that is to be handed to the kernel. Returns how many MADs of it. */
unsigned int turn_fill(struct driver *driver);

#endif
