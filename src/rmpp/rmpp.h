/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RMPP (IBA 13.6): sends and receives messages longer than a MAD in segments.
 *
 * This code is pure. It makes no system call and reads no clock. Once it is open, it allocates
 * only received messages, from the memory that it is given. The caller passes the time to each
 * function, in ns; it never goes back. rmpp_input() takes the MADs that were read.
 * rmpp_next_frame() returns the MADs to write, and rmpp_next_outcome() the messages that have
 * ended.
 *
 * It serves agents that are registered with UMAD_USER_RMPP: for them the kernel passes each
 * segment on as a MAD of its own, in both directions.
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
#define RMPP_MAX_MESSAGE   (1u << 31) /* bytes; its length fits in a PayloadLength */

/* The memory for received messages. */
struct rmpp_memory {
	/* Returns a buffer for @bytes bytes of MAD after its umad header, or NULL. */
	struct ib_user_mad *(*take)(void *context, size_t bytes);
	void (*give)(void *context, struct ib_user_mad *message);
	void *context;
};

struct rmpp_config {
	uint32_t sends;	      /* messages that may be sent at once */
	uint32_t receives;    /* messages that may be received at once, with those that linger */
	uint32_t frames;      /* MADs that may be handed out and not be reported yet */
	uint32_t window;      /* segments that a sender may be ahead of the last ACK: 1 to 64 */
	size_t message_limit; /* bytes of MAD in a received message: 256 to RMPP_MAX_MESSAGE */
	/*
	 * The wait for an ACK follows the round trip, within these limits, and doubles at each
	 * retry.
	 */
	uint64_t first_timeout_ns, min_timeout_ns, max_timeout_ns;
	unsigned int retries; /* without an ACK for something new */
	uint64_t idle_ns;     /* how long a receiver waits for a new segment */
	uint64_t total_ns;    /* how long a message may take in all; RMPP_NEVER: no limit */
	uint64_t linger_ns;   /* how long a repeated last segment still gets its ACK */
	uint64_t tick_ns;     /* > 0 */
	uint64_t seed;	      /* of the hash table */
	uint64_t now;
	struct rmpp_memory memory;
};

/* Opens RMPP. Returns 0, -EINVAL (a value of @config is out of range) or -ENOMEM. */
int rmpp_open(struct rmpp **rmpp, const struct rmpp_config *config);
/* Closes RMPP, and gives back messages that are incomplete or were not taken. Accepts NULL. */
void rmpp_close(struct rmpp *rmpp);

/* Tells whether @bytes bytes of MAD are RMPP: the class has RMPP, and it is active. */
bool rmpp_takes(const uint8_t *mad, size_t bytes);

/*
 * Tells whether a MAD comes from the receiver of a message that is being sent. @bytes counts the
 * umad header and the MAD.
 */
bool rmpp_awaits(const struct rmpp *rmpp, unsigned int lane, const struct ib_user_mad *umad,
		 size_t bytes);

struct rmpp_message {
	/*
	 * The message, with its address, agent, TID and class header. RMPP ignores its RMPP header,
	 * never writes to it, and reads it until its outcome is taken.
	 */
	const struct ib_user_mad *umad;
	size_t length;	       /* bytes of MAD, from the class header's to RMPP_MAX_MESSAGE */
	unsigned int lane;     /* each of its frames has it */
	uint32_t reply_ms;     /* how long the kernel accepts a reply; 0: there is none */
	uint64_t timeout_ns;   /* of the first ACK; 0: the configured one */
	unsigned int attempts; /* at each segment; 0: one more than the configured retries */
	uint64_t user;	       /* its outcome has it */
};

/*
 * Starts to send a message and stores its id. Returns 0, -EAGAIN (rmpp_config.sends are being
 * sent), -EINVAL (its class has no RMPP, or its length is wrong) or -EEXIST (a message with the
 * same TID to the same node is being sent).
 */
int rmpp_send(struct rmpp *rmpp, const struct rmpp_message *message, uint64_t now, uint64_t *id);

/* A MAD that was read. */
struct rmpp_arrival {
	unsigned int lane;
	/* The MAD as it was read. RMPP trusts no byte of it, and does not keep it. */
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	/* A message may begin with this MAD if .accept; .user is then that of its outcome. */
	bool accept;
	uint64_t user;
	/* The caller will never accept such a MAD. RMPP tells its sender by ABORT. */
	bool unwanted;
};

/* The outcome of rmpp_input(). */
enum rmpp_verdict {
	RMPP_PLAIN,	/* it is not RMPP */
	RMPP_MALFORMED, /* it is too short */
	RMPP_TAKEN,	/* it belongs to a message that is known, was known, or may follow */
	RMPP_STARTED,	/* a message begins with it, and may have ended already */
	RMPP_REFUSED,	/* it belongs to no known message, and was answered by STOP or ABORT */
	RMPP_DISMISSED, /* a STOP or ABORT of no known message */
	RMPP_STRAY,	/* any other MAD of no known message */
};

