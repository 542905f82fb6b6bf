/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine: transactions, TIDs, windows, timers, retries, completions.
 *
 * The engine is pure. It reads no clock and makes no system call. It allocates memory only while
 * the engine, an agent or RMPP is opened. The caller passes the time to each function, in ns; it
 * never goes back. engine_next_write() returns what the driver has to write;
 * engine_next_completion() returns the transactions that have ended.
 *
 * Buffers are struct ib_user_mad and belong to the caller's pool; the engine only keeps pointers
 * to them. A completion returns the buffer of its request and that of its reply. A completion
 * becomes available only after the driver has reported the write of its request: until then the
 * kernel may still read the buffer.
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
	uint64_t seed;	       /* of the timers' jitter, the first TIDs and the flow table */
	uint64_t now;
};

/* Opens an engine. Returns 0, -EINVAL (a value of @config is out of range) or -ENOMEM. */
int engine_open(struct engine **engine, const struct engine_config *config);
/* Closes an engine and frees its memory. Accepts NULL. */
void engine_close(struct engine *engine);

/*
 * Marks a lane as open. A lane is one open umad file. The caller numbers the lanes from 0; each
 * number is below engine_config.lanes.
 */
void engine_lane_open(struct engine *engine, unsigned int lane);

/*
 * Records that the device of a lane is gone. The requests in flight on the lane complete with
 * -ENODEV. If an agent has no other open lane, its queued requests do, too.
 */
void engine_lane_lost(struct engine *engine, unsigned int lane);

/*
 * Prepares RMPP. Call it before the first agent with .user_rmpp is opened; later calls have no
 * effect. Returns 0, -EINVAL (a value of @config is out of range) or -ENOMEM.
 */
struct rmpp_config;
int engine_rmpp_open(struct engine *engine, const struct rmpp_config *config);

#define ENGINE_MOST_REGISTRATIONS 256u	 /* of one agent */
#define ENGINE_MOST_HELD	  65535u /* by the kernel for one registration */

struct engine_agent_config {
	uint32_t window;      /* the most attempts in flight */
	uint32_t flow_window; /* the most attempts in flight in one flow */
	uint32_t flow_first;  /* the attempts in flight in a new flow; 0: flow_window */
	uint64_t queue_ns;    /* the longest time that attempts may wait in queues */
	bool pin_window;
	bool pin_flow_window;
	bool pin_timeout;     /* every attempt waits first_timeout_ns */
	bool rmpp;	      /* it receives RMPP messages, which need not have a MAD's length */
	bool user_rmpp;	      /* the engine, not the kernel, splits and joins its messages */
	uint8_t mgmt_class;   /* of the requests that it receives, or any SMP; 0: any */
	uint8_t lmc;	      /* of the port: others have as many LIDs */
	uint32_t inbox;	      /* requests that may wait for it; 0: it receives none */
	uint32_t inbox_slack; /* room for what is read after .inbox requests wait */
	bool others;	      /* it receives what its lane has for the program's own agents;
				 its .agent_id is ENGINE_NOBODY */
	uint64_t first_timeout_ns; /* until a round trip is known; ENGINE_NEVER only with
				      .pin_timeout */
	uint64_t min_timeout_ns;
	uint64_t max_timeout_ns;
	/*
	 * How long a request may have no reply, over all its attempts, unless its timeout is fixed;
	 * 0: as long as its attempts. With .is_patient, the last attempt waits until then.
	 */
	uint64_t patience_ns;
	bool is_patient;
	unsigned int attempts; /* 1 to 255 */
	bool report_busy;      /* a BUSY reply completes its request, as any other reply does */
	bool report_redirects; /* so does a redirect */
	const uint16_t *pkeys; /* the port's P_Keys in host order, kept while the agent is open */
	unsigned int pkey_count;
	/*
	 * Requests of one registration that the kernel puts on the wire at once; 0: no limit. The
	 * engine never lets the kernel hold more. At most ENGINE_MOST_HELD.
	 */
	uint32_t kernel_limit;
	/* The agent's registrations. Several of them may have the same lane. */
	unsigned int lane_count;
	struct engine_agent_lane {
		uint32_t lane;
		uint32_t agent_id; /* the number that the kernel gave the agent on that lane */
	} lane[ENGINE_MOST_REGISTRATIONS];
};

#define ENGINE_NOBODY UINT32_MAX

/* Tells whether the kernel's agent @agent_id on a lane belongs to one of the engine's agents. */
bool engine_has_agent(const struct engine *engine, unsigned int lane, uint32_t agent_id);

/* Opens an agent. Returns its number, -ENOSPC (engine_config.agents are open) or -ENOMEM. */
int engine_agent_open(struct engine *engine, const struct engine_agent_config *config);

/*
 * Closes an agent: its transactions are canceled, and it takes no more. The number is used again
 * once the last of them has completed. The caller must have dropped the requests that wait for
 * it.
 */
void engine_agent_close(struct engine *engine, unsigned int agent);

/*
 * Reports an agent's window, its attempts in flight, its queue, the requests that the kernel holds,
 * and the timeout of a new flow.
 */
