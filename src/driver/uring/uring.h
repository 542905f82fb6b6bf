/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the io_uring driver, and the functions that its files call in each other. */
#ifndef MADRING_DRIVER_URING_H
#define MADRING_DRIVER_URING_H

#include <liburing.h>

#include "driver/driver_state.h"

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

/* A lane's requests. */
struct uring_lane {
	bool armed;	  /* its multishot read is under way */
	bool disarming;	  /* that read is being canceled */
	bool watched;	  /* its poll is under way */
	uint32_t posted;  /* single reads under way */
	uint32_t pending; /* requests of any kind under way */
};

/* io_uring's name for the group of provided buffers. */
#define BUFFER_GROUP 0

struct uring {
	struct io_uring ring;
	struct uring_lane lane[MADRING_MAX_LANES];
	struct io_uring_buf_ring *buffers; /* the ring of provided buffers */
	uint64_t wake_count;		   /* where the read of .wake_fd puts its result */
	bool wake_posted;
	bool mark_seen;
	struct __kernel_timespec timer;
	unsigned int timer_entry; /* the submission queue's tail after the last entry with .timer */
	uint32_t pending;	  /* requests under way, with those of lanes */
	uint64_t peeked_at;	  /* when the completions of driver.uncollected were seen */
	uint64_t waits_since;	  /* when the wait of this turn has begun; 0: it did not wait */
	bool slept;		  /* this thread slept in that wait */
	uint32_t long_writes;	  /* long MADs written in this turn: they have no completion */
	bool quiet;		  /* nothing arrived during the last wait */
	uint64_t idle_ns;	  /* how long the program has waited since a MAD arrived */
	uint64_t idle_arrived;	  /* driver.arrived when .idle_ns was last added to */
	uint64_t refused_since;	  /* when entries have begun to fail; 0: the last one did not */
	uint64_t refused_at;	  /* when the last one has failed */
	struct io_uring_sqe spare_sqe; /* takes what will never be submitted: see enter_sqe() */
};

/*
 * provide.c: the ring of provided buffers.
 *
 * `provide_open` makes the ring. Returns 0 or a negative errno.
 * `provide_close` removes it: all its buffers are at hand again.
 * `provide_unmap` frees the memory of a ring that the kernel does not use any more, or that is
 * the parent's.
 * `provide_buffers` provides as many buffers to the kernel as may be needed.
 */
int provide_open(struct driver *driver);
void provide_close(struct driver *driver);
void provide_unmap(struct driver *driver);
void provide_buffers(struct driver *driver);

/*
 * lane.c
 *
 * `lanes_fill` prepares the reads and polls that lanes lack.
 * `lane_cancel` asks the kernel to cancel all requests of a lane.
 */
void lanes_fill(struct driver *driver);
void lane_cancel(struct driver *driver, unsigned int lane);

/*
 * ready_fd.c
 *
 * `ready_open` opens driver.ready_fd unless it is open. The kernel signals it after a completion
 * while io_uring_cq_eventfd_toggle(3) lets it. Returns 0 or a negative errno.
 * `ready_wait` waits for that signal, or for driver_wake(), until a time by driver_clock(). Returns
 * 0, also when the time is up, or a negative errno.
 */
int ready_open(struct driver *driver);
int ready_wait(const struct driver *driver, uint64_t until);

/*
 * idle.c
 *
 * Submits as enter_ring() does, and waits without being counted as waiting for a disk. Returns a
 * result of io_uring_enter(2).
 */
int idle_wait(struct driver *driver, unsigned int submit, unsigned int count, unsigned int flags,
	      uint64_t wait_ns);

/*
 * entry.c: one entry into the kernel.
 *
 * `enter_has_room` tells whether the queue has room for writes and posted reads. The rest of the
 * queue is reserved for requests that cannot wait.
 * `enter_tag` sets the user_data of a lane's request, and counts it.
 * `enter_may_bring_more` tells whether entering the kernel may bring completions that are ready
 * now.
 * `enter_ring` calls io_uring_enter(2) once: it submits @submit entries and waits up to @wait_ns
 * for @count completions. Returns its result.
 * `enter_has_taken` tells whether the kernel has taken all entries before @tail, an earlier tail of
 * the submission queue. Then the memory that they point to may change.
 */
bool enter_has_room(const struct driver *driver);
void enter_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
	       unsigned int lane, uint32_t value);
bool enter_may_bring_more(const struct driver *driver);
int enter_ring(struct driver *driver, unsigned int submit, unsigned int count, unsigned int flags,
	       uint64_t wait_ns);
bool enter_has_taken(const struct driver *driver, unsigned int tail);

/*
 * enter.c: entering the kernel as often as it takes.
 *
 * `enter_sqe` returns a submission queue entry. It submits a full queue first. If that fails for
 * good, the entry does not belong to the queue and is never submitted.
 * `enter_kernel` submits, and waits up to @wait_ns for @count completions. Returns 0 or a
 * negative errno.
 * `enter_and_report` waits for a completion, and reports all that there are. Returns 0, or the
 * error after which it has given io_uring up.
 */
struct io_uring_sqe *enter_sqe(struct driver *driver);
int enter_kernel(struct driver *driver, unsigned int count, uint64_t wait_ns);
int enter_and_report(struct driver *driver);

/*
 * interrupt.c
 *
 * `interrupt_is_real` tells, after an io_uring_enter(2) that returned EINTR, whether that was for a
 * signal.
 * `interrupt_has_handler` tells whether the program has a handler for a signal that interrupts its
 * waits.
 * `refusal_note` notes that an entry has failed with EAGAIN or EBUSY, or with EINTR without a
 * signal, and pauses. Returns 0; or -EIO when entries have failed for some seconds.
 */
bool interrupt_is_real(struct driver *driver);
bool interrupt_has_handler(void);
int refusal_note(struct driver *driver);

/*
 * wait.c: the wait of a turn.
 *
 * `wait_for` submits, and waits up to @wait_ns for @count completions, those of @writes writes
 * among them. Returns 0 or a negative errno.
 * `wait_end` records how long that was. Call it when driver.uring->peeked_at is set.
 */
int wait_for(struct driver *driver, unsigned int writes, unsigned int count, uint64_t wait_ns);
void wait_end(struct driver *driver);

/*
 * complete.c: reporting completions to the engine.
 *
 * `complete_all` reports all completions. Returns how many there were.
 * `complete_some` reports at most @limit completions. Returns how many there were.
 */
unsigned int complete_all(struct driver *driver);
unsigned int complete_some(struct driver *driver, unsigned int limit);

/*
 * The operations, by file.
 *
 * turn.c; `turn_fill` prepares all that is to be submitted. It returns how many of the entries are
 * writes.
 */
unsigned int turn_fill(struct driver *driver);
int uring_turn(struct driver *driver, uint64_t until);
void uring_collect(struct driver *driver);

/* enter.c */
int uring_try(struct driver *driver);

/* lane.c */
int uring_lane_open(struct driver *driver, unsigned int lane);
void uring_lane_close(struct driver *driver, unsigned int lane);
void uring_settle(struct driver *driver);

/* ready_fd.c */
void uring_ready_clear(struct driver *driver);

/* ready.c */
int uring_fd(struct driver *driver);
int uring_arm(struct driver *driver);

#endif
