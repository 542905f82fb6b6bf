/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent: a registration for a management class, the handle to send and receive by. */
#ifndef MADRING_AGENT_H
#define MADRING_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/receive.h>
#include <madring/rmpp.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_port;
struct madring_agent;

/* As a number of retries: none. (0 means the default.) */
#define MADRING_NO_RETRIES (-1)
/* As a timeout: wait for the reply for ever, with one attempt. */
#define MADRING_FOREVER (-1)

/* The largest .receive_queue. */
#define MADRING_MAX_RECEIVED 65536u

/*
 * What an agent is registered for, and how it sends. Zeroed fields mean the defaults.
 *
 * Timeouts follow the measured round trip (RFC 6298), also while an attempt waits, are
 * doubled at each retry and jittered, unless timeout_ms pins them. Windows that are used grow
 * on replies and shrink on loss, unless they are pinned. Attempts to a node that never answers
 * do not count as lost. A pinned window that the fabric cannot answer within the longest
 * timeout is retried, and so made worse, where an adaptive one shrinks.
 */
struct madring_agent_config {
	uint8_t mgmt_class;    /* IBA 13.4.4: 0x01, 0x81, 0x03, 0x04, ... */
	uint8_t class_version; /* 1 for SMPs and PMA, 2 for SA */
	bool pin_window;       /* keep the agent's window at .window */
	bool pin_flow_window;  /* keep every flow's window at .flow_window */
	uint32_t oui;	       /* IEEE OUI of vendor classes 0x30 to 0x4f, host order */
	/*
	 * With RMPP, messages may have any length that madring_config.message_bytes has room
	 * for; one that is received and will never fit ends its transaction with -EMSGSIZE.
	 * Nobody tells how far the kernel is with a message, so with its RMPP a timeout has to
	 * cover all of it; with MADRING_RMPP_USER, no more than until the reply begins.
	 */
	enum madring_rmpp rmpp;
	/* A reply of status BUSY (IBA 13.4.7) is retried as if the request had been lost, and one
	   that redirects to a LID is followed, unless these say to hand it over as it is. */
	bool report_busy;
	bool report_redirects;

	/*
	 * The methods whose requests, traps included, the agent receives: method n is bit
	 * n % 64 of word n / 64, as in struct umad_reg_attr. A port has one agent for each
	 * class and method, of all processes. @receive is called for each of them, and has to
	 * be set when there are any, and only then.
	 */
	uint64_t method_mask[2];
	madring_receive_callback receive;
	void *receive_user;
	/*
	 * How many may have been read and not called back: 256; at most MADRING_MAX_RECEIVED.
	 * When there are as many, nothing more is read on the agent's lane until half of them
	 * have been called back: what comes meanwhile, replies included, stays in the kernel.
	 */
	uint32_t receive_queue;

	/* As in struct umad_reg_attr, such as UMAD_USER_RMPP. */
	uint32_t flags;
	/* Where to store the flags that the kernel has, when it has not all of .flags; else 0
	   is stored. May be NULL. */
	uint32_t *flags_supported;

	uint32_t window;      /* attempts in flight at most: 4096 */
	uint32_t flow_window; /* attempts in flight to one destination at most: 16 */

	int timeout_ms; /* every attempt's; 0: by the round trip; MADRING_FOREVER */
	int retries;	/* after the first attempt; 0: 7; MADRING_NO_RETRIES; at most 254 */
	/* Bounds of a timeout by the round trip; the second number is for RMPP by the kernel, the
	   third for MADRING_RMPP_USER. */
	uint32_t first_timeout_ms; /* before any round trip is known: 250, 2000, 1000 */
	uint32_t min_timeout_ms;   /* 25, 1000, 100 */
	uint32_t max_timeout_ms;   /* 1000, 16000, 8000 */
	/* Must be zero. */
	uint64_t reserved[4];
};

/*
 * Registers an agent on every lane of @port, as umad_register2(3) does: it receives replies
 * to what it sent. One that has methods to receive is registered on one lane only, and all
 * that it sends goes by that. @agent: set on success.
 * Returns 0, or
 *   -EINVAL          a field is out of range, or the kernel refuses class or version, or RMPP
 *                    for that class
 *   -EADDRINUSE      another agent, of this process or another, receives one of the methods of
 *                    the class on this port already
 *   -ENOPROTOOPT     the kernel does not have all of the flags
 *   -EUSERS          32 agents are registered on a umad file of this port, as many as the
 *                    kernel takes; the port can be opened once more
 *   -ENOSPC          the ring's agents (madring_config.agents) are all open
 *   -ENOMEM          out of memory
 *   -ENOBUFS         there is no memory for messages yet, which RMPP needs, and the memory-lock
 *                    limit is too low for the first 256 KiB
 *   -EPROTONOSUPPORT QP0 (class 0x01, 0x81) on a RoCE port
 *   -ENODEV          the device is gone
 *   -EREMOTE         the ring belongs to another thread, or to the parent process
 */
int madring_agent_open(struct madring_port *port, const struct madring_agent_config *config,
		       struct madring_agent **agent);

/*
 * Unregisters an agent. Its outstanding transactions complete with -ECANCELED at the next
 * dispatch; buffers taken from it stay with the caller. The handle is invalid on return.
 * Returns 0; or, with nothing done, -EREMOTE when the ring belongs to another thread or to the
 * parent process, or an error of io_uring_enter(2).
 */
int madring_agent_close(struct madring_agent *agent);

/*
 * Cancels all of an agent's transactions: each completes with -ECANCELED at the next
 * dispatch. Returns how many there were.
 */
int madring_agent_cancel(struct madring_agent *agent);

/* The windows and round trip of an agent, as they are now. */
struct madring_agent_info {
	uint32_t window;     /* attempts it may have in flight */
	uint32_t in_flight;  /* attempts in flight */
	uint32_t queued;     /* transactions that wait for a window */
	uint32_t timeout_ms; /* what a first attempt to an unknown destination would get */
};
void madring_agent_state(const struct madring_agent *agent, struct madring_agent_info *state);

#ifdef __cplusplus
}
#endif
#endif
