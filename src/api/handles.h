/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handles, and the functions that the files of the public API call in each other.
 */
#ifndef MADRING_API_HANDLES_H
#define MADRING_API_HANDLES_H

#include <errno.h>

#include <madring.h>

#include "base/thread.h"
#include "capture/capture.h"
#include "device/device.h"
#include "driver/driver.h"
#include "engine/engine.h"
#include "pool/pool.h"

#define API __attribute__((visibility("default")))

#define NS_PER_MS    1000000u
#define MOST_RETRIES 254 /* attempts have a byte */

/* The defaults of an agent. */
#define AGENT_WINDOW	    4096u
#define AGENT_RECEIVE_QUEUE 256u

struct madring {
	uintptr_t thread; /* the one that opened it, or closes it now, by thread_number() */
	struct pool *pool;
	struct engine *engine;
	struct driver *driver;
	struct madring_port *ports;
	struct madring_agent **agents; /* by the engine's number */
	uint64_t lanes;		       /* a bit for each lane that is taken */
	struct madring_config config;
	struct lent {
		bool calling; /* a callback is running */
		/* The buffers that the callback was given. A received request is .reply, too. */
		struct madring_mad *reply, *request;
		bool reply_kept, request_kept;
	} lent;

	struct capture *capture; /* NULL: none is open */
	struct driver_tap tap;
	int debug_level;		  /* when .tap was last set */
	int interface[MADRING_MAX_LANES]; /* of the capture, by lane; -1: none */

	/* The batches stand in a circle. This is the last one that had its turn. */
	struct madring_batch *batches;
	unsigned int batch_count;
	unsigned int batch_misses; /* how many in a row had no request or no room */
	uint64_t batches_at;	   /* when they want the next turn; ENGINE_NEVER: at any time */
	bool is_closing;

	struct madring *kept; /* the next closed ring whose memory is kept, see ring.c */
};

struct madring_port {
	struct madring *ring;
	struct madring_port *next;
	struct device_port device;
	unsigned int lane_count;
	struct port_lane {
		unsigned int lane;
		int fd;
		unsigned int repliers; /* its agents that receive requests */
		unsigned int more;     /* further registrations of the same agents */
	} lanes[MADRING_MAX_LANES];
	bool is_adopted;	      /* its lane is a umad file of the program's */
	int adopted;		      /* what device_lane_release() needs to restore that file */
	struct madring_agent *others; /* receives what that file has for the program's own agents */
	bool is_closing;	      /* it, or one of its adopted agents, is being closed */
};

struct madring_agent {
	struct madring *ring;
	struct madring_port *port;
	unsigned int number;
	uint8_t mgmt_class, class_version;
	uint32_t oui; /* of a vendor class that has one; 0: none */
	enum madring_rmpp rmpp;
	bool adopted;
	madring_receive_callback receive;
	void *receive_user;
	uint32_t kernel_limit; /* requests of a registration on the wire at once; 0: none */
	unsigned int registrations;
	struct registration {
		unsigned int lane; /* index in port.lanes */
		uint32_t id;	   /* the kernel's number of the agent on that lane */
		bool is_further;   /* the agent has another one on that lane */
	} registration[ENGINE_MOST_REGISTRATIONS];
};

/*
 * Tells whether the ring belongs to another thread. In a child of fork(2) this thread's number is
 * that of its parent: driver_check() tells these apart.
 */
static inline bool ring_is_foreign(const struct madring *ring)
{
	return __builtin_expect(ring->thread != thread_number(), 0);
}

/* Returns 0, -EREMOTE for another thread or process than the ring's, or the driver's error. */
static inline int ring_check(const struct madring *ring)
{
	return ring_is_foreign(ring) ? -EREMOTE : driver_check(ring->driver);
}

/* Does what `ring_check` does, and then enters io_uring, which may fail for good. */
static inline int ring_try(const struct madring *ring)
{
	return ring_is_foreign(ring) ? -EREMOTE : driver_try(ring->driver);
}

/*
 * user_rmpp.c
 *
 * Prepares the engine's RMPP for messages of @message_bytes bytes in all. Call it before the
 * first agent with MADRING_RMPP_USER is opened. Returns 0 or an error of engine_rmpp_open().
 */
int user_rmpp_open(struct madring *ring, uint64_t message_bytes);

