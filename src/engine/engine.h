/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine: transactions, TIDs, windows, timers, retries, completions.
 *
 * Pure: it reads no clock, and between its opening and its closing makes no system call and
 * allocates nothing, but for an agent's requests and for RMPP, when these are opened. Time comes in
 * as an argument, in ns, and never goes back. What should be written is pulled out by
 * engine_next_write(), what has ended by engine_next_completion().
 *
 * Buffers are struct ib_user_mad that belong to the caller's pool; the engine only keeps
 * the pointers. A request's buffer comes back with its completion, and a reply's with the
 * completion that it is the outcome of. The driver has one duty beyond this: a completion
 * is only handed out once the write of its request has been reported, so that no buffer
 * is given back while the kernel may still read it.
 */
#ifndef MADRING_ENGINE_H
#define MADRING_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>
#include <madring/ring.h>

#include "base/rtt.h"

struct engine;

#define ENGINE_NEVER UINT64_MAX

struct engine_config {
	uint32_t transactions; /* 1 to MADRING_MAX_TRANSACTIONS */
	uint32_t agents;       /* 1 to MADRING_MAX_AGENTS */
	uint32_t lanes;	       /* 1 to MADRING_MAX_LANES */
	uint32_t flows;	       /* at least .transactions */
	uint64_t tick_ns;      /* > 0 */
	uint64_t seed;	       /* of the jitter, and of the flow table */
	uint64_t now;
};

/* 0, -EINVAL or -ENOMEM. */
int engine_open(struct engine **engine, const struct engine_config *config);
void engine_close(struct engine *engine);

/* Lanes: umad files. A lane's number is the caller's, below engine_config.lanes. */
void engine_lane_open(struct engine *engine, unsigned int lane);

/*
 * The device of a lane is gone: what is in flight on it completes with -ENODEV, and so
 * does what waits for an agent that has no other lane.
 */
void engine_lane_lost(struct engine *engine, unsigned int lane);

/*
 * What is needed for agents with .user_rmpp, before the first of them is opened; after that it has
 * no effect. 0, -EINVAL or -ENOMEM.
 */
struct rmpp_config;
int engine_rmpp_open(struct engine *engine, const struct rmpp_config *config);

struct engine_agent_config {
	uint32_t window;      /* the most in flight */
	uint32_t flow_window; /* the most in flight in one flow */
	bool pin_window;
	bool pin_flow_window;
	bool pin_timeout;	   /* every attempt waits first_timeout_ns */
	bool rmpp;		   /* what it receives may be shorter or longer than a MAD */
	bool user_rmpp;		   /* its messages go in segments that the engine makes */
	uint32_t inbox;		   /* requests that may wait for it; 0: it receives none */
	uint32_t inbox_slack;	   /* that may come once it is known to be full */
	bool others;		   /* it is none of the kernel's (.agent_id is ENGINE_NOBODY), and
				      receives all on its lane that is not for the engine's agents:
				      the program has others on that file */
	uint64_t first_timeout_ns; /* ENGINE_NEVER with pin_timeout: for ever */
	uint64_t min_timeout_ns;
	uint64_t max_timeout_ns;
	unsigned int attempts; /* 1 to 255 */
	bool report_busy;      /* a reply that says BUSY, or redirects, is one like any other */
	bool report_redirects;
	const uint16_t *pkeys; /* the port's P_Keys in host order, kept while the agent is open */
	unsigned int pkey_count;
	unsigned int lane_count;
	struct engine_agent_lane {
		uint32_t lane;
		uint32_t agent_id; /* the kernel's, on that lane */
	} lane[MADRING_MAX_LANES];
};

#define ENGINE_NOBODY UINT32_MAX

/* Whether the kernel's agent of this number on the lane is one of the engine's. */
bool engine_has_agent(const struct engine *engine, unsigned int lane, uint32_t agent_id);

/* Returns the agent's number, or -ENOSPC or -ENOMEM. */
int engine_agent_open(struct engine *engine, const struct engine_agent_config *config);

/*
 * Its transactions are cancelled and it takes no more; the number is used again once the
 * last of them has been handed out. Requests that wait for it must have been dropped.
 */
void engine_agent_close(struct engine *engine, unsigned int agent);

