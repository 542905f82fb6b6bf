/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring: one engine, one thread, one io_uring. Opening, running, closing. */
#ifndef MADRING_RING_H
#define MADRING_RING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* What to do when the buffers cannot be locked into memory (RLIMIT_MEMLOCK). */
enum madring_pin {
	MADRING_PIN_REQUIRED = 0, /* madring_open(), or madring_mad_alloc(), fails with ENOBUFS */
	/* madring_open() and madring_mad_alloc() go on with unpinned memory;
	   madring_ring_stats.pool.unpinned_bytes says how much. */
	MADRING_PIN_BEST_EFFORT,
};

/* How MADs are received. */
enum madring_receive {
	MADRING_RECEIVE_AUTO = 0,  /* probe when a port is opened: multishot where it delivers */
	MADRING_RECEIVE_MULTISHOT, /* one multishot read a lane over a provided-buffer ring */
	MADRING_RECEIVE_POSTED,	   /* a set of single reads a lane */
};

/* The largest values that madring_open() takes; larger ones are refused with -EINVAL. */
#define MADRING_MAX_TRANSACTIONS (1u << 20)
#define MADRING_MAX_LANES	 64u
#define MADRING_MAX_AGENTS	 1024u
#define MADRING_MAX_READS	 32768u
#define MADRING_MAX_BUFFERS	 (1u << 24)
#define MADRING_MAX_SQPOLL_MS	 3600000u

/*
 * The limits of a ring, fixed when it opens. A zeroed struct, or NULL, means the
 * defaults. Nothing is allocated afterwards on the path of a MAD.
 */
struct madring_config {
	/* Transactions queued, in flight or completed and not yet dispatched: 16384. */
	uint32_t transactions;
	/* umad files that each port opens, so that no kernel list grows long: three in eight of
	   those that the ring has left of MADRING_MAX_LANES, which is 24 for its first port. */
	uint32_t lanes;
	/* Buffers of 256-byte MADs for the caller: as many as transactions. */
	uint32_t buffers;
	/* Buffers of 2 KiB (base version 0x80) MADs, for the caller and for those received:
	   none. */
	uint32_t large_buffers;
	/* The most bytes of pinned memory for messages of any size, see madring_mad_alloc(), those
	   received included: none, until an agent with RMPP is opened, which makes it 32 MiB.
	   256 KiB are pinned at once, and more as messages need it. */
	uint64_t message_bytes;
	/* Buffers that receive, shared by all ports; a power of two from 64: 4096. */
	uint32_t reads;
	/* Agents that may be open at once: 64. */
	uint32_t agents;
	/* Destinations whose round trips and windows are remembered: as many as transactions;
	   at least that many are taken. */
	uint32_t flows;
	/* The length of a tick of the timing wheel, in us: 1000. A timeout is never early and
	   at most a tick late. */
	uint32_t tick_us;
	enum madring_pin pin;
	enum madring_receive receive;
	/* Seeds the jitter of retries, and the hash of destinations; 0: a random one. */
	uint64_t seed;
	/* 0: madring_run() and the like submit. Else a thread of the kernel's does (SQPOLL), which
	   keeps a processor busy, and sleeps after so many ms without work. */
	uint32_t sqpoll_idle_ms;
	/* Must be zero. */
	uint32_t reserved[7];
};

/*
 * Opens a ring: allocates and pins its buffers, sets io_uring up.
 * @ring: set on success; closed by madring_close(). @config: copied; may be NULL.
 * Returns 0, or
 *   -EINVAL   a limit of @config is out of range, or a reserved field is not zero
 *   -ENOMEM   out of memory
 *   -ENOBUFS  the memory-lock limit is too low: raise it (ulimit -l, LimitMEMLOCK=), ask
 *             for fewer buffers, or for best effort where pinning was required; kernels
 *             such as 6.18 (6.12 does not) count the rings of io_uring as well, about 1 MiB
 *   -EPERM    io_uring is forbidden here (sysctl kernel.io_uring_disabled, seccomp), or its
 *             thread is (.sqpoll_idle_ms; SELinux)
 *   -ECHILD   its thread cannot be made: there are as many processes as there may be (ulimit
 *             -u, TasksMax=)
 *   -ENOSYS   the kernel has no io_uring, or one without what is needed (5.19 or later)
 *   -EMFILE, -ENFILE  out of file descriptors
 */
int madring_open(struct madring **ring, const struct madring_config *config);

/*
 * Closes a ring with its ports and agents. What is outstanding completes first, with
 * -ECANCELED, through its callbacks; a madring_send() from those fails with -ESHUTDOWN.
 * NULL is accepted. In a child of fork(2) it frees the child's copy, and calls nothing back.
 * Returns 0, or
 *   -EBUSY    called from a callback
 *   -EREMOTE  called from another thread than the one that opened the ring
 *   other     of io_uring_enter(2), which fails for good
 * With the last two it is closed all the same, but the memory of its buffers remains mapped.
 */
int madring_close(struct madring *ring);

/*
 * Hands what the windows admit to the kernel, as much as one system call takes (some
 * thousands), without waiting and without calling back. madring_run() and madring_step()
 * do so themselves. Where a thread of the kernel's submits, it writes them soon afterwards.
 * Returns the number of MADs handed over, -EREMOTE as madring_run(), or a negative errno value
 * of io_uring_enter(2).
 */
int madring_submit(struct madring *ring);

/*
 * Submits, waits until something completes or a request is received, and calls back for all
 * that has.
 * @timeout_ms: at most so long; 0 does not wait, -1 waits for ever. Returns at once
 * when nothing is outstanding, no agent can receive requests, and no file is adopted.
 * Returns the number of callbacks, of completions and requests (0: the time was up, or
 * madring_wake() was called), or
 *   -EINTR    a signal came first; nothing is lost, run again or cancel
 *   -EBUSY    called from a callback
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 *   other     of io_uring_enter(2); if it comes again, close the ring
 */
int madring_run(struct madring *ring, int timeout_ms);

/*
 * Does what is ready without waiting: receives, fires timers, writes, and dispatches.
 * To be called when madring_fd() is readable. Returns as madring_run().
 */
int madring_step(struct madring *ring);

/*
 * Calls back for at most @budget completions and requests that have already been collected
 * (0: all), and makes no system call. Returns for how many, or -EBUSY from a callback.
 */
int madring_dispatch(struct madring *ring, unsigned int budget);

/*
 * A file descriptor for poll(2), epoll(7) or another event loop: readable when
 * madring_step() has something to do, timers included. Owned by the ring. Call
 * madring_step() once before the first wait, and after sending from outside a callback.
 * Returns the descriptor, or -EMFILE, -ENFILE, -ENOMEM, or -EREMOTE as madring_run().
 */
int madring_fd(struct madring *ring);

/*
 * Makes madring_run() return, now or at its next call, or madring_fd() readable. The one
 * function that any thread, or a signal handler, may call. Returns 0 or -errno.
 */
int madring_wake(struct madring *ring);

/* Transactions that were accepted and not yet called back. */
unsigned int madring_outstanding(const struct madring *ring);

#ifdef __cplusplus
}
#endif
#endif
