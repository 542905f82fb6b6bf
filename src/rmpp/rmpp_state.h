/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of RMPP share: its state, and the steps that lead from one to another. */
#ifndef MADRING_RMPP_RMPP_STATE_H
#define MADRING_RMPP_RMPP_STATE_H

#include "base/list.h"
#include "base/rtt.h"
#include "base/wheel.h"
#include "rmpp/format.h"
#include "rmpp/rmpp.h"

#define TRANSFER_NONE LIST_NONE
#define FRAME_NONE    LIST_NONE
#define SEGMENT_NONE  UINT32_MAX

enum key_kind { KEY_SEND = 1, KEY_RECEIVE };

/*
 * What an arriving MAD must have to belong to a transfer: for a message received, what its
 * segments have; for one sent, what their answers have. It has no hidden bytes: it is compared
 * and hashed as a whole.
 */
struct rmpp_key {
	uint64_t tid;	 /* as in the MAD; of a response, the low half: the other is the kernel's */
	uint64_t gid[2]; /* of the other end; 0 without a GRH */
	uint32_t qpn;	 /* network order, as in the umad header */
	uint32_t agent_id;
	uint16_t lid; /* network order; 0 with a GRH, where it is a router's */
	uint16_t lane;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t method;
	uint8_t kind;
};

_Static_assert(sizeof(struct rmpp_key) == 40, "a key has no hidden bytes");

enum transfer_state {
	TRANSFER_FREE = 0,
	TRANSFER_ACTIVE,
	TRANSFER_SENT,	   /* acknowledged as a whole; its reply is expected */
	TRANSFER_RECEIVED, /* lingers */
	TRANSFER_ENDED,	   /* not known any more; its outcome waits to be taken */
};

struct send {
	const struct ib_user_mad *message;
	uint32_t length; /* of the message, in bytes of MAD */
	uint32_t header; /* of these, the class header's: repeated in each segment */
	uint32_t count;	 /* segments */
	uint32_t next;	 /* the next one to write in its turn */
	uint32_t high;	 /* the highest that has been written */
	uint32_t acked;
	uint32_t window;   /* the last one that may be written */
	uint32_t repair;   /* to be written out of its turn; 0: none */
	uint32_t repaired; /* the last one that was */
	uint32_t recover; /* what was in flight when a gap was told: up to here there may be more */
	uint32_t timed;	  /* whose ACK is timed; 0: none */
	uint64_t timed_at;
	uint64_t first_timeout_ns;
	uint64_t response_ns; /* the other end's RRespTime */
	struct rtt_estimate rtt;
	unsigned int retries;
	uint32_t reply_ms;
	uint32_t let_through;  /* replies that the kernel would let through, see rmpp_send.c */
	uint32_t repeats;      /* of segments: each may have an ACK of its own */
	unsigned int timeouts; /* since the last progress */
	bool turn;	       /* the ACK that turns the transfer round is to be written */
};

struct receive {
	struct ib_user_mad *message; /* NULL: handed out */
	size_t room;		     /* in it, bytes of MAD */
	uint32_t header;	     /* bytes of the class header */
	uint32_t segment;	     /* the last of those without a gap */
	uint32_t acked;		     /* as it was last told */
	uint32_t window;	     /* the last one that may come */
	uint32_t highest;	     /* that has come */
	uint32_t last;		     /* with the last flag; 0: not known */
	uint32_t last_payload;
	uint32_t declared;	 /* the first one's PayloadLength; 0: it tells none */
	uint32_t gap_told;	 /* the segment before the gap that was told */
	uint32_t reply_window;	 /* of the response, if this is a request */
	uint64_t ahead;		 /* bit i: the one i + 1 behind .segment has come */
	uint64_t told_at;	 /* when the last ACK was written */
	bool ack;		 /* one is to be written */
	bool gap;		 /* and is to tell of a gap */
	struct list_link linger; /* among those that do, while .lingers */
	bool lingers;
	ib_mad_addr_t addr;
	uint8_t first[64]; /* the first one's headers */
};

_Static_assert(8 * sizeof(((struct receive *)0)->ahead) >= RMPP_MAX_WINDOW,
	       "each segment of a window has a bit");

struct transfer {
	struct rmpp_key key;
	uint64_t user;
	uint64_t timeout_at; /* ns; RMPP_NEVER */
	uint64_t total_at;   /* likewise, of the whole message */
	uint64_t hold_at;    /* until when it writes nothing, because the device had no room */
	uint32_t serial;
	uint32_t bucket_next;	       /* in its bucket; TRANSFER_NONE: the last */
	struct list_link ready_link;   /* among those that have something to write, while .ready */
	struct list_link outcome_link; /* among the outcomes, while .waiting */
	struct list_link free_link;    /* among the free ones, while it is one */
	uint8_t state;
	uint8_t rmpp_status;
	uint8_t refusals; /* pauses in a row because the kernel had no memory */
	bool ready;
	bool waiting;
	bool silent; /* its outcome is not to be told */
	int status;
	union {
		struct send send;
		struct receive receive;
	};
};