struct engine_agent_state {
	uint32_t window, in_flight, queued;
	uint32_t overtaken; /* attempts in flight that take no place in the window */
	uint32_t kernel_limit, kernel_held;
	uint64_t timeout_ns;
};
void engine_agent_state(const struct engine *engine, unsigned int agent,
			struct engine_agent_state *state);

struct engine_request {
	struct ib_user_mad *umad;
	size_t length;	     /* bytes of MAD, at least 24 */
	uint64_t flow;	     /* the caller's name of the flow; 0: the destination decides */
	uint64_t timeout_ns; /* of every attempt, may be ENGINE_NEVER; 0: the engine estimates it */
	unsigned int attempts; /* 0: as the agent's configuration says */
	/*
	 * No reply is expected. The TID is the caller's, who may use it for other requests, too. A
	 * request that is not segmented and has TID 0 gets one of the engine's until it ends.
	 */
	bool no_reply;
	bool by_kernel; /* the kernel retries, by timeout_ms and retries of .umad; then
			   .timeout_ns is ENGINE_NEVER and .attempts is 1 */
	bool careful;	/* not to be repeated before it is certainly late */
	bool segmented; /* RMPP splits it: the kernel's, or the engine's with .user_rmpp */
	void *callback; /* the completion returns both; the engine uses neither */
	void *user;
};

/*
 * Queues a request and stores its transaction's id. Returns 0, -EAGAIN (no slot is free), -ENODEV
 * (the agent has no open lane) or -ESHUTDOWN (the agent or the engine is closing).
 */
int engine_send(struct engine *engine, unsigned int agent, const struct engine_request *request,
		uint64_t *id);

/* Cancels a transaction. Returns 0, or -ENOENT if it does not exist or has ended. */
int engine_cancel(struct engine *engine, uint64_t id);
/* Cancels all transactions of an agent. Returns how many. */
unsigned int engine_agent_cancel(struct engine *engine, unsigned int agent);
/* Cancels all transactions; the engine accepts no more from now on. */
void engine_shutdown(struct engine *engine);

/* The kinds of writes. */
enum engine_write_kind {
	ENGINE_WRITE_WHOLE,   /* a transaction's request in one piece */
	ENGINE_WRITE_SEGMENT, /* an RMPP frame: a segment, an ACK, a STOP or an ABORT */
};

/* Identifies a write until its end is reported. */
struct engine_write_id {
	enum engine_write_kind kind;
	uint32_t number; /* a transaction's slot, or an RMPP frame's */
};

struct engine_write {
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	unsigned int lane;
	struct engine_write_id id; /* for engine_write_done() */
	bool no_reply;		   /* the transaction ends with this write */
};

/*
 * Starts the next attempt that the windows admit and describes its write. It fills in the umad
 * header and the TID, and starts the attempt's timer. The driver must report each write by
 * engine_write_done(). Returns false if nothing may be written now.
 */
bool engine_next_write(struct engine *engine, uint64_t now, struct engine_write *write);

/* Returns the write that engine_next_write() described with @id, until its end is reported. */
struct engine_write engine_write_of(const struct engine *engine, struct engine_write_id id);

/*
 * Reports the end of a write; @error is 0 or a negative errno. After -EAGAIN the engine writes
 * the request again a tick later, and does not count an attempt. After -ENOMEM, -ENOBUFS, and
 * -EINVAL of a request without a reply, it tries a bounded number of times, with growing pauses.
 */
void engine_write_done(struct engine *engine, struct engine_write_id id, int error, uint64_t now);

/*
 * Ends all writes that are under way as if they had been canceled. For a driver that will report
 * none of them.
 */
void engine_forget_writes(struct engine *engine, uint64_t now);

/*
 * Returns a write to cancel if it is still under way: its attempt's timeout has passed, or its
 * transaction has ended. The engine waits for engine_write_done() before it goes on with either.
 * Returns false if there is none. It returns each write only once.
 */
bool engine_next_abort(struct engine *engine, struct engine_write_id *id, unsigned int *lane);

/*
 * The outcome of engine_receive(). The caller keeps the MAD's buffer unless engine_keeps() says
 * otherwise.
 */
enum engine_receive {
	ENGINE_REPLY,	    /* it matched a request; the completion returns the buffer */
	ENGINE_REQUEST,	    /* it waits for its agent; engine_next_request() returns the buffer */
	ENGINE_NOTICE,	    /* the kernel's notice of a timeout */
	ENGINE_DEFERRED,    /* a BUSY reply or a redirect: the transaction goes on */
	ENGINE_UNMATCHED,   /* a reply to none of the transactions */
	ENGINE_UNSOLICITED, /* a request that no agent receives, or has no room for */
	ENGINE_MALFORMED,   /* too short for what it is */
	ENGINE_SEGMENT,	    /* RMPP took it */
	ENGINE_TOO_LONG,    /* a reply that has no room, or of which only one segment comes: its
			       transaction has ended */
};

/* Tells whether the engine keeps the buffer of a MAD until it returns it. */
static inline bool engine_keeps(enum engine_receive result)
{
	return result <= ENGINE_REQUEST;
}

