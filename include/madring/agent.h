/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent: a registration for a management class, and the handle to send and receive by. */
#ifndef MADRING_AGENT_H
#define MADRING_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/receive.h>
#include <madring/rmpp.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_port;
struct madring_agent;

/* A number of retries: none. (0 selects the default.) */
#define MADRING_NO_RETRIES (-1)
/* A timeout: wait for the reply forever, with one attempt. */
#define MADRING_FOREVER (-1)

/* The largest madring_agent_config.receive_queue. */
#define MADRING_MAX_RECEIVED 65536u

/*
 * Describes what an agent registers for, and how it sends. Zeroed fields select the defaults, which
 * the comments give after a colon.
 *
 * Unless .pin_window is set, the window follows the delay: it becomes as wide as it takes to keep
 * the fabric busy while MADs wait in queues for .queue_us. Attempts that later ones have overtaken
 * take no place in it. A flow's window begins with 2 attempts for SMPs and performance management,
 * and with 16 for other classes. It grows only while the destination answers as fast as with fewer.
 *
 * Unless .timeout_ms fixes them, timeouts follow the measured round trips (RFC 6298), even while an
 * attempt waits. Each retry has twice the timeout of the attempt before, with jitter; but not the
 * first two retries of a Get, where .min_timeout_ms is below 25. When the fabric takes longer than
 * the longest timeout to answer a pinned window, retries make it slower still.
 */
struct madring_agent_config {
	uint8_t mgmt_class;    /* IBA 13.4.4: 0x01, 0x81, 0x03, 0x04, ... */
	uint8_t class_version; /* 1 for SMPs and PMA, 2 for SA */
	/* Keeps the agent's window at .window, and registers the agent up to 12 times more on each
	   lane if the kernel puts fewer requests of a registration on the wire at once. */
	bool pin_window;
	bool pin_flow_window; /* keeps every flow's window at .flow_window */
	uint32_t oui;	      /* IEEE OUI of vendor classes 0x30 to 0x4f, host byte order */
	/*
	 * With RMPP (IBA 13.6), messages may have any length that fits in
	 * madring_config.message_bytes. A received one that will never fit ends its transaction
	 * with -EMSGSIZE. The kernel does not report its progress with a message, so with its RMPP
	 * a timeout has to cover the whole reply; with MADRING_RMPP_USER, only the time until the
	 * reply begins.
	 */
	enum madring_rmpp rmpp;
	/* Pass a reply with status BUSY, or one that redirects, to the caller (IBA 13.4.7).
	   Otherwise madring retries after BUSY as after a loss, and follows a redirect to a LID. */
	bool report_busy;
	bool report_redirects;

	/*
	 * The methods whose requests, traps included, the agent receives: method n is bit n % 64
	 * of word n / 64, as in struct umad_reg_attr. On a port, only one agent of all processes
	 * can have a given class and method. madring calls .receive for each request; set it if
	 * and only if there are methods.
	 */
	uint64_t method_mask[2];
	madring_receive_callback receive;
	void *receive_user;
	/*
	 * The most requests read and not yet called back: 256; at most MADRING_MAX_RECEIVED. When
	 * the queue is full, madring stops reading the agent's lane until half of the queue has
	 * been called back. Meanwhile everything on the lane, replies included, stays in the
	 * kernel.
	 */
	uint32_t receive_queue;

	/* The flags of struct umad_reg_attr, such as UMAD_USER_RMPP. */
	uint32_t flags;
	/* madring stores the flags that the kernel supports here if it lacks some of .flags, and
	   else 0. May be NULL. */
	uint32_t *flags_supported;

	uint32_t window; /* the most attempts in flight: 4096 */
	/* The most attempts in flight to one destination: 16 for SMPs and performance management,
	   else 1024. */
	uint32_t flow_window;

