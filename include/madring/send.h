/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending: a request and its one completion. */
#ifndef MADRING_SEND_H
#define MADRING_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_agent;
struct madring_mad;

/* The outcome of a transaction. Valid until the callback returns. */
struct madring_completion {
	void *user;		     /* madring_send_options.user */
	struct madring_agent *agent; /* by which it was sent; NULL once that was closed */
	uint64_t id;		     /* madring_send_options.id */
	/*
	 * 0             a reply came (or, with no_reply, the MAD was written). Whether it is a
	 *               good one is for madring_mad_status() to tell: a node, or a kernel that
	 *               has no agent for the class, may refuse; of BUSY and redirects see
	 *               madring_agent_config.report_busy
	 * -ETIMEDOUT    no attempt was answered in time
	 * -ECANCELED    madring_cancel(), madring_agent_cancel(), or a close
	 * -EMSGSIZE     the reply is longer than there will ever be room for; see
	 *               madring_config.message_bytes
	 * -EPROTOTYPE   the reply comes in several segments, and the agent has no RMPP
	 * -ENOMEM, -ECONNABORTED, -EPROTO
	 *               with MADRING_RMPP_USER: there was no room for the reply; or the other
	 *               end ended a message in segments; or it broke RMPP's rules
	 * -EEXIST       with MADRING_RMPP_USER: the response to this request is on its way already
	 * -ENODEV       the device is gone
	 * other         the errno of the write to the umad device, such as -EINVAL for a
	 *               directed route with a bad hop pointer, or -EIO when the program has
	 *               unregistered an adopted agent. A write that fails with -ENOMEM or
	 *               -ENOBUFS is made again first, with growing pauses, within the attempt's
	 *               timeout; with no_reply so is one that fails with -EINVAL, for a second
	 */
	int status;
	/* The reply, or NULL when there is none. Taken back when the callback returns, unless
	   madring_mad_keep() was called for it. */
	struct madring_mad *mad;
	size_t length; /* bytes of MAD in the reply */
	/* The request as last sent. Taken back likewise. */
	struct madring_mad *request;
	unsigned int attempts; /* how often it was written */
	/* From the write of the attempt that was answered to its reply; 0 when not known, as
	   when the kernel retries. */
	uint64_t rtt_ns;
	/* Of the RMPP STOP or ABORT (IBA 13.6.2.1), whoever sent it, that is the reason for the
	   status; else 0. With MADRING_RMPP_USER; the kernel does not tell. */
	uint8_t rmpp_status;
};

typedef void (*madring_callback)(const struct madring_completion *completion);

/* How one request is sent. Zeroed fields take the agent's settings. */
struct madring_send_options {
	madring_callback callback; /* may be NULL */
	void *user;
	uint64_t *id;  /* where to store the transaction's id for madring_cancel(); may be NULL */
	size_t length; /* bytes of MAD; 0: 256, or 2048 in a large buffer; of a message: not 0 */
	/*
	 * Requests with the same flow share a window and a round-trip estimate within the
	 * agent. 0: by the destination, which is the LID, or the whole directed route.
	 */
	uint64_t flow;
	int timeout_ms; /* of every attempt; 0: the agent's; MADRING_FOREVER */
	int retries;	/* 0: the agent's; MADRING_NO_RETRIES; at most 254 */
	/*
	 * No reply is expected: complete when the MAD is written. Its TID stays as it is. Linux
	 * refuses (-EINVAL) a TID while it still sends another MAD of the same; madring then
	 * writes it again later, but MADs go faster with a TID each.
	 */
	bool no_reply;
	/*
	 * The kernel does the retrying, as umad_send(3) has it: timeout_ms (above 0, or
	 * MADRING_FOREVER) and retries (0 or more, and as many as that) are its own. There is
	 * one attempt then, which ends by the reply, whatever that is, or by the kernel's
	 * notice, with -ETIMEDOUT. Not for a message that madring makes segments of.
	 */
	bool kernel_retries;
	/* Must be zero. */
	uint64_t reserved[2];
};

/*
 * Queues a request. No system call: madring_run(), madring_step() or madring_submit()
 * writes it when the windows allow. The response to a request is sent with .no_reply, and keeps
 * its TID.
 * @mad: prepared and addressed, TID aside, which is set for each attempt (its low 32 bits
 * are madring's, its high 32 bits the kernel's). Owned by madring from success on.
 * @send: may be NULL. Exactly one completion follows.
 * Returns 0, or (the buffer is still the caller's)
 *   -EAGAIN     madring_config.transactions are outstanding: run the ring
 *   -EINVAL     a length beyond the buffer, or none of a message; or a timeout or retries
 *               out of range; or .kernel_retries for a message in segments of MADRING_RMPP_USER
 *   -EMSGSIZE   longer than a MAD, and the agent has no RMPP, or madring_rmpp_prepare() has
 *               not been called for @mad
 *   -EPROTOTYPE the SA answers the method (GetTable, GetTraceTable, GetMulti) in segments, and
 *               the agent has no RMPP
 *   -ENODEV     the device is gone
 *   -ESHUTDOWN  the ring or the agent is being closed
 */
int madring_send(struct madring_agent *agent, struct madring_mad *mad,
		 const struct madring_send_options *send);

/*
 * Cancels a transaction by the id that madring_send() stored: it completes with
 * -ECANCELED at the next dispatch. Returns 0, or -ENOENT when it has completed already.
 */
int madring_cancel(struct madring *ring, uint64_t id);

/*
 * Makes the buffer of a completion, its reply or its request, or of a request that was
 * received, the caller's: to be called in the callback; given back by madring_mad_put(), or sent.
 * The buffer still has its MAD. Behind a MAD that was received, the rest of its room is zero.
 * Returns 0, or -EINVAL when @mad is neither, or outside a callback.
 */
int madring_mad_keep(struct madring *ring, struct madring_mad *mad);

/*
 * Sends and waits for the outcome, running the ring meanwhile: callbacks of other
 * transactions are called. @send: as for madring_send(); its callback is not used.
 * @completion: filled. The buffers in it are the caller's, to be given back by
 * madring_mad_put().
 * Returns the completion's status, or an error of madring_send() (when @completion->request
 * is NULL, @mad is still the caller's), or -EBUSY from a callback, or -EREMOTE when the ring
 * belongs to another thread or to the parent process, or -EINTR after a signal, or an error of
 * io_uring_enter(2) (with these two the transaction is cancelled, and its buffers were taken back).
 */
int madring_call(struct madring_agent *agent, struct madring_mad *mad,
		 const struct madring_send_options *send, struct madring_completion *completion);

#ifdef __cplusplus
}
#endif
#endif
