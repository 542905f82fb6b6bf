/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RMPP (IBA 13.6): messages longer than a MAD, sent and received in segments.
 *
 * Pure: it makes no system call, reads no clock, and allocates nothing once it is open but
 * messages that are received, from the memory it is given. Time comes in as an argument, in
 * ns, and never goes back. MADs that were read go in by rmpp_input(), MADs to be written are
 * pulled out by rmpp_next_frame(), what has ended by rmpp_next_outcome().
 *
 * It speaks for agents that are registered with UMAD_USER_RMPP, for which the kernel passes
 * each segment on as a MAD of its own, both ways.
 */
#ifndef MADRING_RMPP_RMPP_H
#define MADRING_RMPP_RMPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>

struct rmpp;

#define RMPP_NEVER	   UINT64_MAX
#define RMPP_MAX_TRANSFERS (1u << 20)
#define RMPP_MAX_FRAMES	   (1u << 16)
#define RMPP_MAX_WINDOW	   64u
#define RMPP_MAX_MESSAGE   (1u << 31) /* bytes; what can be told in a PayloadLength, and more */

/* Where messages that are received are put together. */
struct rmpp_memory {
	/* A buffer for @bytes bytes of MAD behind its umad header; NULL: there is no room. */
	struct ib_user_mad *(*take)(void *context, size_t bytes);
	void (*give)(void *context, struct ib_user_mad *message);
	void *context;
};

struct rmpp_config {
	uint32_t sends;	      /* messages on their way out at once */
	uint32_t receives;    /* on their way in, and those that linger */
	uint32_t frames;      /* MADs that may be handed out and not be reported yet */
	uint32_t window;      /* segments that a sender may be ahead of the last ACK: 1 to 64 */
	size_t message_limit; /* bytes of MAD in a message received: 256 to RMPP_MAX_MESSAGE */
	/* How long an ACK is waited for: by the round trip, within these; doubled at each retry. */
	uint64_t first_timeout_ns, min_timeout_ns, max_timeout_ns;
	unsigned int retries; /* of what is not acknowledged, until something is */
	uint64_t idle_ns;     /* the longest that a receiver waits for a new segment */
	uint64_t total_ns;    /* of a whole message, either way; RMPP_NEVER */
	uint64_t linger_ns;   /* a last segment that is repeated still gets its ACK */
	uint64_t tick_ns;     /* > 0 */
	uint64_t seed;	      /* of the tables */
	uint64_t now;
	struct rmpp_memory memory;
};

/* 0, -EINVAL or -ENOMEM. */
int rmpp_open(struct rmpp **rmpp, const struct rmpp_config *config);
/* Gives messages back that are not complete, or were not taken. NULL is accepted. */
void rmpp_close(struct rmpp *rmpp);

/* Whether @bytes bytes of MAD belong to an RMPP transfer: the class has RMPP, and it is active. */
bool rmpp_takes(const uint8_t *mad, size_t bytes);

/* Whether @bytes bytes, umad header and MAD, are what its receiver says of a message that is being
   sent. */
bool rmpp_awaits(const struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		 size_t bytes);

struct rmpp_message {
	/* Addressed, with the kernel's agent, TID and class header in place; what stands in the
	   RMPP header is not looked at. Read until the outcome is taken, never written. */
	const struct ib_user_mad *umad;
	size_t length;	       /* bytes of MAD, from the class header's to RMPP_MAX_MESSAGE */
	unsigned int lane;     /* handed back with each of its frames */
	uint32_t reply_ms;     /* how long the kernel is to let a reply through; 0: none comes */
	uint64_t timeout_ns;   /* of the first ACK; 0: the configured one */
	unsigned int attempts; /* at what is not acknowledged; 0: by the configured retries */
	uint64_t user;	       /* handed back with the outcome */
};

/*
 * Sends a message. 0 and *id; or -EAGAIN (as many are on their way), -EINVAL (its class has no
 * RMPP, or the length), -EEXIST (one to the same end with the same TID is on its way).
 */
int rmpp_send(struct rmpp *rmpp, const struct rmpp_message *message, uint64_t now, uint64_t *id);

struct rmpp_arrival {
	unsigned int lane;
	/* As it was read, every byte of it untrusted; not kept. */
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	/* Whether a message may begin with it, and what is then handed back with the outcome. */
	bool accept;
	uint64_t user;
	/* Nobody will ever accept it, which its sender is told by ABORT. */
	bool unwanted;
};

