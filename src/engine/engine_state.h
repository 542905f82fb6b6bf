/* SPDX-License-Identifier: BSD-2-Clause */
/* What the engine's files share: its state, and the steps that lead from one to another. */
#ifndef MADRING_ENGINE_ENGINE_STATE_H
#define MADRING_ENGINE_ENGINE_STATE_H

#include "engine/engine.h"
#include "engine/flow.h"
#include "engine/tid.h"
#include "base/list.h"
#include "base/wheel.h"
#include "engine/pace.h"
#include "rmpp/rmpp.h"

#define SLOT_NONE  LIST_NONE
#define AGENT_NONE LIST_NONE

enum transaction_state {
	TRANSACTION_FREE = 0,
	TRANSACTION_QUEUED, /* waits in its flow for the windows */
	TRANSACTION_FLYING, /* its current attempt is in flight */
	TRANSACTION_ENDED,  /* has its outcome; waits to be handed out */
};

#define MOST_DOUBTS 31u /* the most that transaction.doubts holds */

/*
 * Two cache lines: the first is all that sending an attempt and matching its reply need.
 */
struct transaction {
	struct ib_user_mad *request;
	uint64_t sent_at;    /* the current attempt's, ns */
	uint64_t deadline;   /* the current attempt's, in ticks; WHEEL_NEVER: none */
	uint64_t timeout_ns; /* pinned; 0: the agent's way */
	uint32_t tid;	     /* the low half of the current attempt's; its slot never changes */
	uint32_t flow;
	struct list_link link; /* among those that wait in its flow, the aborts, or the ended */
	uint32_t attr_mod;     /* network order, as in the MAD */
	uint16_t attr_id;      /* network order */
	uint16_t lid;	       /* network order; 0 when the source is not compared */
	uint8_t mgmt_class;
	uint8_t state;
	uint8_t attempts; /* begun */
	uint8_t attempts_allowed;
	uint16_t agent;
	uint8_t lane;
	bool directed : 1; /* an SMP with a directed route, which its reply repeats */
	bool no_reply : 1;
	bool segmented : 1;
	bool writing : 1;     /* its write has been handed out and not reported */
	bool aborting : 1;    /* stands in the list of writes to cancel */
	bool abort_asked : 1; /* has stood there for this write: once is enough */
	bool expired : 1;     /* its attempt's time is up, and its write is not reported */

	uint32_t length;
	uint32_t reply_length;
	int status;
	uint8_t redirects : 3;	  /* followed */
	uint8_t refusals : 5;	  /* writes that the kernel refused for now, -EAGAIN aside */
	uint8_t redirected_after; /* .attempts when the last redirect was followed */
	bool own_flow : 1;	  /* by the caller's word, and the same wherever it is redirected */
	bool by_kernel : 1;	  /* retried there, for as long as that takes */
	bool in_segments : 1;	  /* has something in engine.segments */
	uint8_t doubts : 5;	  /* attempts without a reply that do not count as lost yet */
	uint8_t rmpp_status;	  /* of what has ended it, when that has one */
	/* Not side by side, as they are in the request: they would be copied as one vector, which
	   waits for the stores of both. */
	void *callback;
	uint64_t serial;
	void *user;
	uint64_t first_sent_at;
	uint64_t rtt_ns;
	struct ib_user_mad *reply;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct transaction) == 128 && offsetof(struct transaction, length) == 64,
	       "two cache lines");
_Static_assert(MADRING_MAX_AGENTS <= UINT16_MAX && MADRING_MAX_LANES <= UINT8_MAX + 1,
	       "a transaction's agent and lane have room for any");

/* Requests that wait for an agent. */
struct inbox {
	struct engine_received *entry; /* a ring; NULL: it receives none */
	uint32_t capacity, head, count;
	struct list_link link; /* among the agents for which requests wait */
	bool full;	       /* as far as its lanes are concerned */
};

enum agent_state { AGENT_FREE = 0, AGENT_OPEN, AGENT_CLOSING };

struct agent {
	enum agent_state state;
	struct engine_agent_config config;
	struct pace_agent pace;
	uint64_t incarnation;  /* part of its flows' keys: its number is used again */
	uint32_t transactions; /* not handed out */
	uint32_t queued;
	struct list ready_flows; /* those that have room and something waiting */
	struct list_link link;	 /* among the agents that may write, while .ready */
	bool ready;
	bool lost;		     /* all its lanes are gone */
	uint32_t run_lane, run_left; /* its next writes' lane, and how many those are */
	struct inbox inbox;
	uint32_t agent_id[MADRING_MAX_LANES];
};