	int timeout_ms; /* of every attempt; 0: measured; MADRING_FOREVER */
	int retries;	/* after the first attempt; 0: 7; MADRING_NO_RETRIES; at most 254 */
	/*
	 * Bounds of a measured timeout. The first number is for SMPs and performance management,
	 * the second for other classes, the third for RMPP by the kernel, the fourth for
	 * MADRING_RMPP_USER.
	 */
	uint32_t first_timeout_ms; /* before any round trip is known: 20, 250, 2000, 1000 */
	/* 1, 25, 1000, 100. A request with another method than Get waits for at least 25. */
	uint32_t min_timeout_ms;
	uint32_t max_timeout_ms; /* 1000, 1000, 16000, 8000 */
	/*
	 * How long the agent's MADs may wait in queues on their way, in microseconds, on average:
	 * 200. A shorter time leaves more room to others, and is slower where replies come in
	 * groups. Where a queue overflows, madring makes it shorter by itself.
	 */
	uint32_t queue_us;
	/*
	 * How long a request may stay without a reply, from its first attempt on, if its timeout
	 * is not fixed: 900 for SMPs and performance management, and 2000 for other classes that
	 * nodes answer, such as congestion control, device management and those of vendors. For
	 * SA, CM and agents with RMPP: as long as its attempts take, about 6500 by default
	 * without RMPP. If .retries is 0, the last attempt waits until then. Requests to a
	 * destination that has been silent for so long get one attempt each.
	 */
	uint32_t patience_ms;
};

/*
 * Registers an agent on every lane of @port, as umad_register2(3) does. It receives the replies to
 * its requests. An agent with methods is registered on one lane only, and sends everything there.
 * @config: copied. @agent: set on success.
 * Returns 0, or
 *   -EINVAL          a field is out of range, or the kernel refuses the class, its version, or
 *                    RMPP for that class
 *   -EBADRQC         .class_version is 0: it is 1 for SMPs and PMA, 2 for SA
 *   -EADDRINUSE      another agent, of this process or another, already receives one of the
 *                    methods of the class on this port
 *   -ENOPROTOOPT     the kernel lacks some of the flags
 *   -EUSERS          a umad file of this port already has 32 agents, the kernel's limit; open the
 *                    port once more
 *   -ENOSPC          the ring has no agent left (madring_config.agents)
 *   -ENOMEM          out of memory
 *   -ENOBUFS         the memory-lock limit is too low for the first page that RMPP needs
 *   -EPROTONOSUPPORT the class uses QP0 (0x01, 0x81), and the port is a RoCE port; or the port is
 *                    one side of a pair, and the other has the class: see madring_ca_get_pair()
 *   -ENODEV          the device is gone
 *   -EREMOTE         the ring belongs to another thread, or to the parent process
 */
int madring_agent_open_sized(struct madring_port *port, const struct madring_agent_config *config,
			     size_t config_size, struct madring_agent **agent);
MADRING_SIZED int madring_agent_open(struct madring_port *port,
				     const struct madring_agent_config *config,
				     struct madring_agent **agent)
{
	return madring_agent_open_sized(port, config, sizeof(*config), agent);
}

/*
 * Unregisters an agent. Its outstanding transactions complete with -ECANCELED at the next dispatch.
 * The caller keeps the buffers that it took from the agent. The handle is invalid on return.
 * Returns 0. On an error it does nothing, and returns -EREMOTE when the ring belongs to another
 * thread or to the parent process, or an error of io_uring_enter(2).
 */
int madring_agent_close(struct madring_agent *agent);

/*
 * Cancels all of an agent's transactions: each completes with -ECANCELED at the next dispatch.
 * Returns the number of them, or -EREMOTE when the ring belongs to another thread.
 */
int madring_agent_cancel(struct madring_agent *agent);

/* Holds the present window and timeout of an agent. */
struct madring_agent_state {
	uint32_t window; /* attempts that it may have in flight */
	/* Attempts in flight. Those that later ones have overtaken count here, but take no place in
	   the window, so there may be more than .window. */
	uint32_t in_flight;
	uint32_t queued;     /* transactions that wait for room in a window */
	uint32_t timeout_ms; /* of a first attempt to an unknown destination */
	/*
	 * Requests of one registration that Linux 6.17 and later puts on the wire at once; 0: no
	 * limit. madring writes no more than these, on every kernel, and the others wait in
	 * .queued.
	 */
	uint32_t kernel_limit;
	/* Requests that the kernel holds now, over all registrations. It holds an attempt until
	   its reply comes or the kernel's own timeout ends, also after madring has given it up.
	   Always 0 without a limit. */
	uint32_t kernel_held;
	uint32_t registrations; /* with the kernel, over all lanes */
};

/* Fills @state. */
void madring_agent_get_state_sized(const struct madring_agent *agent,
				   struct madring_agent_state *state, size_t state_size);
MADRING_SIZED void madring_agent_get_state(const struct madring_agent *agent,
					   struct madring_agent_state *state)
{
	madring_agent_get_state_sized(agent, state, sizeof(*state));
}

#ifdef __cplusplus
}
#endif
#endif
