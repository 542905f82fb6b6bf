/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP's state, and the functions that its files call in each other. */
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
 * The fields that an arriving MAD must have to belong to a transfer. The key of a received message
 * has the fields of its segments; that of a sent message, those of the answers to it. A key has no
 * padding: it is compared and hashed as a whole.
 */
struct rmpp_key {
	uint64_t tid; /* as in the MAD; of a response only the low half, the rest is the kernel's */
	uint64_t gid[2]; /* of the other end; 0 without a GRH */
	uint32_t qpn;	 /* network order, as in the umad header */
	uint32_t agent_id;
	uint16_t lid; /* network order; 0 with a GRH, because then it is a router's */
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
	TRANSFER_SENT,	   /* all of it is acknowledged; its reply is expected */
	TRANSFER_RECEIVED, /* complete; it answers repeated segments */
	TRANSFER_ENDED,	   /* not in the hash table any more; its outcome waits to be taken */
};

struct send {
	const struct ib_user_mad *message;
	uint32_t length; /* of the message, in bytes of MAD */
	uint32_t header; /* bytes of the class header, which each segment repeats */
	uint32_t count;	 /* segments */
	uint32_t next;	 /* the next segment to write in order */
	uint32_t high;	 /* the highest segment that was written */
	uint32_t acked;
	uint32_t window;   /* the last segment that may be written */
	uint32_t repair;   /* the segment to write out of order; 0: none */
	uint32_t repaired; /* the last segment that was written out of order */
	uint32_t recover;  /* .high when a gap was reported: there may be more gaps up to it */
	uint32_t timed;	   /* the segment whose ACK is timed; 0: none */
	uint64_t timed_at;
	uint64_t first_timeout_ns;
	uint64_t response_ns; /* the other end's RRespTime */
	struct rtt_estimate rtt;
	unsigned int retries;
	uint32_t reply_ms;
	uint32_t replies_accepted; /* replies that the kernel would accept now, see rmpp_send.c */
	uint32_t repeats;	   /* segments written again, each of which may get its own ACK */
	unsigned int timeouts;	   /* since the last progress */
	bool turn; /* the ACK that turns the transfer's direction has to be written */
};

struct receive {
	struct ib_user_mad *message; /* NULL: it was handed out */
	size_t room;		     /* in .message, bytes of MAD */
	uint32_t header;	     /* bytes of the class header */
	uint32_t segment;	     /* the last segment before the first gap */
	uint32_t acked;		     /* .segment in the last ACK */
	uint32_t window;	     /* the last segment that the sender may write */
	uint32_t highest;	     /* the highest segment that has come */
	uint32_t last;		     /* the segment with the last flag; 0: not known */
	uint32_t last_payload;
	uint32_t declared;	 /* the first segment's PayloadLength; 0: it declares none */
	uint32_t gap_reported;	 /* the segment before the gap that was last reported */
	uint32_t reply_window;	 /* of the response, if this is a request */
	uint64_t ahead;		 /* bit i: segment .segment + i + 1 has come */
	uint64_t ack_written_at; /* when the last ACK was written */
	bool ack;		 /* an ACK has to be written */
	bool gap;		 /* that ACK has to report a gap */
	struct list_link linger; /* in rmpp.lingering, while .lingers */
	bool lingers;
	ib_mad_addr_t addr;
	uint8_t first[64]; /* the headers of the first segment */
};

_Static_assert(8 * sizeof(((struct receive *)0)->ahead) >= RMPP_MAX_WINDOW,
	       "each segment of a window has a bit");

struct transfer {
	struct rmpp_key key;
	uint64_t user;
	uint64_t timeout_at; /* ns; RMPP_NEVER */
	uint64_t total_at;   /* when the whole message times out, ns; RMPP_NEVER */
	uint64_t hold_at;    /* until when it writes nothing, because a write failed for now */
	uint32_t serial;
	uint32_t bucket_next;	       /* the next transfer in its bucket, or TRANSFER_NONE */
	struct list_link ready_link;   /* in rmpp.ready, while .ready */
	struct list_link outcome_link; /* in rmpp.outcomes, while .has_outcome */
	struct list_link free_link;    /* in the list of free transfers */
	uint8_t state;
	uint8_t rmpp_status;
	uint8_t refusals; /* writes in a row that failed for lack of memory */
	bool ready;
	bool has_outcome;
	bool skips_outcome; /* rmpp_next_outcome() does not return it */
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

/* The content of a frame, which is needed when its write is reported. */
struct frame_use {
	uint32_t serial;       /* of its transfer */
	uint32_t entry;	       /* its transfer; TRANSFER_NONE: a STOP or ABORT, written only once */
	uint32_t segment;      /* 0: an ACK */
	struct list_link link; /* in rmpp.free_frames or rmpp.refusals */
	uint16_t lane;
	bool handed_out; /* its write is not reported yet */
};

struct rmpp {
	struct rmpp_config config;
	uint64_t now, heard; /* the latest times that the caller passed, ns */
	uint32_t serial;
	struct transfer *transfer; /* first the sends, then the receives */
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
	struct list refusals; /* STOP and ABORT frames, which are written before all others */

