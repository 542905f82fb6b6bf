/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's state, and the functions that its files call in each other. */
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

/*
 * A transaction fills two cache lines. Sending an attempt needs only the first.
 */
struct transaction {
	struct ib_user_mad *request;
	uint64_t sent_at;    /* when the current attempt was sent, ns; 0: not known */
	uint64_t deadline;   /* of the current attempt, in ticks; WHEEL_NEVER: none */
	uint64_t timeout_ns; /* of every attempt; 0: the engine estimates it */
	uint32_t tid;	     /* the low half of the current attempt's TID; its slot never changes */
	uint32_t flow;
	struct list_link link; /* in its flow's queue, engine.aborts or engine.ended */
	uint32_t attr_mod;     /* network order, as in the MAD */
	uint16_t attr_id;      /* network order */
	uint16_t lid;	       /* the reply's source, network order; 0: it is not compared */
	uint8_t mgmt_class;
	uint8_t state : 4;     /* an enum transaction_state */
	bool overtaken : 1;    /* the attempt takes no place in its agent's window */
	bool released : 1;     /* it takes none in its flow's */
	bool counted_lost : 1; /* the pace has been told that it is lost */
	bool is_careful : 1;   /* the request is not repeated early */
	uint8_t attempts;      /* how many have begun */
	uint8_t attempts_allowed;
	uint16_t agent;
	uint8_t lane;
	bool is_held : 1; /* the kernel holds the attempt, and its registration counts it */
	bool no_reply : 1;
	bool has_own_tid : 1; /* its TID is the engine's, not the caller's */
	bool segmented : 1;
	bool writing : 1;     /* the driver has its write and has not reported it */
	bool aborting : 1;    /* it stands in engine.aborts */
	bool abort_asked : 1; /* it has stood there for this write, which is canceled only once */
	bool expired : 1;     /* the attempt's timeout has passed while .writing */

	uint32_t length;
	uint32_t reply_length;
	int status;
	uint8_t redirects : 3;	  /* how many were followed */
	uint8_t refusals : 4;	  /* writes that failed for now, -EAGAIN not counted */
	bool directed : 1;	  /* an SMP with a directed route, which its reply repeats */
	uint8_t redirected_after; /* .attempts when the last redirect was followed */
	bool own_flow : 1;	  /* the caller named the flow, which a redirect does not change */
	bool by_kernel : 1;	  /* the kernel retries it */
	bool in_segments : 1;	  /* its entry in engine.segments is in use */
	uint8_t rmpp_status;	  /* of the STOP or ABORT that ended it; else 0 */
	/*
	 * callback and user are apart here, although they are adjacent in the request. Otherwise
	 * the compiler would copy both as one vector, and that load waits for the stores of both.
	 */
	void *callback;
	uint64_t serial; /* the upper part of its id */
	void *user;
	union {
		uint64_t first_sent_at; /* before it has a reply */
		uint64_t received_at;	/* when its reply was read; valid with .reply */
	};
	uint64_t rtt_ns;
	struct ib_user_mad *reply;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct transaction) == 128 && offsetof(struct transaction, length) == 64,
	       "two cache lines");
_Static_assert(MADRING_MAX_AGENTS <= UINT16_MAX && MADRING_MAX_LANES <= UINT8_MAX + 1,
	       "a transaction's agent and lane have room for any");

/*
 * The attempts of an agent in the order of sending, in a ring. An entry stays until its attempt is
 * due as overtaken. If that was answered before, the entry may go when the ring is full.
 */
struct sent {
	struct sent_attempt {
		uint64_t at; /* ns */
		uint32_t tid;
	} *attempt; /* NULL: the window is pinned */
	uint32_t mask, head, count;
};

/* The requests that wait for an agent. */
struct inbox {
	struct engine_received *entry; /* a ring; NULL: the agent receives none */
	uint32_t capacity, head, count;
	struct list_link link; /* in engine.requested_agents */
	bool full;	       /* counted in .full of each of the agent's lanes */
};

/* An attempt that the engine has given up and the kernel still holds. */
struct abandoned {
	uint64_t ends_at; /* when the kernel has certainly dropped it, ns; ENGINE_NEVER */
	uint32_t tid;
};