/* That the kernel registers on a umad file; their numbers there are below this. */
#define LANE_AGENTS 32u

struct lane {
	bool open;
	uint32_t in_flight;
	uint32_t full;		     /* inboxes of agents on it */
	uint32_t others;	     /* the agent that takes what is for others; AGENT_NONE */
	bool starved;		     /* its next message waits for room */
	uint32_t owner[LANE_AGENTS]; /* the agent of each of the kernel's; AGENT_NONE */
};

/* Whether what comes on it is left in the kernel for now. */
static inline bool lane_is_held(const struct lane *lane)
{
	return lane->full || lane->starved;
}

/* What is under way for a transaction in segments: RMPP's ids; 0: nothing. */
struct segments {
	uint64_t send, receive;
	bool late; /* what is received answers an earlier attempt */
};

struct engine {
	struct engine_config config;
	unsigned int slot_bits;
	uint64_t random;
	uint64_t serial;
	uint64_t incarnations;
	uint64_t now, heard; /* as they were last told */
	bool shut;

	struct transaction *transaction;
	uint32_t *free_slot; /* a ring: slots are used in turn, see tid.h */
	uint32_t free_head, free_count;
	struct list ended;
	uint32_t ended_count;
	struct list aborts;

	struct agent *agent;
	struct list ready_agents;     /* those that may write */
	struct list requested_agents; /* those for which requests wait */
	uint32_t requests, receivers;
	struct lane lane[MADRING_MAX_LANES];
	struct flow_table flows;
	struct wheel wheel;

	struct rmpp_memory rmpp_memory;
	struct rmpp *rmpp;	   /* NULL: no agent leaves it to the engine */
	struct segments *segments; /* by slot */

	uint32_t outstanding, in_flight;
	struct engine_stats stats;
};

/* `note_time` checks that the time does not go back. */
static inline void note_time(struct engine *engine, uint64_t now)
{
	assert(now >= engine->now);
	engine->now = now;
}

/* engine_agent.c: whose the kernel's agent of this number on the lane is; NULL: nobody's. */
struct agent *agent_of(struct engine *engine, unsigned int lane, uint32_t agent_id);

/* inbox.c: requests that were received. */
/* Of an agent with this config. 0 or -ENOMEM. */
int inbox_open(struct inbox *inbox, const struct engine_agent_config *config);
/* Of an agent that is closed: an empty one. */
void inbox_close(struct engine *engine, struct agent *agent);
/* False: nobody wants it. */
bool inbox_put(struct engine *engine, struct agent *agent, const struct engine_received *received);

/* queue.c: what waits, and who may write next. */
void queue_append(struct engine *engine, uint32_t slot);
void queue_prepend(struct engine *engine, uint32_t slot);
void queue_remove(struct engine *engine, uint32_t slot);
/* To be called when the flow's window, its agent's, or what is in flight has changed. */
void queue_update(struct engine *engine, uint32_t flow);
/* The next transaction that both windows admit, taken out of its queue; SLOT_NONE. */
uint32_t queue_next(struct engine *engine);

/* timeout.c: how long an attempt waits; ENGINE_NEVER: for ever. */
uint64_t timeout_first(const struct engine *engine, const struct agent *agent,
		       const struct flow *flow);
uint64_t timeout_of(struct engine *engine, const struct transaction *transaction);
/* And at most. */
static inline uint64_t timeout_longest(const struct engine *engine,
				       const struct transaction *transaction)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	return config->pin_timeout ? config->first_timeout_ns : config->max_timeout_ns;
}
/* `timeout_shortest` returns the lower bound of `timeout_of`. */
static inline uint64_t timeout_shortest(const struct engine *engine,
					const struct transaction *transaction)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	return config->pin_timeout ? config->first_timeout_ns : config->min_timeout_ns;
}
/* The source of all that is random in the engine. */
uint64_t timeout_random(struct engine *engine);
bool timeout_is_pinned(const struct engine *engine, const struct transaction *transaction);
/* `timeout_arm` has the attempt's time be up @timeout ns after @now; `timeout_arm_at`, at a tick.
 */
void timeout_arm(struct engine *engine, uint32_t slot, uint64_t now, uint64_t timeout);
void timeout_arm_at(struct engine *engine, uint32_t slot, uint64_t tick);

