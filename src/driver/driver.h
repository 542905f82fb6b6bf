/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver: runs an engine on io_uring, or on plain system calls. It writes what the engine asks
 * for, reads MADs from the lanes into buffers of the pool, and reports both to the engine. It is
 * the only code that includes liburing.h (in driver/uring/uring.h). The functions below are those
 * of any driver; where they speak of io_uring, plain system calls have nothing to do.
 */
#ifndef MADRING_DRIVER_H
#define MADRING_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/ring.h>
#include <madring/stats.h>

#include "engine/engine.h"
#include "pool/pool.h"
#include "driver/spin_stats.h"

struct driver;

struct driver_config {
	uint32_t submissions; /* entries of the submission queue */
	uint32_t reads;	      /* receive buffers that it takes from the pool; a power of two */
	enum madring_driver driver;
	enum madring_receive receive;
	uint32_t sqpoll_idle_ms; /* 0: without a kernel thread that submits (SQPOLL) */
	uint32_t spin_us;	 /* madring_config.spin_us */
};

/*
 * Opens the driver and sets io_uring up, unless it uses plain system calls. Call it before other
 * memory is pinned, because io_uring's rings count against the memory-lock limit, too. Returns 0,
 * -EINVAL (MADRING_DRIVER in the environment names no driver), -ENOMEM, -ECHILD (no more
 * processes), -EMFILE or -ENFILE. If only io_uring will do, it may also return -ENOBUFS (the
 * memory-lock limit), -EPERM, -ENOSYS or -EOPNOTSUPP.
 */
int driver_open(struct driver **driver, const struct driver_config *config);

/*
 * Gives the driver its engine and the pool for its receive buffers. Call it once, before all
 * functions below. Returns 0 or -ENOMEM.
 */
int driver_attach(struct driver *driver, struct engine *engine, struct pool *pool);

/*
 * Cancels all requests that are under way, waits for their end and frees the driver. The lanes'
 * files stay open. Returns 0, or the error that has ended io_uring before all requests were
 * reported. After an error keep the driver, its pool and its engine, because the kernel may still
 * use their memory.
 */
int driver_close(struct driver *driver);

/*
 * Tells whether this process is a child that fork(2) has made since the driver was opened. Then
 * io_uring belongs to the parent, and only driver_close() has any effect.
 */
bool driver_is_inherited(const struct driver *driver);

/*
 * Tells, without a system call, whether this process can use the driver. Returns 0 if nothing is
 * known to prevent it. Returns -EREMOTE in a child of fork(2). Otherwise returns the error that has
 * ended io_uring. The caller tells threads apart; io_uring may refuse those that did not open it
 * with -EREMOTE.
 */
int driver_check(const struct driver *driver);

/*
 * Checks the driver as driver_check() does, and then enters io_uring, which may fail for good.
 * Returns 0 or a negative errno.
 */
int driver_try(struct driver *driver);

/*
 * Closes io_uring's fd because entering the kernel fails for good with @error. That ends all
 * requests that are under way. All functions return @error from now on.
 */
void driver_give_up(struct driver *driver, int error);

/*
 * Receives on a lane's file from now on. The file must be non-blocking. Returns 0, -ENOSYS if the
 * configured receive strategy does not work on the file, or a negative errno of
 * io_uring_enter(2).
 */
int driver_lane_open(struct driver *driver, unsigned int lane, int fd);

/* Ends all requests of a lane and waits until they have ended, so that its file can be closed. */
void driver_lane_close(struct driver *driver, unsigned int lane);

/* Returns the monotonic clock, in ns. */
uint64_t driver_clock(void);

/*
 * Does one turn:
 * - submits the engine's writes and the reads that are missing,
 * - waits until something completes,
 * - reports the completions, or a batch of them, to the engine,
 * - fires the engine's timers and submits the segments that these ask for.
 *
 * It waits until @until (by driver_clock(); 0: not at all; ENGINE_NEVER: without end) or until
 * the engine's next deadline at the latest. It does not wait if there is something to call back
 * for. Returns the number of MADs submitted, or a negative errno of io_uring_enter(2), such as
 * -EINTR.
 */
int driver_turn(struct driver *driver, uint64_t until);

/*
 * Waits until the kernel has taken all submitted entries, and reports their completions. No write
 * that was submitted before is made after this. If there is no other way, it gives io_uring up.
 */
void driver_settle(struct driver *driver);

/* Reports all completions, also those that a turn left, without entering the kernel. */
void driver_collect(struct driver *driver);

/* Tells whether the last turn left completions for the next turn. */
bool driver_is_behind(const struct driver *driver);

/*
 * `driver_fd` returns an fd for a foreign event loop, which is readable when a turn has something
 * to do; or a negative errno. A step of the loop begins with `driver_ready_clear` and ends with
 * `driver_arm`. `driver_arm` submits what is left and makes the fd readable at the engine's next
 * deadline or at @until (by driver_clock(); ENGINE_NEVER: no such time) at the latest. Returns 0 or
 * a negative errno of io_uring_enter(2).
 */
int driver_fd(struct driver *driver);
void driver_ready_clear(struct driver *driver);
int driver_arm(struct driver *driver, uint64_t until);

/*
 * Makes the fd readable if transactions have ended between two steps, because they were
 * canceled.
 */
void driver_ready_update(const struct driver *driver);

/* Makes the fd readable if the program is between two steps. */
void driver_ready_signal(const struct driver *driver);

/* Wakes a waiting turn, from any thread. Returns 0 or a negative errno. */
int driver_wake(const struct driver *driver);
/* Tells whether driver_wake() was called since the last call of this function. */
bool driver_was_woken(struct driver *driver);

/*
 * Each takes or releases a MAD's buffer:
 *
 * `driver_give` takes back a receive buffer that the engine has returned, to receive into it
 * again.
 * `driver_keep` releases such a buffer to the caller, and replaces it from the pool.
 * `driver_put` takes back any buffer that the caller returns.
 */
void driver_give(struct driver *driver, struct madring_mad *mad);
void driver_keep(struct driver *driver, const struct madring_mad *mad);
void driver_put(struct driver *driver, struct madring_mad *mad);

/*
 * Receives a copy of the traffic: `seen` is called for each MAD that is sent or received. @bytes
 * counts the umad header and the MAD; @at is a time by driver_clock(), in ns.
 */
struct driver_tap {
	void (*seen)(void *context, unsigned int lane, bool sent, const struct ib_user_mad *umad,
		     size_t bytes, uint64_t at);
	void *context;
};

/* Sets the tap, or removes it with NULL. The driver keeps the pointer. */
void driver_set_tap(struct driver *driver, const struct driver_tap *tap);

/*
 * `driver_entries` returns how many system calls have moved MADs; `driver_is_multishot`, whether
 * lanes receive by multishot reads.
 */
uint64_t driver_entries(const struct driver *driver);
bool driver_is_multishot(const struct driver *driver);

/* Returns what the driver has counted of the waits before which it looked for completions. */
struct spin_stats driver_spin_stats(const struct driver *driver);

/*
 * `driver_kind` returns which driver is in use. `driver_reason` returns the negative errno for
 * which that is not io_uring, or 0; `driver_text` says both in words.
 */
enum madring_driver driver_kind(const struct driver *driver);
int driver_reason(const struct driver *driver);
const char *driver_text(const struct driver *driver);

#endif