/* Counts the requests of one registration that the kernel holds. */
struct registration {
	uint16_t held;	    /* requests, at most the limit */
	uint16_t abandoned; /* those of them that the engine has given up */
};

/* Counts the requests of an agent that the kernel holds. It stays zero without a limit. */
struct held {
	uint32_t limit;	 /* of each registration; 0: none */
	uint32_t count;	 /* the sum over the registrations */
	uint32_t room;	 /* the requests that they still have room for; without a limit, all */
	uint32_t exempt; /* queued transactions that need no room */
	struct abandoned *abandoned; /* .limit of them for each registration */
	struct registration registration[ENGINE_MOST_REGISTRATIONS];
};

enum agent_state { AGENT_FREE = 0, AGENT_OPEN, AGENT_CLOSING };

struct agent {
	enum agent_state state;
	struct engine_agent_config config;
	struct pace_agent pace;
	struct sent sent;
	uint64_t incarnation;  /* part of its flows' keys, because numbers are used again */
	uint32_t transactions; /* accepted and not completed */
	uint32_t queued;
	/*
	 * Flows with something queued and room in their window: those with few transactions
	 * queued, and those with many.
	 */
	struct list ready_flows[2];
	uint32_t turns;	       /* of flows, so far */
	struct list_link link; /* in engine.ready_agents, while .ready */
	bool ready;
	bool lost;		     /* all its lanes are gone */
	uint32_t run_lane, run_left; /* the index of its next writes' lane, and how many go there */
	struct inbox inbox;
	uint32_t agent_id[MADRING_MAX_LANES]; /* of its first registration on each lane */
	struct held held;
};

/* The kernel numbers the agents of a umad file from 0 to LANE_AGENTS - 1. */
#define LANE_AGENTS 32u

struct lane {
	bool open;
	uint32_t in_flight;
	uint32_t full;	 /* how many agents on it have a full inbox */
	uint32_t others; /* the agent that receives for the program's own agents, or AGENT_NONE */
	bool starved;	 /* its next message waits for a long buffer */
	uint32_t owner[LANE_AGENTS];	   /* the agent of each kernel agent, or AGENT_NONE */
	uint8_t registration[LANE_AGENTS]; /* which of its owner's registrations that is */
};

_Static_assert(ENGINE_MOST_REGISTRATIONS <= UINT8_MAX + 1, "an index of registrations fits");
_Static_assert(ENGINE_MOST_HELD <= UINT16_MAX, "a registration's counts fit");

/* Tells whether the driver leaves MADs of the lane in the kernel for now. */
static inline bool lane_is_paused(const struct lane *lane)
{
	return lane->full || lane->starved;
}

/* The RMPP messages of a transaction, by RMPP's ids; 0: none. */
struct segments {
	uint64_t send, receive;
	bool late; /* the message that is received answers an earlier attempt */
};

#define MOST_ANNOUNCED 32u /* as many as the drivers report at a time */

struct engine {
	struct engine_config config;
	unsigned int slot_bits;
	uint64_t random;
	uint64_t serial;
	uint64_t incarnations; /* agents that were ever opened */
	uint32_t agents_used;  /* all agents that are or were open have lower numbers */
	uint64_t now, heard;   /* the latest times that the caller passed, ns */
	uint64_t late_ns;      /* how late the driver may read the MADs that it reports */
	bool is_shut;

	struct transaction *transaction;
	uint32_t *free_slot; /* a ring: slots are used in turn, see tid.h */
	uint32_t free_head, free_count;
	struct list ended;
	uint32_t ended_count;
	struct list aborts;

	struct agent *agent;
	struct list ready_agents;     /* agents that may write */
	struct list requested_agents; /* agents for which requests wait */
	uint32_t requests, receivers; /* requests that wait; agents that may still receive some */
	struct lane lane[MADRING_MAX_LANES];
	struct flow_table flows;
	struct wheel wheel;

	struct rmpp_memory rmpp_memory;
	struct rmpp *rmpp;	   /* NULL: no agent has .user_rmpp */
	struct segments *segments; /* by slot */

	uint32_t announced_count;
	uint32_t announced[MOST_ANNOUNCED]; /* slots whose MADs will be received soon */
	uint32_t outstanding, in_flight;
	uint64_t abandoned_until; /* no abandoned attempt ends before, ns; ENGINE_NEVER */
	struct engine_stats stats;
};