/*
 * port.c: ports and their lanes.
 *
 * `port_lane_take` returns the number of a free lane, or -ENOSPC.
 * `port_lane_add` adds that lane to a port.
 * `port_link` adds a port to its ring.
 * `port_forget` closes the lanes of a port that is not linked, and frees the port.
 * `port_close` closes a port with its agents.
 */
int port_lane_take(const struct madring *ring);
void port_lane_add(struct madring_port *port, unsigned int lane, int fd);
void port_link(struct madring_port *port);
void port_forget(struct madring_port *port);
void port_close(struct madring_port *port);

/*
 * adopted.c
 *
 * Ends all requests on a port's adopted file, and calls back for what was read.
 */
void adopted_release(struct madring_port *port);

/*
 * agent.c
 *
 * Closes an agent, even if io_uring cannot be entered any more.
 */
void agent_close(struct madring_agent *agent);

/* Returns the most attempts that an agent may have in flight. */
static inline uint32_t agent_window(const struct madring_agent_config *config)
{
	return config->window ? config->window : AGENT_WINDOW;
}

/* Returns the size of a queue of requests; 0 means the default. */
static inline uint32_t agent_receive_queue(uint32_t wanted)
{
	return wanted ? wanted : AGENT_RECEIVE_QUEUE;
}

/*
 * registration.c: registrations with the kernel.
 *
 * `agent_register` registers an agent on its port's lanes, several times on each if its pinned
 * window exceeds what the kernel puts on the wire at once. Returns 0 or an error of
 * madring_agent_open(). After an error some registrations may be left.
 * `agent_unregister` ends all registrations of an agent.
 * `agent_adopt` takes over an agent that the program has registered on an adopted file. Returns 0
 * or an error of madring_agent_adopt().
 */
int agent_register(struct madring_agent *agent, const struct madring_agent_config *config);
void agent_unregister(struct madring_agent *agent);
int agent_adopt(struct madring_agent *agent, uint32_t agent_id);

/*
 * mad.c
 *
 * Writes the class and the version of an agent into the header of a MAD, and its OUI, if it has
 * one.
 */
void agent_write_class(const struct madring_agent *agent, struct madring_mad *mad);

/*
 * tap.c
 *
 * Sets the driver's tap if there is a capture or if MADs are to be printed; otherwise removes it.
 */
void tap_update(struct madring *ring);

/*
 * madring_capture.c
 *
 * Adds a port that was opened to the ring's capture, if there is one. Returns 0 or -ENOMEM.
 */
int capture_add_lanes(struct madring_port *port);

/*
 * run.c: turns and callbacks.
 *
 * `ring_dispatch` calls back for at most @budget completions and requests; 0 means all. Returns for
 * how many it has called back.
 * `agent_hand_over` calls back for all requests that an agent has received. A callback may call it.
 * `ring_run` does what madring_run() does. A callback must not call it.
 * `ring_run_turns` does it without looking after the batches first, until a time by driver_clock().
 * `ring_give_up` gives io_uring up because entering the kernel fails for good with @error, and
 * ends all transactions whose writes are under way.
 */
unsigned int ring_dispatch(struct madring *ring, unsigned int budget);
void agent_hand_over(struct madring_agent *agent);
int ring_run(struct madring *ring, int timeout_ms);
int ring_run_turns(struct madring *ring, uint64_t until);
void ring_give_up(struct madring *ring, int error);

/*
 * batch_pull.c
 *
 * `batches_turn` looks after the ring's batches between two turns of the driver: stops those whose
 * deadline is reached, calls .watch, sends requests, and tells the progress. @has_turned: call all
 * .watch, even if their time has not come. Sets madring.batches_at. Returns true if a batch is
 * done now, so that the program learns of it. Not for callbacks.
 * `batches_fail` stops all batches because the ring has failed with @error.
 */
bool batches_turn(struct madring *ring, bool has_turned);
void batches_fail(struct madring *ring, int error);

/*
 * batch.c
 *
 * `batches_forget_agent` cancels an agent's batches, because it is closed. That ends their
 * requests. `batches_shut` does so for all batches of a ring that is closed, and refuses new ones.
 */
void batches_forget_agent(const struct madring_agent *agent);
void batches_shut(struct madring *ring);

/* batch_list.c: frees all batches. */
void batches_free(struct madring *ring);

#endif
