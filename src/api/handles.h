/* SPDX-License-Identifier: BSD-2-Clause */
/* What the public API's files share: the handles. */
#ifndef MADRING_API_HANDLES_H
#define MADRING_API_HANDLES_H

#include <madring.h>

#include "capture/capture.h"
#include "device/device.h"
#include "driver/driver.h"
#include "engine/engine.h"
#include "pool/pool.h"

#define API __attribute__((visibility("default")))

#define NS_PER_MS 1000000u

struct madring {
	struct madring_config config;
	struct pool *pool;
	struct engine *engine;
	struct driver *driver;
	struct madring_port *ports;
	struct madring_agent **agents; /* by the engine's number */
	uint64_t lanes;		       /* a bit for each that is taken */
	struct lent {
		bool calling; /* a callback is being called */
		/* The buffers that it is called with; what was received is .reply. */
		struct madring_mad *reply, *request;
		bool reply_kept, request_kept;
	} lent;

	struct capture *capture; /* NULL: none is open */
	struct driver_tap tap;
	int debug_level;		  /* that the tap is for */
	int interface[MADRING_MAX_LANES]; /* of the capture, by lane; -1: none */

	struct madring *kept; /* once closed: the next ring whose memory is kept, see ring.c */
};

struct madring_port {
	struct madring *ring;
	struct madring_port *next;
	struct device_port device;
	unsigned int lane_count;
	struct port_lane {
		unsigned int lane;
		int fd;
		unsigned int repliers; /* agents on it that receive requests */
	} lanes[MADRING_MAX_LANES];
	/* The program's own file: what makes it again what it was, and whom the rest is for. */
	bool is_adopted;
	int adopted;
	struct madring_agent *others;
};

struct madring_agent {
	struct madring *ring;
	struct madring_port *port;
	unsigned int number;
	uint8_t mgmt_class, class_version;
	enum madring_rmpp rmpp;
	bool adopted;
	madring_receive_callback receive;
	void *receive_user;
	unsigned int registrations;
	struct registration {
		unsigned int lane; /* of the port's */
		uint32_t id;	   /* the kernel's, there */
	} registration[MADRING_MAX_LANES];
};

/* ring.c: gives io_uring up, because entering the kernel fails for good, and has all transactions
   end whose writes are under way. */
void ring_give_up(struct madring *ring, int error);

/* user_rmpp.c: for agents with MADRING_RMPP_USER, before the first is opened; with as many bytes of
   messages as there are. 0, or an error of engine_rmpp_open(). */
int segments_open(struct madring *ring, uint64_t message_bytes);

/* port.c: a lane's number that is free, or -ENOSPC. */
int port_lane_take(const struct madring *ring);
/* It is the port's from now on. */
void port_lane_add(struct madring_port *port, unsigned int lane, int fd);
void port_link(struct madring_port *port);
/* Closes the lanes of a port that is not linked, and frees it. */
void port_forget(struct madring_port *port);
/* Closes a port with its agents. */
void port_close(struct madring_port *port);

/* adopt.c: ends all that is under way on a port's adopted file, and hands over what was read. */
void adopted_release(struct madring_port *port);

/* agent.c */
/* Closes an agent, also where io_uring cannot be entered any more. */
void agent_close(struct madring_agent *agent);
/* The size of a queue of requests, where 0 is the default. */
uint32_t agent_receive_queue(uint32_t wanted);

/* registration.c: with the kernel. What was registered when it fails is still to be unregistered.
   0 or an error of madring_agent_open(). */
int agent_register(struct madring_agent *agent, const struct madring_agent_config *config);
void agent_unregister(struct madring_agent *agent);
/* Takes what the program has registered on an adopted file. 0 or an error of
   madring_agent_adopt(). */
int agent_adopt(struct madring_agent *agent, uint32_t agent_id);

/* tap.c: sees to it that MADs are shown to who wants to see them, and else to nobody. */
void tap_update(struct madring *ring);

/* madring_capture.c: makes a port that was opened known to a capture, if there is one. 0 or
 * -ENOMEM. */
int capture_port(struct madring_port *port);

/* Calls back for at most @budget completions and requests; 0: for all. Returns for how many. */
unsigned int dispatch(struct madring *ring, unsigned int budget);

/* Calls back for all that an agent has received, also from a callback. */
void hand_over(struct madring_agent *agent);

/* Runs the ring, not from a callback. As madring_run(). */
int run(struct madring *ring, int timeout_ms);

#endif
