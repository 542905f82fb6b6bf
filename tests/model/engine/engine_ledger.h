/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ledger: what must be true of every transaction, from what was asked of the engine and
 * what the network did, without looking into the engine.
 *
 * The engine alone knows when exactly an adaptive timeout fires, so a transaction may be
 * in doubt from the earliest to the latest instant at which its attempt may time out. Counts
 * therefore have a least and a most; with pinned timeouts they are a tick apart.
 */
#ifndef SIMULATION_LEDGER_H
#define SIMULATION_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/common/agenda.h"
#include "engine/engine.h"
#include "engine_lookup.h"

struct packet;
struct destination;

enum progress {
	WAITING,  /* for its windows; or, unreported: its time is up, and its write under way */
	FLYING,	  /* an attempt is in flight */
	IN_DOUBT, /* the attempt may have timed out */
	ENDED,	  /* the outcome is settled, and not handed out */
	HANDED_OUT,
};

/* The numbers of transactions by their states. */
struct counts {
	uint32_t ready;	  /* WAITING */
	uint32_t blocked; /* WAITING, unreported */
	uint32_t flying;
	uint32_t in_doubt;
	uint32_t ended;
	uint32_t ended_unreported;
};

/* The outcomes that a transaction may have, as a set. */
#define MAY_REPLY	(1u << 0)
#define MAY_WRITTEN	(1u << 1) /* no_reply */
#define MAY_TIME_OUT	(1u << 2)
#define MAY_BE_CANCELED (1u << 3)
#define MAY_LOSE_DEVICE (1u << 4)
#define MAY_FAIL	(1u << 5) /* with record.error */

struct flow_account {
	struct counts counts;
};

struct agent_account {
	int number;
	bool closed;
	bool no_lanes; /* all of them are lost */
	uint8_t mgmt_class;
	struct engine_agent_config config;
	struct counts counts;
	uint32_t open_records; /* not handed out */
	struct flow_account *flow;
};

struct attempt {
	uint32_t tid;
	unsigned int lane;
	uint64_t written;
	bool refused; /* -EAGAIN: it never was */
	bool busy;    /* the node said so, and its round trip is not known any more */
};

struct record {
	uint64_t id;
	uint64_t payload;
	struct agent_account *agent;
	struct flow_account *flow;
	bool own_flow;
	const struct destination *destination;
	struct ib_user_mad *umad;
	struct ib_user_mad *original; /* as it was sent */
	size_t length;
	bool no_reply;
	bool has_own_tid; /* the engine sets it */
	bool by_kernel;	  /* retried there */
	unsigned int attempts_allowed;
	uint64_t timeout_least, timeout_most;

	enum progress progress;
	bool unreported;  /* its last write */
	bool hangs;	  /* so does its last write, until it is aborted */
	bool abort_asked; /* for its last write */
	uint32_t slot;	  /* of its last write */
	struct attempt *attempt;
	unsigned int attempts; /* with those refused */
	unsigned int redirects;
	unsigned int redirected_after; /* attempts when the last redirect was followed */
	unsigned int refused;
	unsigned int refusals; /* refused writes with an error other than -EAGAIN */
	uint64_t due_most;     /* when the last attempt ends at the latest; or ENGINE_NEVER */
	unsigned int may;      /* ENDED: its possible outcomes; IN_DOUBT: those it may have had */
	int error;
	struct packet *reply;
	uint64_t reply_rtt_ns;
	uint64_t replied_at; /* when .reply was given to the engine */
	bool reply_to_last;  /* of its attempts */
	bool reply_to_known; /* so that the round trip has to be known */
	uint32_t place;	     /* in ledger.open */
};

struct ledger {
	struct counts counts;
	struct record **record; /* all there ever were */
	uint32_t records, records_room;
	struct record **open; /* those not handed out, in no order */
	uint32_t opens, opens_room;
	struct lookup tids;	   /* by TID: of all attempts of those not handed out */
	struct lookup buffers;	   /* by address: requests of those not handed out */
	struct lookup writes;	   /* by slot: writes not reported */
	struct agenda least, most; /* of timeouts; tag: the number of the attempt */
	uint64_t handed_out;
};

struct record *ledger_accept(struct ledger *ledger, const struct record *draft);
/* Notes an attempt that the engine gave to write. Returns false when its TID or slot is in use. */
bool ledger_write(struct ledger *ledger, struct record *record, const struct attempt *attempt,
		  uint64_t tick_ns);
/* Notes that a request waits to be sent elsewhere, in @flow unless its flow is the caller's own. */
void ledger_redirected(struct ledger *ledger, struct record *record, struct flow_account *flow);
/* Notes that the last write was reported. */
void ledger_written(struct ledger *ledger, struct record *record, int error, uint64_t now,
		    uint64_t tick_ns);
/*
 * Returns after how many ticks, at most, a write that failed with @error is made again; 0: never.
 */
uint64_t ledger_pause(const struct record *record, int error, uint64_t tick_ns);
void ledger_end(struct ledger *ledger, struct record *record, unsigned int may);
/* Notes that the attempt in flight is over: by the kernel's notice, or as the engine tells. */
void ledger_expired(struct ledger *ledger, struct record *record);
void ledger_lane_lost(struct ledger *ledger, unsigned int lane);
/* Cancels what has not ended, of an agent or of all (NULL). *@least and *@most bound how many. */
void ledger_cancel(struct ledger *ledger, const struct agent_account *agent, uint32_t *least,
		   uint32_t *most);
/* Notes a call of engine_advance(@now). */
void ledger_advance(struct ledger *ledger, uint64_t now);
void ledger_hand_out(struct ledger *ledger, struct record *record);
/* Returns the instant by which engine_advance() has to be called at the latest. */
uint64_t ledger_deadline(const struct ledger *ledger);
void ledger_free(struct ledger *ledger);

static inline const struct attempt *record_last(const struct record *record)
{
	return &record->attempt[record->attempts - 1];
}

/* Returns how many attempts were not refused. */
static inline unsigned int record_tries(const struct record *record)
{
	return record->attempts - record->refused;
}

static inline bool record_exhausted(const struct record *record)
{
	return record_tries(record) >= record->attempts_allowed;
}

static inline uint32_t counts_in_flight_most(const struct counts *counts)
{
	return counts->flying + counts->in_doubt + counts->blocked + counts->ended_unreported;
}

#endif