static inline bool agent_has_ready_flow(const struct agent *agent)
{
	return !list_is_empty(&agent->ready_flows[0]) || !list_is_empty(&agent->ready_flows[1]);
}

/* Records the time and checks that it does not go back. */
static inline void note_time(struct engine *engine, uint64_t now)
{
	assert(now >= engine->now);
	engine->now = now;
}

/*
 * engine_agent.c
 *
 * Returns the agent that owns the kernel agent @agent_id on a lane, or NULL.
 */
struct agent *agent_of(struct engine *engine, unsigned int lane, uint32_t agent_id);

/*
 * inbox.c: the requests that wait for each agent.
 *
 * `inbox_open` prepares the inbox of an agent. Returns 0 or -ENOMEM.
 * `inbox_close` frees an empty inbox.
 * `inbox_put` appends a request. Returns false if the inbox has no room.
 */
int inbox_open(struct inbox *inbox, const struct engine_agent_config *config);
void inbox_close(struct engine *engine, struct agent *agent);
bool inbox_put(struct engine *engine, struct agent *agent, const struct engine_received *received);

/*
 * held.c: the requests that the kernel holds.
 *
 * `held_open` prepares an agent, whose configuration is known. Returns 0 or -ENOMEM.
 * `held_close` forgets all that the kernel holds of an agent, whose registrations end.
 * `held_forget_lane` does that for all registrations on a lane that is lost.
 * `held_count` counts an attempt that is written by registration @index, which has room. Where
 * abandoned attempts crowd the registration, the kernel is told only twice the attempt's @timeout,
 * so that it drops those of dead nodes soon.
 * `held_drop` records that the kernel does not hold the current attempt any more.
 * `held_abandon` records that the engine gives up the current attempt, and the kernel does not.
 * `held_take_back` records that a MAD which was read ends what the kernel held for its TID: a
 * response or a notice of at least a MAD's header.
 * `held_advance` drops abandoned attempts that the kernel must have dropped by @now.
 * `held_deadline` returns when to call `held_advance` because an agent waits for it, in ns.
 */
int held_open(struct engine *engine, struct agent *agent);
void held_close(struct agent *agent);
void held_forget_lane(struct engine *engine, unsigned int lane);
void held_count(struct agent *agent, uint32_t index, struct transaction *transaction,
		uint64_t timeout);
void held_drop(struct engine *engine, struct transaction *transaction);
void held_abandon(struct engine *engine, struct transaction *transaction);
void held_take_back(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad);
void held_advance(struct engine *engine, uint64_t now);
uint64_t held_deadline(const struct engine *engine);
/* Tells whether the kernel limits the agent's requests. It does not limit those of most classes. */
static inline bool held_is_limited(const struct agent *agent)
{
	return __builtin_expect(agent->held.limit != 0, 0);
}
/*
 * Tells whether the kernel does not count a transaction against the limit. It does not hold MADs
 * without a reply, and puts segments on the wire at once.
 */
static inline bool held_is_exempt(const struct transaction *transaction)
{
	return transaction->no_reply || transaction->segmented;
}
/* Tells whether registration @index of an agent has room for a transaction. */
static inline bool held_has_room(const struct agent *agent, uint32_t index,
				 const struct transaction *transaction)
{
	return !held_is_limited(agent) || held_is_exempt(transaction) ||
	       agent->held.registration[index].held < agent->held.limit;
}

/*
 * overtaken.c: attempts that later ones have overtaken.
 *
 * `overtaken_open` prepares an agent, whose configuration is known. Returns 0 or -ENOMEM.
 * `overtaken_note` records an attempt that begins.
 * `overtaken_advance` takes the places of all attempts that are overtaken at @heard.
 * `overtaken_deadline` returns when to call `overtaken_advance` because an agent waits for a
 * place, in ns.
 */
int overtaken_open(const struct engine *engine, struct agent *agent);
void overtaken_close(struct agent *agent);
void overtaken_note(const struct engine *engine, struct agent *agent,
		    const struct transaction *transaction);
void overtaken_advance(struct engine *engine, uint64_t heard);
uint64_t overtaken_deadline(const struct engine *engine);