	uint64_t memory; /* bytes of MAD taken for messages that were not handed out */
	struct rmpp_stats stats;
};

/* Records the time and checks that it does not go back. */
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

/*
 * transfer.c: the transfers, each of which is one message.
 *
 * `transfer_open` takes a free transfer for @key. Its only timer is the total one. Returns
 * TRANSFER_NONE if none is free.
 * `transfer_close` removes a transfer from the hash table, and frees it unless its outcome waits
 * to be taken.
 * `transfer_set_outcome` records the outcome of a transfer.
 * `transfer_fail` records the outcome of a transfer, gives its message back, and closes it.
 * `transfer_id` returns the id of a transfer.
 * `transfer_ready` lists a transfer that has something to write.
 */
uint32_t transfer_open(struct rmpp *rmpp, const struct rmpp_key *key, uint64_t user, uint64_t now);
void transfer_close(struct rmpp *rmpp, uint32_t entry);
void transfer_set_outcome(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
void transfer_fail(struct rmpp *rmpp, uint32_t entry, int status, uint8_t rmpp_status);
uint64_t transfer_id(const struct rmpp *rmpp, uint32_t entry);
void transfer_ready(struct rmpp *rmpp, uint32_t entry);

/*
 * peer.c: finds the transfer of an arriving MAD.
 *
 * `peer_key` returns the key of a MAD; `peer_answer_key`, that of the answers to a message.
 * `peer_find` returns the transfer of a key, or TRANSFER_NONE.
 * `peer_insert` and `peer_remove` put a transfer into the hash table, and take it out.
 */
struct rmpp_key peer_key(const struct ib_user_mad *umad, unsigned int lane, enum key_kind kind);
struct rmpp_key peer_answer_key(const struct ib_user_mad *message, unsigned int lane);
uint32_t peer_find(const struct rmpp *rmpp, const struct rmpp_key *key);
void peer_insert(struct rmpp *rmpp, uint32_t entry);
void peer_remove(struct rmpp *rmpp, uint32_t entry);

/*
 * timer.c: the timers of transfers.
 *
 * `timer_update` sets a transfer's timer. Call it after one of the transfer's times has changed.
 * `timer_after` returns @now + @ns, or RMPP_NEVER if either of them is.
 */
void timer_update(struct rmpp *rmpp, uint32_t entry);
uint64_t timer_after(uint64_t now, uint64_t ns);

/*
 * frame.c: the frames that are written.
 *
 * `frame_refuse` answers a MAD by STOP or ABORT.
 * `frame_drop_refusals` drops the STOP and ABORT frames of a lane; if @agent_id is not NULL, only
 * those of that kernel agent. `frame_abandon` tells the other end of a transfer by STOP or ABORT
 * that it has ended.
 */
void frame_refuse(struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		  uint8_t status);
void frame_drop_refusals(struct rmpp *rmpp, unsigned int lane, const uint32_t *agent_id);
void frame_abandon(struct rmpp *rmpp, uint32_t entry, uint8_t status);

/*
 * rmpp_send.c: messages that are sent.
 *
 * `send_receive_ack` takes an ACK.
 * `send_write` writes the next segment, or the ACK that turns the transfer's direction, into a
 * frame. Returns the segment's number, or 0 for the ACK.
 * `send_has_more` tells whether there is something to write.
 * `send_postpone` takes back what send_write() has written, because the device did not take it.
 * `send_expire` handles the expiry of a timer.
 */
void send_receive_ack(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
		      const struct rmpp_header *header, uint64_t now);
uint32_t send_write(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
bool send_has_more(const struct rmpp *rmpp, uint32_t entry);
void send_postpone(struct rmpp *rmpp, uint32_t entry, const struct frame *frame, uint32_t segment);
void send_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);

/*
 * rmpp_receive.c: messages that are received.
 *
 * `receive_data` takes a segment, which may begin a message.
 * `receive_write_ack` writes the next ACK into a frame.
 * `receive_expire` handles the expiry of a timer.
 * `receive_drop` gives the transfer's message back, if it has one.
 * `receive_release` forgets the transfer's message, because the caller has it now.
 * `receive_linger` lists a transfer whose outcome was taken: it may be closed to make room.
 * `receive_unlinger` takes a transfer off that list.
 */
enum rmpp_verdict receive_data(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
			       const struct rmpp_header *header, uint64_t now, uint64_t *id);
void receive_write_ack(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
void receive_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);
void receive_drop(struct rmpp *rmpp, uint32_t entry);
void receive_release(struct rmpp *rmpp, uint32_t entry);
void receive_linger(struct rmpp *rmpp, uint32_t entry);
void receive_unlinger(struct rmpp *rmpp, uint32_t entry);

#endif