struct engine_agent_state {
	uint32_t window, in_flight, queued;
	uint64_t timeout_ns;
};
void engine_agent_state(const struct engine *engine, unsigned int agent,
			struct engine_agent_state *state);

struct engine_request {
	struct ib_user_mad *umad;
	size_t length;	       /* bytes of MAD, at least 24 */
	uint64_t flow;	       /* 0: by the destination */
	uint64_t timeout_ns;   /* of every attempt, pinned; 0: the agent's way; ENGINE_NEVER */
	unsigned int attempts; /* 0: the agent's */
	bool no_reply;	       /* its TID is the caller's, and may be that of other requests */
	bool by_kernel;	       /* which retries as timeout_ms and retries of .umad say; then
				  .timeout_ns is ENGINE_NEVER and .attempts 1 */
	bool segmented;	       /* by the kernel; by the engine for an agent with .user_rmpp */
	void *callback;	       /* handed back, not looked at */
	void *user;
};

/* Queues a request. 0 and *id, or -EAGAIN (no slot free), -ENODEV, -ESHUTDOWN. */
int engine_send(struct engine *engine, unsigned int agent, const struct engine_request *request,
		uint64_t *id);

/* 0, or -ENOENT when there is no such transaction or it has ended. */
int engine_cancel(struct engine *engine, uint64_t id);
/* All of an agent. Returns how many. */
unsigned int engine_agent_cancel(struct engine *engine, unsigned int agent);
/* All there are, and no more are taken from now on. */
void engine_shutdown(struct engine *engine);

/* What a write carries. */
enum engine_write_kind {
	ENGINE_WRITE_WHOLE,   /* a request, or what has no reply, of a transaction */
	ENGINE_WRITE_SEGMENT, /* what RMPP writes: a segment, an ACK, a STOP or an ABORT */
};

/* Names a write until it is reported. */
struct engine_write_id {
	enum engine_write_kind kind;
	uint32_t number; /* a transaction's slot, or an RMPP frame's */
};

struct engine_write {
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	unsigned int lane;
	struct engine_write_id id; /* for engine_write_done() */
	bool no_reply;		   /* its end is its transaction's */
};

/*
 * The next attempt that the windows admit: its TID, agent, timeout and retries are written
 * into the umad header, and its timer starts. The driver writes it, and reports every one
 * by engine_write_done(). False: nothing may be written now.
 */
bool engine_next_write(struct engine *engine, uint64_t now, struct engine_write *write);

/* `engine_write_of` returns what engine_next_write() gave as @id, until that is reported. */
struct engine_write engine_write_of(const struct engine *engine, struct engine_write_id id);

/*
 * `engine_write_done` reports the end of a write: 0, or -errno when it failed. After -EAGAIN it is
 * made again a tick later, and does not count as an attempt. After -ENOMEM, -ENOBUFS, and -EINVAL
 * of what has no reply, it is made again a bounded number of times, with growing pauses.
 */
void engine_write_done(struct engine *engine, struct engine_write_id id, int error, uint64_t now);

/* Ends all writes that are under way as if they had been cancelled, because the driver will report
   none of them. */
void engine_forget_writes(struct engine *engine, uint64_t now);

/*
 * `engine_next_abort` gives a write that should be cancelled if it is still under way: its
 * attempt's time is up, or its transaction has ended, and neither goes on until engine_write_done()
 * reports it. Returns false if there is none. Each write is given once.
 */
bool engine_next_abort(struct engine *engine, struct engine_write_id *id, unsigned int *lane);

enum engine_receive {
	ENGINE_REPLY,	    /* matched; the buffer comes back with the completion */
	ENGINE_REQUEST,	    /* waits for its agent; the buffer comes back with it */
	ENGINE_NOTICE,	    /* the kernel's timeout notice; for each of these and below */
	ENGINE_DEFERRED,    /* a reply that is none yet: BUSY, or redirected */
	ENGINE_UNMATCHED,   /* the buffer stays the caller's */
	ENGINE_UNSOLICITED, /* a request that no agent wants */
	ENGINE_MALFORMED,
	ENGINE_SEGMENT,	 /* a part of a message, or of the talk about one */
	ENGINE_TOO_LONG, /* a reply that there is no room for, or that is one segment of several:
			    its transaction has ended */
};

/* Whether the buffer is the engine's until it comes back. */
static inline bool engine_keeps(enum engine_receive result)
{
	return result <= ENGINE_REQUEST;
}