/*
 * queue.c: the queues of transactions, and the turns of flows and agents.
 *
 * `queue_append` and `queue_prepend` put a transaction at the end or at the head of its flow's
 * queue.
 * `queue_retry` puts a transaction there that has lost an attempt: at the head for its first
 * retry, and then at the end, because a request that is never answered must not delay others.
 * `queue_remove` takes a transaction out of its flow's queue.
 * `queue_update` puts a flow and its agent on the lists where they belong. Call it when the
 * flow's queue, its window, its agent's window or its attempts in flight have changed.
 * `queue_update_agent` does that for an agent for which the kernel has room again.
 * `queue_next` takes out the next transaction that both windows and the kernel admit, or returns
 * SLOT_NONE.
 */
void queue_append(struct engine *engine, uint32_t slot);
void queue_prepend(struct engine *engine, uint32_t slot);
void queue_retry(struct engine *engine, uint32_t slot);
void queue_remove(struct engine *engine, uint32_t slot);
void queue_update(struct engine *engine, uint32_t flow);
void queue_update_agent(struct engine *engine, struct agent *agent);
uint32_t queue_next(struct engine *engine);

/*
 * timeout.c: how long an attempt waits, in ns; ENGINE_NEVER means without end.
 *
 * `timeout_first` returns the timeout of a first attempt in @flow, or in a new flow if that is
 * NULL.
 * `timeout_of` returns the timeout of the current attempt. It grows with each retry,
 * except for the first ones of a request that may be repeated early.
 */
uint64_t timeout_first(const struct engine *engine, const struct agent *agent,
		       const struct flow *flow);
uint64_t timeout_of(struct engine *engine, const struct transaction *transaction);
/* Tells whether patience with a flow's node has ended at @now: it has not replied for so long. */
bool timeout_is_dead(const struct agent *agent, const struct flow *flow, uint64_t now);
/* Tells whether patience with a request has ended at @now, or as good as. */
bool timeout_has_ended(const struct engine *engine, const struct transaction *transaction,
		       uint64_t now);
/* `timeout_longest` returns the upper bound of `timeout_of`. */
static inline uint64_t timeout_longest(const struct engine *engine,
				       const struct transaction *transaction)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	if (config->pin_timeout)
		return config->first_timeout_ns;
	if (config->patience_ns && config->patience_ns < config->max_timeout_ns)
		return config->patience_ns;
	return config->max_timeout_ns;
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
/*
 * `timeout_random` returns the next of the engine's random numbers.
 * `timeout_is_pinned` tells whether the caller has fixed the transaction's timeout.
 */
uint64_t timeout_random(struct engine *engine);
bool timeout_is_pinned(const struct engine *engine, const struct transaction *transaction);
/* `timeout_arm` sets the attempt's timer to @timeout ns after @now; `timeout_arm_at`, to a tick. */
void timeout_arm(struct engine *engine, uint32_t slot, uint64_t now, uint64_t timeout);
void timeout_arm_at(struct engine *engine, uint32_t slot, uint64_t tick);

/*
 * engine_send.c: what follows from a request's destination.
 *
 * `send_flow_key` returns the key of the flow to the destination: its transactions share a
 * bottleneck. It is not used if the caller names the flow.
 * `send_source_lid` returns the LID that the reply must come from, in network order, or 0 if that
 * is not known.
 */
uint64_t send_flow_key(const struct ib_user_mad *umad, bool directed, uint64_t incarnation);
uint16_t send_source_lid(const struct ib_user_mad *umad, bool directed);

/*
 * defer.c
 *
 * Tells whether a reply defers the answer, because the node is busy or redirects the request. The
 * transaction then goes on. @age is how many attempts have begun since the one that it answers.
 */
bool defer_reply(struct engine *engine, struct transaction *transaction,
		 const struct ib_user_mad *umad, size_t length, uint32_t age);

/*
 * engine_receive.c: the replies to transactions.
 *
 * `receive_transaction` returns the transaction that a response answers, or NULL. It stores in
 * @age how many attempts have begun since the one that is answered.
 * `receive_measure` measures the round trip of a reply that comes, or begins to.
 * `receive_answered` ends the transaction, because its reply is complete (@status 0) or useless
 * (a negative errno).
 * `receive_is_of_class` tells whether a request has the agent's class. The kernel gives the number
 * of an agent that was closed to the next one, and may still have requests to that number.
 */