/*
 * Takes a MAD that was read. Stores the id of its message, if it has one, in @id unless that is
 * NULL.
 */
enum rmpp_verdict rmpp_input(struct rmpp *rmpp, const struct rmpp_arrival *arrival, uint64_t now,
			     uint64_t *id);

/*
 * Each ends messages without an outcome:
 *
 * `rmpp_cancel` ends a message, if it is still known, and sends an ABORT. 0 is never an id.
 * `rmpp_forget` does the same without an ABORT. Use it when the reply to a sent message has come.
 * `rmpp_forget_lane` forgets all messages of a lane, and writes nothing more there. Messages that
 * wait for rmpp_next_outcome() stay.
 * `rmpp_forget_agent` does the same for one kernel agent of a lane.
 */
void rmpp_cancel(struct rmpp *rmpp, uint64_t id);
void rmpp_forget(struct rmpp *rmpp, uint64_t id);
void rmpp_forget_lane(struct rmpp *rmpp, unsigned int lane);
void rmpp_forget_agent(struct rmpp *rmpp, unsigned int lane, uint32_t agent_id);

struct rmpp_frame {
	const struct ib_user_mad *umad;
	size_t bytes; /* umad header and MAD */
	unsigned int lane;
	uint32_t slot; /* for rmpp_frame_done() */
};

/* Returns the next MAD to write. Returns false if there is none, or if no frame is free. */
bool rmpp_next_frame(struct rmpp *rmpp, uint64_t now, struct rmpp_frame *frame);
/* Returns the frame that was handed out as @slot, until its write is reported. */
struct rmpp_frame rmpp_frame_of(const struct rmpp *rmpp, uint32_t slot);
/* Tells whether there may be a frame to write. If not, rmpp_next_frame() returns false. */
bool rmpp_wants_frame(const struct rmpp *rmpp);
/*
 * Reports the end of the write of @slot; @error is 0 or a negative errno. After -EAGAIN the frame
 * is written again a tick later. After -ENOMEM and -ENOBUFS it is written again up to ten times
 * in a row, after pauses that start with a tick and double. Any other error ends the frame's
 * message.
 */
void rmpp_frame_done(struct rmpp *rmpp, uint32_t slot, int error, uint64_t now);

/* Fires the timers that are due at @now, which may be earlier than the other functions' time. */
void rmpp_advance(struct rmpp *rmpp, uint64_t now);
/* Returns the latest time at which to call rmpp_advance(), or RMPP_NEVER. It may be too early. */
uint64_t rmpp_next_deadline(const struct rmpp *rmpp);

/* The end of a message. */
struct rmpp_outcome {
	uint64_t id;
	uint64_t user;
	bool sent; /* it was sent; false: it was received */
	/*
	 * 0             all of it was acknowledged, or received
	 * -ETIMEDOUT    the other end was silent for too long, or the message took too long
	 * -ECONNABORTED the other end ended it by STOP or ABORT
	 * -EPROTO       the other end broke the rules; it was sent an ABORT
	 * -EMSGSIZE     it is longer than the limit; the other end was sent a STOP
	 * -ENOMEM       there is no memory for it; the other end was sent a STOP
	 * other         the errno of a write
	 */
	int status;
	uint8_t rmpp_status;	     /* of the STOP or ABORT of either end; 0: none */
	struct ib_user_mad *message; /* the received message, which the caller now owns; or NULL */
	size_t length;		     /* bytes of MAD in it */
};

/*
 * Returns the next message that has ended. Returns false if there is none. A sent message that
 * expects a reply stays known until rmpp_forget(), and meanwhile turns the transfer's direction.
 * All other messages are not known any more.
 */
bool rmpp_next_outcome(struct rmpp *rmpp, struct rmpp_outcome *outcome);

struct rmpp_stats {
	uint64_t sent, received; /* complete messages */
	uint64_t send_failed, receive_failed;
	uint64_t segments, resent;	   /* segments written; how many of them were repeated */
	uint64_t segments_in, repeated_in; /* segments read; how many of them were repeated */
	uint64_t acks, acks_in;
	uint64_t refusals, refusals_in; /* STOP and ABORT */
	uint64_t dropped;		/* a STOP or ABORT for which no frame was free */
	uint64_t stray, malformed;
	uint64_t memory_peak; /* the most bytes of MAD taken for incomplete messages */
};
const struct rmpp_stats *rmpp_stats(const struct rmpp *rmpp);

/*
 * Recounts all that RMPP keeps count of and asserts its invariants. In builds without assertions it
 * does nothing.
 */
void rmpp_check(const struct rmpp *rmpp);

#endif
