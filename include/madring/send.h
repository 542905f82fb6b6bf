/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends requests, each with exactly one completion. */
#ifndef MADRING_SEND_H
#define MADRING_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_agent;
struct madring_mad;

/* Holds the outcome of a transaction. Valid until the callback returns. */
struct madring_completion {
	void *user;		     /* madring_send_options.user */
	struct madring_agent *agent; /* the sender; NULL once it has been closed */
	uint64_t id;		     /* madring_send_options.id */
	/*
	 * 0             a reply arrived (or, with no_reply, the MAD was written).
	 *               madring_mad_status() says whether it is a good one: a node, or a kernel
	 *               without an agent for the class, may refuse. For BUSY and redirects see
	 *               madring_agent_config.report_busy
	 * -ETIMEDOUT    no attempt got a reply in time
	 * -ECANCELED    madring_cancel(), madring_agent_cancel(), or a close
	 * -EMSGSIZE     the reply is longer than madring_config.message_bytes allows
	 * -EPROTOTYPE   the reply has several segments, and the agent has no RMPP
	 * -ENOMEM, -ECONNABORTED, -EPROTO
	 *               with MADRING_RMPP_USER: there was no room for the reply; or the other
	 *               end ended the transfer; or it broke RMPP's rules
	 * -EEXIST       with MADRING_RMPP_USER: a response to this request is already being sent
	 * -ENODEV       the device is gone
	 * other         the errno of the write to the umad device, such as -EINVAL for a
	 *               directed route with a bad hop pointer, or -EIO when the program has
	 *               unregistered an adopted agent. A write that fails with -ENOMEM or
	 *               -ENOBUFS is first repeated with growing pauses, within the attempt's
	 *               timeout; with no_reply, one that fails with -EINVAL is repeated for up to
	 *               a second
	 */
	int status;
	/* The reply, or NULL when there is none. Taken back when the callback returns, unless it
	   calls madring_mad_keep(). */
	struct madring_mad *mad;
	size_t length; /* bytes of MAD in the reply */
	/* The request as last sent. Taken back in the same way. */
	struct madring_mad *request;
	unsigned int attempts; /* times that the request was written */
	/* The time from the write of the answered attempt to its reply; 0 if that is not known, as
	   when the kernel retries. */
	uint64_t rtt_ns;
	/* The RMPP status of the STOP or ABORT (IBA 13.6.2.1) that is the reason for .status,
	   whichever end sent it; else 0. Only with MADRING_RMPP_USER: the kernel does not report
	   it. */
	uint8_t rmpp_status;
	/*
	 * When the reply was read, in ns of CLOCK_MONOTONIC (clock_gettime(2)); of a message in
	 * segments, when its last segment was. Replies that the ring finds at one look have the
	 * same time. 0 without a reply.
	 */
	uint64_t received_ns;
};

/*
 * Called with the outcome of a transaction. It may send and cancel, but not run or close the
 * ring.
 */
typedef void (*madring_callback)(const struct madring_completion *completion);

/* Describes how one request is sent. Zeroed fields select the agent's settings. */
struct madring_send_options {
	madring_callback callback; /* may be NULL */
	void *user;
	uint64_t *id;  /* where to store the ID for madring_cancel(); may be NULL */
	size_t length; /* bytes of MAD; 0: 256, or 2048 in a large buffer; not 0 for a message */
	/*
	 * Requests of an agent with the same flow share a window and a round-trip estimate. 0: by
	 * the destination, which is the LID, or the whole directed route.
	 */
	uint64_t flow;
	/* The timeout of every attempt; 0: the agent's; MADRING_FOREVER. The agent's .patience_ms
	   does not end a request that has a timeout of its own. */
	int timeout_ms;
	int retries; /* 0: the agent's; MADRING_NO_RETRIES; at most 254 */
	/*
	 * No reply is expected: the transaction completes when the MAD has been written, and the
	 * TID stays as it is. Linux refuses a MAD (-EINVAL) while it still sends another with the
	 * same TID; madring then writes it again later. MADs with different TIDs are sent faster.
	 * If the TID's low 32 bits are 0 and the MAD is neither a response nor a message in
	 * segments, madring writes it with a TID of its own.
	 */
	bool no_reply;
	/*
	 * The kernel retries, as with umad_send(3), and gets timeout_ms (above 0, or
	 * MADRING_FOREVER) and retries (0 or more, without a limit) unchanged. There is one
	 * attempt, which ends with the first reply, whatever that is, or with -ETIMEDOUT when the
	 * kernel reports that no reply came. Not for a message that madring sends in segments.
	 */
	bool kernel_retries;
	/*
	 * The request gets no measured timeout below 25 ms. Requests with another method than Get
	 * never do. Set it for a Get whose effect differs if the destination takes it twice.
	 */
	bool no_early_retry;
};