bool receive_is_of_class(const struct agent *agent, const struct ib_user_mad *umad);
struct transaction *receive_transaction(const struct engine *engine, unsigned int lane,
					const struct ib_user_mad *umad,
					const struct madring_mad_hdr *header, uint32_t *age);
void receive_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now);
void receive_answered(struct engine *engine, struct transaction *transaction, int status);

/*
 * segments.c: messages that the engine's RMPP splits and joins. Call these only if engine.rmpp is
 * set.
 *
 * `segments_receive` takes a MAD that was read. Returns false if it is not part of such a
 * message.
 * `segments_next_write`, `segments_write_of` and `segments_write_done` do for RMPP's frames what
 * the functions of engine.h do for all writes.
 * `segments_advance` fires RMPP's timers.
 * `segments_begin` sends the current attempt in segments. Returns 0 or an error of rmpp_send().
 * `segments_answered` ends the messages of a transaction that has its reply.
 * `segments_drop` ends the messages of a transaction whose attempt has ended.
 */
bool segments_receive(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
		      size_t bytes, uint64_t now);
struct engine_write segments_write_of(const struct engine *engine, uint32_t number);
bool segments_next_write(struct engine *engine, uint64_t now, struct engine_write *write);
void segments_write_done(struct engine *engine, uint32_t number, int error, uint64_t now);
void segments_advance(struct engine *engine, uint64_t now);
int segments_begin(struct engine *engine, struct transaction *transaction, uint64_t now);
void segments_answered(struct engine *engine, struct transaction *transaction);
void segments_drop(struct engine *engine, struct transaction *transaction);

/*
 * attempt.c: the attempt in flight.
 *
 * `attempt_end` takes the current attempt out of flight, which makes room for another.
 * `attempt_lost` ends the current attempt without a reply. The next attempt or the transaction's
 * end follows.
 * `attempt_postpone` takes back an attempt that the device has not taken, and makes it again
 * @ticks later. It was never sent.
 * `attempt_resume` puts the transaction in flight on @lane, where its reply arrives, unless it is
 * there already.
 * `attempt_wait` starts the timer of the current attempt.
 * `attempt_expire` ends the current attempt, whose timeout has passed, as soon as its write is
 * reported.
 * `attempt_count_in_flight` counts an attempt that begins.
 */
enum attempt_end { ATTEMPT_ANSWERED, ATTEMPT_LOST, ATTEMPT_WITHDRAWN };
void attempt_end(struct engine *engine, uint32_t slot, enum attempt_end how);
void attempt_lost(struct engine *engine, uint32_t slot);
void attempt_postpone(struct engine *engine, uint32_t slot, uint64_t now, uint64_t ticks);
void attempt_resume(struct engine *engine, uint32_t slot, unsigned int lane);
void attempt_wait(struct engine *engine, uint32_t slot, uint64_t now);
void attempt_expire(struct engine *engine, uint32_t slot);
static inline void attempt_count_in_flight(struct engine *engine,
					   const struct transaction *transaction)
{
	engine->lane[transaction->lane].in_flight++;
	engine->in_flight++;
	if (engine->in_flight > engine->stats.in_flight_peak)
		engine->stats.in_flight_peak = engine->in_flight;
}

/*
 * abort.c: the writes that the driver has to cancel.
 *
 * `abort_add` lists a transaction's write, unless it was listed before.
 * `abort_remove` takes it off the list if it still stands there.
 */
void abort_add(struct engine *engine, uint32_t slot);
void abort_remove(struct engine *engine, uint32_t slot);

/*
 * outcome.c: the end of a transaction. @status is 0 or a negative errno.
 *
 * `outcome_set` ends a transaction that is neither queued nor in flight any more.
 * `outcome_force` ends a transaction that is queued or in flight.
 * `outcome_ready` makes a transaction's completion available, once its write is reported.
 */
void outcome_set(struct engine *engine, uint32_t slot, int status);
void outcome_force(struct engine *engine, uint32_t slot, int status);
void outcome_ready(struct engine *engine, uint32_t slot);

#endif
