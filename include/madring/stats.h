/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts what a ring does. */
#ifndef MADRING_STATS_H
#define MADRING_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* Counts one class of buffers. */
struct madring_pool_class_stats {
	uint64_t capacity; /* buffers (messages: bytes) */
	uint64_t in_use;
	uint64_t peak;
	uint64_t exhausted; /* times that none was free */
};

/* Counts the buffers of a ring. */
struct madring_pool_stats {
	struct madring_pool_class_stats plain;	 /* 256-byte MADs, receive buffers included */
	struct madring_pool_class_stats large;	 /* 2 KiB MADs */
	struct madring_pool_class_stats message; /* of any size, in bytes */
	uint64_t pinned_bytes;
	uint64_t unpinned_bytes; /* could not be locked (MADRING_PIN_BEST_EFFORT) */
	uint64_t huge_bytes;	 /* of the pinned, in reserved huge pages */
};

/* Summarizes the round trips of answered attempts, in ns. Percentiles are exact to 1 part in 32. */
struct madring_rtt_stats {
	uint64_t count;
	uint64_t min_ns, mean_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
};

/* Counts the messages in segments of agents with MADRING_RMPP_USER. */
struct madring_rmpp_stats {
	uint64_t sent;	   /* messages, acknowledged as a whole */
	uint64_t received; /* messages, put together as a whole */
	uint64_t send_failed, receive_failed;
	uint64_t segments_sent;	    /* written */
	uint64_t segments_resent;   /* of these, repetitions */
	uint64_t segments_received; /* read */
	uint64_t segments_repeated; /* of these, repetitions */
	uint64_t acks_sent, acks_received;
	uint64_t aborts_sent, aborts_received; /* and STOPs */
};

/* Counts the waits before which a ring looked for replies rather than sleep at once. */
struct madring_spin_stats {
	uint64_t hits;	 /* something came meanwhile */
	uint64_t misses; /* nothing came, and the ring slept */
	uint64_t ns;	 /* the time that both took */
};

/* Counts what a ring has done since it was opened. */
struct madring_ring_stats {
	uint64_t accepted;  /* transactions accepted by madring_send() */
	uint64_t completed; /* transactions called back */
	uint64_t sent;	    /* MADs written, every attempt */
	uint64_t received;  /* MADs read, of any kind */
	uint64_t replies;   /* transactions that were answered */
	uint64_t retried;   /* attempts after the first */
	uint64_t timed_out; /* transactions that got no reply */
	uint64_t canceled;
	uint64_t send_failed; /* transactions whose write failed */
	uint64_t device_gone; /* transactions ended by -ENODEV */
	/* Transactions whose reply will never fit, or came in segments without RMPP. */
	uint64_t too_long;
	uint64_t unmatched; /* replies that belong to no transaction: late, duplicated, forged */
	uint64_t requests;  /* received and called back */
	/* Times that an agent's .receive_queue was full, so that more stayed in the kernel. */
	uint64_t requests_left;
	uint64_t unsolicited; /* requests that no agent of this ring is registered for */
	/* MADs of adopted files for other agents than madring's, called back. */
	uint64_t others;
	uint64_t malformed;    /* reads too short to be a MAD */
	uint64_t notices;      /* notices of the kernel that no reply came */
	uint64_t late_replies; /* replies to attempts that had already timed out */
	uint64_t busy;	       /* replies with status BUSY, after which madring retries */
	uint64_t redirected;   /* requests sent to another address because of a redirect */
	uint64_t in_flight;    /* attempts in flight now */
	uint64_t in_flight_peak;
	/* System calls that move MADs: io_uring_enter(2), and read(2) or write(2) for a message
	   longer than one MAD. With plain system calls, every poll(2), read(2) and write(2). */
	uint64_t entries;
	bool multishot;		    /* whether multishot reads receive */
	enum madring_driver driver; /* the one in use: never MADRING_DRIVER_AUTO */
	/* Why io_uring is not in use, as a negative errno: -EPERM (this process may not use it),
	   -ENOSYS (the kernel has none, or madring was built without it), -EOPNOTSUPP (it is older
	   than Linux 5.19), -ENOBUFS (the memory-lock limit is too low for it) or -ENOMEM (there is
	   too little memory for it). 0: it is in use, or the caller or the environment asked for
	   plain system calls. */
	int driver_reason;
	struct madring_rtt_stats rtt;
	struct madring_pool_stats pool;
	struct madring_rmpp_stats rmpp;
	struct madring_spin_stats spin;
};

/* Fills @stats. Makes no system call. */
void madring_stats(const struct madring *ring, struct madring_ring_stats *stats);

/*
 * Returns the ring's driver in words, for a log: "io_uring", or "plain system calls", followed by a
 * colon and the reason if the caller has not asked for them. The text is never freed.
 */
const char *madring_driver_text(const struct madring *ring);

#ifdef __cplusplus
}
#endif
#endif