/*
 * Queues a request. Makes no system call: madring_run(), madring_step() or madring_submit() writes
 * it when the windows admit it. Send the response to a request with .no_reply, and keep its TID.
 * @mad: prepared and addressed. madring sets the TID of each attempt (its low 32 bits; the kernel
 * sets the high 32). On success madring owns @mad.
 * @send: may be NULL. Exactly one completion follows.
 * Returns 0, or, while the caller still owns the buffer,
 *   -EAGAIN     madring_config.transactions are outstanding: run the ring
 *   -ENODATA    no MAD was prepared in the buffer: its method is 0
 *   -EPFNOSUPPORT
 *               the MAD is of another class than the agent; but an agent of one class of SMPs
 *               (0x01, 0x81) sends those of the other, too
 *   -EDESTADDRREQ
 *               the destination is LID 0, and there is no GRH
 *   -EALREADY   the buffer is not the caller's: it was sent or given back already, or a callback
 *               got it and has not called madring_mad_keep()
 *   -EFAULT     @mad is not a buffer of this ring
 *   -EINVAL     the length exceeds the buffer, or a message has none; or the timeout or the retries
 *               are out of range; or .kernel_retries is set for a message in segments of
 *               MADRING_RMPP_USER
 *   -EMSGSIZE   the MAD is longer than 256 bytes (2048 with base version 0x80), and the agent has
 *               no RMPP, or madring_rmpp_prepare() was not called for @mad
 *   -EPROTOTYPE the SA replies to the method (GetTable, GetTraceTable, GetMulti) in segments, and
 *               the agent has no RMPP
 *   -ENODEV     the device is gone
 *   -ESHUTDOWN  the ring or the agent is being closed
 *   -EREMOTE    the ring belongs to another thread
 */
int madring_send_sized(struct madring_agent *agent, struct madring_mad *mad,
		       const struct madring_send_options *send, size_t send_size);
MADRING_SIZED int madring_send(struct madring_agent *agent, struct madring_mad *mad,
			       const struct madring_send_options *send)
{
	return madring_send_sized(agent, mad, send, sizeof(*send));
}

/*
 * Cancels a transaction by the ID that madring_send() stored: it completes with -ECANCELED at the
 * next dispatch. Returns 0, or -ENOENT when it has already completed, or -EREMOTE when the ring
 * belongs to another thread.
 */
int madring_cancel(struct madring *ring, uint64_t id);

/*
 * Gives the caller a buffer of a completion, its reply or its request, or that of a received
 * request. Call it in the callback; then send the buffer or give it back with madring_mad_free().
 * The buffer still has its MAD, and zeros after a received MAD.
 * Returns 0, or -EINVAL when @mad is not such a buffer, or outside a callback.
 */
int madring_mad_keep(struct madring *ring, struct madring_mad *mad);

/*
 * Sends a request and runs the ring until it completes, which calls the callbacks of other
 * transactions. @send: as for madring_send(); its callback is not used.
 * @completion: filled, whatever is returned. The caller owns the buffers in it, and gives them back
 * with madring_mad_free(): .request is always @mad, and .mad is the reply, or NULL.
 * Returns 0 when the request has its outcome, whatever .status of @completion is. Otherwise it
 * returns a negative errno, which is .status of @completion, too: an error of madring_send(); or
 *   -EBUSY    called from a callback
 *   -EREMOTE  the ring belongs to another thread, or to the parent process
 *   -EINTR    a signal arrived
 *   other     an error of io_uring_enter(2)
 * With the last two errors, the transaction is canceled.
 */
int madring_call_sized(struct madring_agent *agent, struct madring_mad *mad,
		       const struct madring_send_options *send, size_t send_size,
		       struct madring_completion *completion, size_t completion_size);
MADRING_SIZED int madring_call(struct madring_agent *agent, struct madring_mad *mad,
			       const struct madring_send_options *send,
			       struct madring_completion *completion)
{
	return madring_call_sized(agent, mad, send, sizeof(*send), completion, sizeof(*completion));
}

#ifdef __cplusplus
}
#endif
#endif