/*
 * Records how late, in ns, the MADs may be read that the driver reports from now on, because its
 * thread did not run. If that is much of a round trip, it is no measure of the network.
 */
void engine_late(struct engine *engine, uint64_t late_ns);

/*
 * Takes a MAD that was read on @lane; @bytes counts the umad header and the MAD. It trusts no
 * byte of it. A reply matches a request if TID, kernel agent, class, attribute, modifier and
 * source (LID, or directed route) do. A notice of a timeout ends the attempt in flight.
 */
enum engine_receive engine_receive(struct engine *engine, unsigned int lane,
				   struct ib_user_mad *umad, size_t bytes, uint64_t now);

/*
 * Takes the first @bytes bytes of a message that is longer than that and has no room;
 * umad->length holds its full length. If it is a reply, its transaction ends with -EMSGSIZE. If
 * it is a request, it is received with the status -EMSGSIZE.
 */
enum engine_receive engine_receive_cut(struct engine *engine, unsigned int lane,
				       struct ib_user_mad *umad, size_t bytes);

/*
 * Prefetches what engine_receive() will read for @umad. Call it for some MADs before the first of
 * them is received: their flows and requests are prefetched only then, when the transactions that
 * name them have arrived.
 */
void engine_prefetch(struct engine *engine, const struct ib_user_mad *umad);

/*
 * Fires the timers that were due at @heard, in ns. The driver must have reported all MADs that
 * arrived until then. @heard never goes back. It may lag behind the time that the other functions
 * are given, because the driver reports arrivals in batches.
 */
void engine_advance(struct engine *engine, uint64_t heard);
/*
 * Returns the latest time at which to call engine_advance(), in ns, or ENGINE_NEVER. It may be
 * too early.
 */
uint64_t engine_next_deadline(const struct engine *engine);

/*
 * Records whether the driver has stopped reading a lane until there is room for a long message.
 * Until it reads again, the engine prefers other lanes.
 */
void engine_lane_starved(struct engine *engine, unsigned int lane, bool starved);

/* Tells whether the driver should stop reading a lane, because an agent's inbox is full. */
bool engine_lane_is_full(const struct engine *engine, unsigned int lane);

struct engine_received {
	struct ib_user_mad *umad; /* NULL with -ENODEV */
	size_t length;		  /* bytes of MAD in the buffer */
	int status;		  /* 0; -EMSGSIZE: cut off; -ENODEV: the agent's lanes are gone */
	unsigned int agent;
};

/*
 * Returns the next request that was received; it serves the agents in turn. Returns false if none
 * waits.
 */
bool engine_next_request(struct engine *engine, struct engine_received *received);
/* Returns the next request for an agent. Returns false if none waits. */
bool engine_next_request_of(struct engine *engine, unsigned int agent,
			    struct engine_received *received);
/*
 * Returns a request for an agent that is to be closed, and counts it as unsolicited. Returns
 * false if none waits.
 */
bool engine_drop_request(struct engine *engine, unsigned int agent,
			 struct engine_received *received);
/*
 * `engine_requests` returns how many requests wait; `engine_receivers`, how many agents may still
 * receive some.
 */
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
	uint64_t received_at; /* when the reply was read, ns; 0 without one */
	uint8_t rmpp_status;  /* of the STOP or ABORT that ended the transaction; else 0 */
};

/*
 * Returns the next transaction that has ended and frees its slot. Returns false if there is none.
 */
bool engine_next_completion(struct engine *engine, struct engine_completion *completion);

/*
 * `engine_outstanding` returns how many transactions were accepted and not completed;
 * `engine_completed`, how many wait for engine_next_completion(); `engine_in_flight`, how many
 * are in flight.
 */
uint32_t engine_outstanding(const struct engine *engine);
uint32_t engine_completed(const struct engine *engine);
uint32_t engine_in_flight(const struct engine *engine);
/* Returns how many requests are in flight on a lane. */
uint32_t engine_lane_in_flight(const struct engine *engine, unsigned int lane);
/* Tells whether there may be something to write. If not, engine_next_write() returns false. */
bool engine_wants_write(const struct engine *engine);
/* Tells whether RMPP has a frame to write. */
bool engine_wants_segment(const struct engine *engine);

/* Returns RMPP's counters, which are all 0 before engine_rmpp_open(). */
struct rmpp_stats;
const struct rmpp_stats *engine_rmpp_stats(const struct engine *engine);

struct engine_stats {
	uint64_t accepted, completed, sent, received, replies, retried, timed_out, canceled,
		send_failed, device_gone, too_long, requests, requests_left, unmatched, unsolicited,
		malformed, notices, late_replies, busy, redirected, others, in_flight_peak;
	struct rtt_histogram rtt;
};
const struct engine_stats *engine_stats(const struct engine *engine);

/*
 * Recounts all that the engine keeps count of and asserts its invariants. It takes time in
 * proportion to the tables. In builds without assertions it does nothing.
 */
void engine_check(const struct engine *engine);

#endif
