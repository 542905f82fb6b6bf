/* SPDX-License-Identifier: BSD-2-Clause */
/* What a ring has done. */
#ifndef MADRING_STATS_H
#define MADRING_STATS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;

/* One class of buffers. */
struct madring_pool_class_stats {
	uint64_t capacity; /* buffers (messages: bytes) */
	uint64_t in_use;
	uint64_t peak;
	uint64_t exhausted; /* times that none could be had */
};

struct madring_pool_stats {
	struct madring_pool_class_stats plain;	 /* 256-byte MADs, receive buffers included */
	struct madring_pool_class_stats large;	 /* 2 KiB MADs */
	struct madring_pool_class_stats message; /* of any size, in bytes */
	uint64_t pinned_bytes;
	uint64_t unpinned_bytes; /* could not be locked (MADRING_PIN_BEST_EFFORT) */
	uint64_t huge_bytes;	 /* of the pinned, in reserved huge pages */
};

/* Round trips of answered attempts, in ns. Percentiles are exact to 1 part in 32. */
struct madring_rtt_stats {
	uint64_t count;
	uint64_t min_ns, mean_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns, p999_ns;
};

/* Messages in segments of agents with MADRING_RMPP_USER. */
struct madring_rmpp_stats {
	uint64_t sent;	   /* messages, acknowledged as a whole */
	uint64_t received; /* likewise, put together */
	uint64_t send_failed, receive_failed;
	uint64_t segments_sent;	    /* written */
	uint64_t segments_resent;   /* of these, not for the first time */
	uint64_t segments_received; /* read */
	uint64_t segments_repeated; /* of these, not for the first time */
	uint64_t acks_sent, acks_received;
	uint64_t aborts_sent, aborts_received; /* and STOPs */
};

struct madring_ring_stats {
	uint64_t accepted;  /* transactions that madring_send() took */
	uint64_t completed; /* transactions called back */
	uint64_t sent;	    /* MADs written, every attempt */
	uint64_t received;  /* MADs read, of any kind */
	uint64_t replies;   /* transactions that were answered */
	uint64_t retried;   /* attempts after the first */
	uint64_t timed_out; /* transactions that were never answered */
	uint64_t canceled;
	uint64_t send_failed; /* transactions whose write failed */
	uint64_t device_gone; /* transactions ended by -ENODEV */
	/* Transactions whose reply there was no room for, or whose agent has no RMPP for it. */
	uint64_t too_long;
	uint64_t unmatched; /* replies that belong to no transaction: late, doubled, forged */
	uint64_t requests;  /* received and called back */
	/* Times that an agent's queue of them was full, so that more was left in the kernel. */
	uint64_t requests_left;
	uint64_t unsolicited; /* requests that nobody here is registered for, or is any more */
	/* Read from adopted files for others than madring's agents, and called back. */
	uint64_t others;
	uint64_t malformed;    /* reads too short to be a MAD */
	uint64_t notices;      /* timeout notices of the kernel */
	uint64_t late_replies; /* answered by an attempt whose time was up already */
	uint64_t busy;	       /* replies of status BUSY that are retried */
	uint64_t redirected;   /* requests sent elsewhere, as a node wished */
	uint64_t in_flight;    /* attempts in flight now */
	uint64_t in_flight_peak;
	/* System calls that move MADs: io_uring_enter(2), and read(2) or write(2) for a message
	   that is longer than one MAD. */
	uint64_t entries;
	bool multishot; /* the receive strategy in use */
	struct madring_rtt_stats rtt;
	struct madring_pool_stats pool;
	struct madring_rmpp_stats rmpp;
};

/* Fills @stats. No system call. */
void madring_stats(const struct madring *ring, struct madring_ring_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
