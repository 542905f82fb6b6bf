/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: plays an engine on io_uring. It writes what the engine wants written, reads
 * what arrives on the lanes into buffers of the pool, and reports both to the engine. It is
 * the only code that includes liburing.h (in driver/uring.h).
 */
#ifndef MADRING_DRIVER_H
#define MADRING_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/ring.h>

#include "engine/engine.h"
#include "pool/pool.h"

struct driver;

struct driver_config {
	uint32_t submissions; /* entries of the submission queue */
	uint32_t reads;	      /* receive buffers, taken from the pool; a power of two */
	enum madring_receive receive;
	uint32_t sqpoll_idle_ms; /* 0: no thread of the kernel's submits */
};

/*
 * Sets io_uring up, before anything else is pinned: its rings count against the memory-lock
 * limit, too. 0, -ENOMEM, -ENOBUFS (that limit), -EPERM, -ECHILD (no more processes), -ENOSYS,
 * -EMFILE, -ENFILE.
 */
int driver_open(struct driver **driver, const struct driver_config *config);

/* What it plays, and where its receive buffers come from; once, before all below. 0 or -ENOMEM. */
int driver_attach(struct driver *driver, struct engine *engine, struct pool *pool);

/*
 * Cancels what is under way and waits until nothing is. The lanes' files stay open. Returns 0, or
 * the error that has ended io_uring before all was reported: then the driver, its pool and its
 * engine must be kept, because the kernel may use their memory for a while.
 */
int driver_close(struct driver *driver);

/*
 * `driver_is_inherited` tells whether this process is a child that fork(2) has made since the
 * driver was opened. io_uring belongs to the parent then, and only driver_close() does anything.
 */
bool driver_is_inherited(const struct driver *driver);

/*
 * `driver_check` tells, without a system call, whether the driver can be used here. Returns 0 if
 * nothing is known to prevent it; -EREMOTE in a child of fork(2), or in another thread than the one
 * that opened the driver, if the kernel refuses other threads; or the error that has ended
 * io_uring.
 */
int driver_check(const struct driver *driver);

/* `driver_try` checks the driver like driver_check(), and then enters io_uring, which may fail for
   good. Returns 0 or -errno. */
int driver_try(struct driver *driver);

/*
 * `driver_give_up` closes io_uring's fd because entering the kernel fails for good (@error). That
 * ends all requests that are under way. All functions fail with @error from now on.
 */
void driver_give_up(struct driver *driver, int error);

/*
 * Receives on a lane's file, which must be non-blocking, from now on. 0; -ENOSYS when the
 * receive strategy that was asked for does not work on it; or -errno of io_uring_enter(2).
 */
int driver_lane_open(struct driver *driver, unsigned int lane, int fd);

/* Ends all that is under way on a lane and waits for it, so that its file can be closed. */
void driver_lane_close(struct driver *driver, unsigned int lane);

/* The monotonic clock, in ns. */
uint64_t driver_clock(void);

/*
 * `driver_turn` does one turn. It hands the kernel what the engine wants written and the reads that
 * are missing, waits until something happens, reports what did, or a part of it, fires the engine's
 * timers, and hands over the segments that these ask for. It waits until @until (of driver_clock();
 * 0: not at all; ENGINE_NEVER: for ever) or the engine's next deadline at the latest, and not at
 * all while there is something to call back for. Returns the number of MADs handed over, or -errno
 * of io_uring_enter(2), such as -EINTR.
 */
int driver_turn(struct driver *driver, uint64_t until);

/* Waits until the kernel has taken all that was handed over, and reports what is there: no write
   that was handed over before is made after this. io_uring is given up if that is the only way. */
void driver_settle(struct driver *driver);

/* Reports all that is there, without entering the kernel: what a turn has left, too. */
void driver_collect(struct driver *driver);

/* `driver_is_behind` tells whether the turn has left something for the next one that it saw was
   there. */
bool driver_is_behind(const struct driver *driver);

/*
 * An fd that is readable when a turn has something to do; or -errno. A step of a foreign event
 * loop begins with driver_ready_clear() and ends with driver_arm(), which hands the kernel what
 * is left, and makes the fd readable at the engine's next deadline at the latest. 0 or -errno of
 * io_uring_enter(2).
 */
int driver_fd(struct driver *driver);
void driver_ready_clear(struct driver *driver);
int driver_arm(struct driver *driver);

/* Makes the fd readable when transactions have ended between two steps, by cancelling. */
void driver_ready_update(const struct driver *driver);

/* From any thread. 0 or -errno. */
int driver_wake(const struct driver *driver);
/* Whether it was woken since the last call. */
bool driver_was_woken(struct driver *driver);

/* A buffer that was received in, and that the engine handed back, is used again. */
void driver_give(struct driver *driver, struct madring_mad *mad);
/* Such a buffer is the caller's from now on. */
void driver_keep(struct driver *driver, const struct madring_mad *mad);
/* Takes any buffer that the caller gives back. */
void driver_put(struct driver *driver, struct madring_mad *mad);

/* Who sees what is sent and received, as it is handed over: @bytes with the umad header, @at by
   driver_clock(). */
struct driver_tap {
	void (*seen)(void *context, unsigned int lane, bool sent, const struct ib_user_mad *umad,
		     size_t bytes, uint64_t at);
	void *context;
};

/* NULL: nobody. @tap is kept where it is. */
void driver_set_tap(struct driver *driver, const struct driver_tap *tap);

/* System calls that move MADs; whether lanes receive by multishot reads. */
uint64_t driver_entries(const struct driver *driver);
bool driver_is_multishot(const struct driver *driver);

#endif