enum rmpp_verdict {
	RMPP_PLAIN,	/* no RMPP MAD */
	RMPP_MALFORMED, /* one, but not a whole one */
	RMPP_TAKEN,	/* of a message that is known, was, or may be to come */
	RMPP_STARTED,	/* a message has begun with it, and may have ended: *id */
	RMPP_REFUSED,	/* of none that is known, and was answered by STOP or ABORT */
	RMPP_DISMISSED, /* a STOP or ABORT of no message that is known */
	RMPP_STRAY,	/* all else of no message that is known */
};

/* Takes a MAD that was read. @id: may be NULL. */
enum rmpp_verdict rmpp_input(struct rmpp *rmpp, const struct rmpp_arrival *arrival, uint64_t now,
			     uint64_t *id);

/* Ends a message, if it is still known (0 never is), without an outcome; the other end is told by
 * ABORT. */
void rmpp_cancel(struct rmpp *rmpp, uint64_t id);
/* The same without telling the other end: a message sent whose reply has come. */
void rmpp_forget(struct rmpp *rmpp, uint64_t id);
/*
 * Forgets all messages of a lane, but for those that wait in rmpp_next_outcome(), and writes
 * nothing more there.
 */
void rmpp_forget_lane(struct rmpp *rmpp, unsigned int lane);
/* The same of one kernel's agent on a lane. */
void rmpp_forget_agent(struct rmpp *rmpp, unsigned int lane, uint32_t agent_id);

struct rmpp_frame {
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	unsigned int lane;
	uint32_t slot; /* for rmpp_frame_done() */
};

/* The next MAD to be written. False: none, or all frames are handed out. */
bool rmpp_next_frame(struct rmpp *rmpp, uint64_t now, struct rmpp_frame *frame);
/* The one that was handed out as @slot, and is not reported yet. */
struct rmpp_frame rmpp_frame_of(const struct rmpp *rmpp, uint32_t slot);
/* False when rmpp_next_frame() would give none. */
bool rmpp_wants_frame(const struct rmpp *rmpp);
/*
 * `rmpp_frame_done` reports that the write of @slot has ended: 0, or -errno. After -EAGAIN it is
 * made again a tick later. After -ENOMEM and -ENOBUFS it is made again, too, up to ten times in a
 * row, with pauses that double from a tick on. Any other error ends the message that it carried.
 */
void rmpp_frame_done(struct rmpp *rmpp, uint32_t slot, int error, uint64_t now);

/* Fires the timers that are due at @now, which may be before the last time that anything else was
   told. */
void rmpp_advance(struct rmpp *rmpp, uint64_t now);
/* When rmpp_advance() should be called at the latest; RMPP_NEVER. May be early. */
uint64_t rmpp_next_deadline(const struct rmpp *rmpp);

struct rmpp_outcome {
	uint64_t id;
	uint64_t user;
	bool sent; /* a message sent; false: one received */
	/*
	 * 0             it is acknowledged as a whole; or has come as a whole
	 * -ETIMEDOUT    nothing came from the other end for too long, or it took too long in all
	 * -ECONNABORTED the other end ended it by STOP or ABORT
	 * -EPROTO       what the other end sent breaks the rules; it was told by ABORT
	 * -EMSGSIZE     it is longer than the limit; the other end was told by STOP
	 * -ENOMEM      there is no memory for it; likewise
	 * other         the errno of a write
	 */
	int status;
	uint8_t rmpp_status;	     /* of the STOP or ABORT, whoever sent it; 0: none */
	struct ib_user_mad *message; /* what was received: the caller's from now on; else NULL */
	size_t length;		     /* bytes of MAD in it */
};

/*
 * The next message that has ended. False: none. A message sent for which a reply is expected
 * is known until rmpp_forget(), and turns the transfer round meanwhile; all others are not
 * known to rmpp_cancel() any more.
 */
bool rmpp_next_outcome(struct rmpp *rmpp, struct rmpp_outcome *outcome);

struct rmpp_stats {
	uint64_t sent, received; /* messages, as a whole */
	uint64_t send_failed, receive_failed;
	uint64_t segments, resent;	   /* written; of these, not for the first time */
	uint64_t segments_in, repeated_in; /* read; of these, not for the first time */
	uint64_t acks, acks_in;
	uint64_t refusals, refusals_in; /* STOP and ABORT */
	uint64_t dropped;		/* a STOP or ABORT for which there was no frame */
	uint64_t stray, malformed;
	uint64_t memory_peak; /* bytes of MAD that messages being received had room for */
};
const struct rmpp_stats *rmpp_stats(const struct rmpp *rmpp);

/* `rmpp_check` asserts RMPP's invariants, after counting all anew. In builds without assertions it
   does nothing. */
void rmpp_check(const struct rmpp *rmpp);

#endif