struct frame {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

_Static_assert(offsetof(struct frame, mad) == sizeof(struct ib_user_mad), "as umad has it");

/* What a frame carries, for its report. */
struct frame_use {
	uint32_t serial;       /* of its transfer */
	uint32_t entry;	       /* likewise; TRANSFER_NONE: a STOP or ABORT, written once */
	uint32_t segment;      /* 0: an ACK */
	struct list_link link; /* among the free ones, or those to be written */
	uint16_t lane;
	bool handed_out; /* its write is not reported yet */
};

struct rmpp {
	struct rmpp_config config;
	uint64_t now, heard; /* as they were last told */
	uint32_t serial;
	struct transfer *transfer; /* first those that send, then those that receive */
	struct list free_sends, free_receives;
	uint32_t *bucket;
	unsigned int bucket_bits;
	struct list ready;
	struct list outcomes;
	struct list lingering; /* the oldest first */
	struct wheel wheel;

	struct frame *frame;
	struct frame_use *frame_use;
	struct list free_frames;
	struct list refusals; /* frames to be written before all else */

	uint64_t memory; /* bytes of MAD taken for what is not handed out */
	struct rmpp_stats stats;
};

/* `note_time` checks that the time does not go back. */
static inline void note_time(struct rmpp *rmpp, uint64_t now)
{
	assert(now >= rmpp->now);
	rmpp->now = now;
}

static inline bool is_send(const struct rmpp *rmpp, uint32_t entry)
{
	return entry < rmpp->config.sends;
}

static inline bool is_known(const struct transfer *transfer)
{
	return transfer->state != TRANSFER_FREE && transfer->state != TRANSFER_ENDED;
}

/* transfer.c: entries, taken and given back. */
/* Known by @key from now on, without any timer but the total one. TRANSFER_NONE: none is free. */
uint32_t transfer_open(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user, uint64_t now);
/* Not known by its key any more. Gone, unless its outcome waits to be taken. */
void transfer_close(struct rmpp *rmpp, uint32_t entry);
/* There is an outcome to be taken. */
void transfer_tell(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
/* Closed, its message given back; and there is an outcome to be taken. */
void transfer_fail(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
uint64_t transfer_id(const struct rmpp *rmpp, uint32_t entry);
/* It has something to write. */
void transfer_ready(struct rmpp *rmpp, uint32_t entry);

/* peer.c: whose transfer an arriving MAD belongs to. */
struct rmpp_key peer_key(const struct ib_user_mad *umad, unsigned int lane, enum key_kind kind);
/* Of the answers to a message. */
struct rmpp_key peer_answer_key(const struct ib_user_mad *message, unsigned int lane);
uint32_t peer_find(const struct rmpp *rmpp, const struct rmpp_key *key);
void peer_insert(struct rmpp *rmpp, uint32_t entry);
void peer_remove(struct rmpp *rmpp, uint32_t entry);

/* timer.c */
/* To be called when one of a transfer's times has been set. */
void timer_update(struct rmpp *rmpp, uint32_t entry);
/* A time this much later; RMPP_NEVER stays. */
uint64_t timer_after(uint64_t now, uint64_t ns);

/* frame.c */
/* Answers a MAD by STOP or ABORT. */
void frame_refuse(struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		  uint8_t status);
/* Gives up what was to be told on a lane; @agent_id: by one of the kernel's agents, or NULL. */
void frame_drop(struct rmpp *rmpp, unsigned int lane, const uint32_t *agent_id);
/* Tells the other end of a transfer that it is over. */
void frame_abandon(struct rmpp *rmpp, uint32_t entry, uint8_t status);

/* rmpp_send.c */
void send_ack(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
	      const struct rmpp_header *header, uint64_t now);
/* Writes the next segment, or the ACK that turns the transfer round, into a frame. Returns the
   segment; 0 for that ACK. */
uint32_t send_write(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
bool send_has_more(const struct rmpp *rmpp, uint32_t entry);
/* That was not written after all. */
void send_postpone(struct rmpp *rmpp, uint32_t entry, const struct frame *frame, uint32_t segment);
void send_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);

/* rmpp_receive.c */
enum rmpp_verdict receive_data(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
			       const struct rmpp_header *header, uint64_t now, uint64_t *id);
void receive_write_ack(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
void receive_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);
/* Gives its message back, if it has one. */
void receive_drop(struct rmpp *rmpp, uint32_t entry);
/* Its message is another's. */
void receive_release(struct rmpp *rmpp, uint32_t entry);
/* Its outcome was taken: it may make room for another from now on. */
void receive_linger(struct rmpp *rmpp, uint32_t entry);
/* Before it is closed. */
void receive_unlinger(struct rmpp *rmpp, uint32_t entry);

#endif
