/* SPDX-License-Identifier: BSD-2-Clause */
/* A request until its outcome is handed out. Its slot is its place in the engine's table. */
#ifndef MADRING_ENGINE_TRANSACTION_H
#define MADRING_ENGINE_TRANSACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/engine.h"

#define SLOT_NONE LIST_NONE

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

#endif
