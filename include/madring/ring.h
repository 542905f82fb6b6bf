/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens, runs and closes a ring: one engine, one thread, one io_uring. */
#ifndef MADRING_RING_H
#define MADRING_RING_H

#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* Selects what happens when the buffers cannot be locked into memory (RLIMIT_MEMLOCK). */
enum madring_pin {
	MADRING_PIN_REQUIRED =
		0, /* madring_open(), or madring_mad_alloc_message(), fails with ENOBUFS */
	/* madring_open() and madring_mad_alloc_message() continue with unpinned memory, and count
	   it in madring_stats.pool_unpinned_bytes. */
	MADRING_PIN_BEST_EFFORT,
};

/* Selects the system calls that move MADs. */
enum madring_driver {
	/* io_uring where the process has it, and plain system calls elsewhere. MADRING_DRIVER in
	   the environment may ask for one of the two. */
	MADRING_DRIVER_AUTO = 0,
	MADRING_DRIVER_URING, /* io_uring, which moves many MADs with one system call */
	MADRING_DRIVER_PLAIN, /* poll(2), read(2) and write(2), which need one for each MAD */
};

/* Selects how madring receives MADs by io_uring. Plain system calls ignore it. */
enum madring_receive {
	MADRING_RECEIVE_AUTO = 0,  /* probe when a port is opened: multishot where it delivers */
	MADRING_RECEIVE_MULTISHOT, /* one multishot read a lane over a provided-buffer ring */
	MADRING_RECEIVE_POSTED,	   /* a set of single reads a lane */
};

/* The largest values that madring_open() accepts; it refuses larger ones with -EINVAL. */
#define MADRING_MAX_TRANSACTIONS (1u << 20)
#define MADRING_MAX_LANES	 64u
#define MADRING_MAX_AGENTS	 1024u
#define MADRING_MAX_READS	 32768u
#define MADRING_MAX_BUFFERS	 (1u << 24)
#define MADRING_MAX_SQPOLL_MS	 3600000u
#define MADRING_MAX_SPIN_US	 1000000u

/* A value of madring_config.spin_us: the ring sleeps at once. */
#define MADRING_NO_SPIN UINT32_MAX

/*
 * Describes the limits of a ring, which are fixed when it opens. A NULL pointer and zeroed fields
 * select the defaults, which the comments give after a colon. Later, madring
 * allocates nothing for a MAD; for messages, it pins memory within .message_bytes.
 */
struct madring_config {
	/* The most transactions queued, in flight, or complete and not yet dispatched: 16384. */
	uint32_t transactions;
	/* umad files that each port opens, to keep the kernel's lists short: three eighths of those
	   that the ring has left of MADRING_MAX_LANES, which is 24 for its first port. */
	uint32_t lanes;
	/* Buffers for 256-byte MADs that the caller can take: as many as transactions. */
	uint32_t buffers;
	/* Buffers for 2 KiB MADs (base version 0x80), both to send and to receive: none. */
	uint32_t large_buffers;
	/* The most bytes of pinned memory for messages of any size, both from
	   madring_mad_alloc_message() and received: none, until an agent with RMPP is opened, which
	   makes it 32 MiB. madring pins one page at once, and more as messages need it, as far as
	   the memory-lock limit allows. */
	uint64_t message_bytes;
	/* Buffers to receive into, shared by all ports; a power of two from 64: 4096. */
	uint32_t reads;
	/* The most agents that may be open at once: 64. */
	uint32_t agents;
	/* Destinations whose round trips and windows are remembered: as many as transactions,
	   which is also the minimum. */
	uint32_t flows;
	/* The length of a timer tick, in us: 1000. A timeout is never early, and at most one tick
	   late. */
	uint32_t tick_us;
	enum madring_pin pin;
	enum madring_receive receive;
	/* The seed of the retry jitter and of the hash of destinations; 0: a random one. */
	uint64_t seed;
	/* 0: the ring's thread submits. Otherwise a kernel thread does (SQPOLL), which keeps a
	   processor busy, and sleeps after this many ms without work. It needs io_uring: with
	   MADRING_DRIVER_AUTO no other driver is chosen. MADRING_DRIVER_PLAIN ignores it. */
	uint32_t sqpoll_idle_ms;
	enum madring_driver driver;
	/* The longest time that the ring looks for replies before it sleeps, in us; at most
	   MADRING_MAX_SPIN_US. MADRING_NO_SPIN: it sleeps at once. 0: up to 50, if the last replies
	   came that soon, and the thread may run on more than one processor. The ring looks only
	   while requests are in flight, but fewer than 128, and not in an event loop of the
	   program's (madring_fd()). */
	uint32_t spin_us;
};