/* engine_send.c: what follows from where a request goes. */
/* Which transactions share its bottleneck; not when the caller says so. */
uint64_t send_flow_key(const struct ib_user_mad *umad, bool directed, uint64_t incarnation);
/* The LID that its reply must come from; 0 where it cannot be told. */
uint16_t send_source_lid(const struct ib_user_mad *umad, bool directed);

/*
 * defer.c: whether a reply, to an attempt of @age attempts ago, is none yet: the transaction goes
 * on then.
 */
bool defer_reply(struct engine *engine, struct transaction *transaction,
		 const struct ib_user_mad *umad, size_t length, uint32_t age);

/* engine_receive.c: what a reply is to a transaction. */
/* The transaction that a response is the reply to; NULL. @age: how many attempts ago. */
struct transaction *receive_transaction(const struct engine *engine, unsigned int lane,
					const struct ib_user_mad *umad,
					const struct madring_mad_hdr *header, uint32_t *age);
/* It comes, or begins to. */
void receive_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now);
/* It is there; or, with an error, is of no use. */
void receive_answered(struct engine *engine, struct transaction *transaction, int status);

/* segments.c: messages in segments that the engine makes itself; only when there is .rmpp. */
/* Takes a MAD that was read. False: it is none of a message in segments. */
bool segments_receive(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
		      size_t bytes, uint64_t now);
struct engine_write segments_write_of(const struct engine *engine, uint32_t number);
bool segments_next_write(struct engine *engine, uint64_t now, struct engine_write *write);
void segments_write_done(struct engine *engine, uint32_t number, int error, uint64_t now);
void segments_advance(struct engine *engine, uint64_t now);
/* The current attempt goes in segments. 0, or an error of rmpp_send(). */
int segments_begin(struct engine *engine, struct transaction *transaction, uint64_t now);
/* Of a transaction with .in_segments: it has its reply. */
void segments_answered(struct engine *engine, struct transaction *transaction);
/* Likewise: its attempt has ended, and so has all of it. */
void segments_drop(struct engine *engine, struct transaction *transaction);

/* attempt.c: one attempt in flight. */
enum attempt_end { ATTEMPT_ANSWERED, ATTEMPT_LOST, ATTEMPT_WITHDRAWN };
/* `attempt_end` takes the current attempt out of flight, which makes room for another. */
void attempt_end(struct engine *engine, uint32_t slot, enum attempt_end how);
/* `attempt_lost` ends the current attempt without a reply. The next one follows, or the
   transaction's end. */
void attempt_lost(struct engine *engine, uint32_t slot);
/* `attempt_postpone` takes back an attempt that the device has not taken. It was never sent, and is
   made again @ticks later. */
void attempt_postpone(struct engine *engine, uint32_t slot, uint64_t now, uint64_t ticks);
/* Counts the attempts without a reply as lost, because a later attempt of their request is
 * answered. */
void attempt_count_losses(struct engine *engine, struct transaction *transaction);
/* Its reply comes on @lane: there it is in flight from now on, if it was not, or was elsewhere. */
void attempt_resume(struct engine *engine, uint32_t slot, unsigned int lane);
/* The current attempt waits for its reply from now on. */
void attempt_wait(struct engine *engine, uint32_t slot, uint64_t now);
/* `attempt_expire` ends the current attempt because its time is up, as soon as its write is
   reported. */
void attempt_expire(struct engine *engine, uint32_t slot);
static inline void attempt_count_in_flight(struct engine *engine,
					   const struct transaction *transaction)
{
	engine->lane[transaction->lane].in_flight++;
	engine->in_flight++;
	if (engine->in_flight > engine->stats.in_flight_peak)
		engine->stats.in_flight_peak = engine->in_flight;
}

/* abort.c: writes to be cancelled. */
void abort_add(struct engine *engine, uint32_t slot);
void abort_remove(struct engine *engine, uint32_t slot);

/* outcome.c: a transaction's end. */
/* Of one that is neither queued nor in flight any more. */
void outcome_set(struct engine *engine, uint32_t slot, int status);
/* Of one wherever it stands: queued, or in flight. */
void outcome_force(struct engine *engine, uint32_t slot, int status);
/* Of one that has ended, once its write is reported: it may be handed out. */
void outcome_ready(struct engine *engine, uint32_t slot);

#endif
