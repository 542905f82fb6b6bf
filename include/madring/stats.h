/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts what a ring does. */
#ifndef MADRING_STATS_H
#define MADRING_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/ring.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* Counts what a ring has done since it was opened. */
struct madring_stats {
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

	/* The round trips of answered attempts. Percentiles are exact to 1 part in 32. */
	uint64_t rtt_count;
	uint64_t rtt_min_ns, rtt_mean_ns, rtt_max_ns;
	uint64_t rtt_p50_ns, rtt_p90_ns, rtt_p99_ns, rtt_p999_ns;

	/* Buffers: of 256-byte MADs, receive buffers included; of 2 KiB MADs; and of messages of
	   any size, in bytes. ..._exhausted counts the times that none was free. */
	uint64_t pool_plain_capacity, pool_plain_in_use, pool_plain_peak, pool_plain_exhausted;
	uint64_t pool_large_capacity, pool_large_in_use, pool_large_peak, pool_large_exhausted;
	uint64_t pool_message_capacity, pool_message_in_use, pool_message_peak;
	uint64_t pool_message_exhausted;
	uint64_t pool_pinned_bytes;
	uint64_t pool_unpinned_bytes; /* could not be locked (MADRING_PIN_BEST_EFFORT) */
	uint64_t pool_huge_bytes;     /* of the pinned, in reserved huge pages */

	/* The messages in segments of agents with MADRING_RMPP_USER. */
	uint64_t rmpp_sent;	/* messages, acknowledged as a whole */
	uint64_t rmpp_received; /* messages, put together as a whole */
	uint64_t rmpp_send_failed, rmpp_receive_failed;
	uint64_t rmpp_segments_sent;	 /* written */
	uint64_t rmpp_segments_resent;	 /* of these, repetitions */
	uint64_t rmpp_segments_received; /* read */
	uint64_t rmpp_segments_repeated; /* of these, repetitions */
	uint64_t rmpp_acks_sent, rmpp_acks_received;
	uint64_t rmpp_aborts_sent, rmpp_aborts_received; /* and STOPs */

	/* The waits before which the ring looked for replies rather than sleep at once. */
	uint64_t spin_hits;   /* something came meanwhile */
	uint64_t spin_misses; /* nothing came, and the ring slept */
	uint64_t spin_ns;     /* the time that both took */
};

/* Fills @stats. Makes no system call. */
void madring_get_stats_sized(const struct madring *ring, struct madring_stats *stats,
			     size_t stats_size);
MADRING_SIZED void madring_get_stats(const struct madring *ring, struct madring_stats *stats)
{
	madring_get_stats_sized(ring, stats, sizeof(*stats));
}

/*
 * Returns the ring's driver in words, for a log: "io_uring", or "plain system calls", followed by a
 * colon and the reason if the caller has not asked for them. The text is never freed.
 */
const char *madring_driver_text(const struct madring *ring);

#ifdef __cplusplus
}
#endif
#endif