/*
 * Opens a ring: allocates and pins its buffers, and sets io_uring up. With MADRING_DRIVER_AUTO,
 * and without .sqpoll_idle_ms, a process that may not use io_uring, or whose kernel has none or one
 * older than Linux 5.19, gets a ring of plain system calls instead.
 * @ring: set on success; closed by madring_close(). @config: copied; may be NULL.
 * Returns 0, or
 *   -EINVAL   a limit of @config is out of range; or
 *             MADRING_DRIVER in the environment is none of "auto", "uring" and "plain"
 *   -ENOMEM   out of memory
 *   -ENOBUFS  the memory-lock limit is too low: raise it (ulimit -l, LimitMEMLOCK=), request fewer
 *             buffers, or use MADRING_PIN_BEST_EFFORT; Linux 6.18, unlike 6.12, also counts
 *             io_uring's rings, about 1 MiB
 *   -EPERM    the process may not use io_uring (sysctl kernel.io_uring_disabled, seccomp), or its
 *             thread (.sqpoll_idle_ms; SELinux)
 *   -ECHILD   the kernel cannot create that thread: the limit on processes is reached (ulimit -u,
 *             TasksMax=)
 *   -ENOSYS   the kernel has no io_uring, or madring was built without it
 *   -EOPNOTSUPP  the kernel's io_uring is older than Linux 5.19
 *   -EMFILE, -ENFILE  out of file descriptors
 */
int madring_open_sized(struct madring **ring, const struct madring_config *config,
		       size_t config_size);
MADRING_SIZED int madring_open(struct madring **ring, const struct madring_config *config)
{
	return madring_open_sized(ring, config, sizeof(*config));
}

/*
 * Closes a ring with its ports and agents. Outstanding transactions first complete with -ECANCELED,
 * through their callbacks; madring_send() called from those fails with -ESHUTDOWN. Accepts NULL. In
 * a child of fork(2) it frees the child's copy, and calls nothing back.
 * Returns 0, or
 *   -EBUSY    called from a callback; the ring stays open
 *   -EREMOTE  called from another thread than the one that opened the ring
 *   other     an error of io_uring_enter(2), which fails for good
 * With the last two errors the ring is closed, but where the kernel may still use the memory of its
 * buffers, it remains mapped.
 */
int madring_close(struct madring *ring);

/*
 * Writes what the windows admit, up to the limit of one system call (several thousand MADs),
 * without waiting and without calling back. madring_run() and madring_step() also do this. Where a
 * kernel thread submits, it writes them soon afterwards.
 * Returns the number of MADs written, -EREMOTE as madring_run(), or an error of io_uring_enter(2).
 */
int madring_submit(struct madring *ring);

/*
 * Submits queued requests, waits for a completion or a received request, and calls back for
 * everything that is complete or received.
 * @timeout_ms: the longest wait; 0 does not wait, MADRING_FOREVER. Returns at once when nothing is
 * outstanding, no agent can receive requests, and no file is adopted.
 * Returns the number of completions and requests called back (0 when the time elapsed, a
 * batch is done, or madring_wake() was called), or
 *   -EINTR    a signal arrived first, and the program has a handler for signals; nothing is lost:
 *             run again, or cancel
 *   -EBUSY    called from a callback
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 *   other     an error of io_uring_enter(2); if it happens again, close the ring. It is -EIO when
 *             the call has failed with EAGAIN, EBUSY or EINTR for 5 s
 */
int madring_run(struct madring *ring, int timeout_ms);

/*
 * Does what is ready without waiting: receives, fires timers, writes, and calls back. Call it when
 * madring_fd() is readable. Returns as madring_run().
 */
int madring_step(struct madring *ring);

/*
 * Calls back for at most @budget (0: all) completions and requests that have already been
 * collected. Makes no system call. Returns their number, or -EBUSY from a callback, or -EREMOTE
 * when the ring belongs to another thread.
 */
int madring_dispatch(struct madring *ring, unsigned int budget);

/*
 * Returns a file descriptor for poll(2), epoll(7) or another event loop, which is readable when
 * madring_step() has something to do, timers included. The ring owns the descriptor: only wait on
 * it. Call madring_step() once before the first wait, and after sending from outside a callback.
 * Returns -EMFILE, -ENFILE or -ENOMEM on an error, or -EREMOTE as madring_run().
 */
int madring_fd(struct madring *ring);

/*
 * Makes madring_run() return, now or at its next call, and madring_fd() readable. It is the only
 * function that any thread, or a signal handler, may call on a ring. Returns 0 or -errno of
 * write(2).
 */
int madring_wake(struct madring *ring);

/* Returns the number of accepted transactions that have not been called back. */
unsigned int madring_outstanding(const struct madring *ring);

#ifdef __cplusplus
}
#endif
#endif