/*
 * A read of @bytes bytes (umad header and MAD) on @lane. Every byte of it is untrusted: a
 * reply is matched when TID, kernel's agent, class, attribute, modifier and source (LID, or
 * directed route) are those of the request. A notice for the attempt in flight ends it.
 */
enum engine_receive engine_receive(struct engine *engine, unsigned int lane,
				   struct ib_user_mad *umad, size_t bytes, uint64_t now);

/*
 * The same for a message of more than @bytes, as umad->length has it, of which no more than its
 * beginning could be had: whose reply it is ends with -EMSGSIZE, and a request has that for its
 * status.
 */
enum engine_receive engine_receive_cut(struct engine *engine, unsigned int lane,
				       struct ib_user_mad *umad, size_t bytes);

/* Brings what engine_receive() will touch for @umad into the cache. */
void engine_prefetch(const struct engine *engine, const struct ib_user_mad *umad);

/*
 * `engine_advance` fires the timers that were due at @heard: all that arrived until then has been
 * reported. It never goes back, but may lag behind the time of the other functions, because what
 * arrives is reported a part at a time.
 */
void engine_advance(struct engine *engine, uint64_t heard);
/* When engine_advance() should be called at the latest; ENGINE_NEVER. May be early. */
uint64_t engine_next_deadline(const struct engine *engine);

/* The driver's word that a lane is not read until there is room for a long message, or that it is
   read again: what can be written to another lane meanwhile is. */
void engine_lane_starved(struct engine *engine, unsigned int lane, bool starved);

/* Whether no more should be received on a lane, because an agent's requests are not taken. */
bool engine_lane_is_full(const struct engine *engine, unsigned int lane);

struct engine_received {
	struct ib_user_mad *umad; /* NULL with -ENODEV */
	size_t length;		  /* bytes of MAD that are there */
	int status;		  /* 0; -EMSGSIZE: the rest is not; -ENODEV: no more will come */
	unsigned int agent;
};

/* The next request. Agents are served in turn. False: none. */
bool engine_next_request(struct engine *engine, struct engine_received *received);
/* The next one of an agent. False: none. */
bool engine_next_request_of(struct engine *engine, unsigned int agent,
			    struct engine_received *received);
/* One of an agent that is to be closed; it counts as not wanted. False: none. */
bool engine_drop_request(struct engine *engine, unsigned int agent,
			 struct engine_received *received);
/* Requests that wait; agents to which some may still come. */
uint32_t engine_requests(const struct engine *engine);
uint32_t engine_receivers(const struct engine *engine);

struct engine_completion {
	uint64_t id;
	void *callback;
	void *user;
	int status;
	unsigned int agent;
	struct ib_user_mad *request;
	struct ib_user_mad *reply; /* or NULL */
	size_t length;		   /* bytes of MAD in the reply */
	unsigned int attempts;
	uint64_t rtt_ns;
	uint8_t rmpp_status; /* of the STOP or ABORT that is the reason for the status; or 0 */
};

/* The next outcome, which ends the transaction: its slot is free. False: none. */
bool engine_next_completion(struct engine *engine, struct engine_completion *completion);

/* Accepted and not handed out; collected and not handed out; in flight; waiting. */
uint32_t engine_outstanding(const struct engine *engine);
uint32_t engine_completed(const struct engine *engine);
uint32_t engine_in_flight(const struct engine *engine);
/* False when engine_next_write() would give none. */
bool engine_wants_write(const struct engine *engine);
/* The same of segments, and of what is told of them. */
bool engine_wants_segment(const struct engine *engine);

/* Of messages in segments. All 0 without engine_rmpp_open(). */
struct rmpp_stats;
const struct rmpp_stats *engine_rmpp_stats(const struct engine *engine);

struct engine_stats {
	uint64_t accepted, completed, sent, received, replies, retried, timed_out, canceled,
		send_failed, device_gone, too_long, requests, requests_left, unmatched, unsolicited,
		malformed, notices, late_replies, busy, redirected, others, in_flight_peak;
	struct rtt_histogram rtt;
};
const struct engine_stats *engine_stats(const struct engine *engine);

/* `engine_check` asserts the engine's invariants, after counting all anew. It takes time in
   proportion to the tables. In builds without assertions it does nothing. */
void engine_check(const struct engine *engine);

#endif
