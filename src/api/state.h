/* SPDX-License-Identifier: BSD-2-Clause */
/* What the public API's files share: the handles. */
#ifndef MADRING_API_STATE_H
#define MADRING_API_STATE_H

#include <madring.h>

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
	bool calling;		       /* a callback is being called */
	/* The buffers of the completion that it is called with. */
	struct madring_mad *reply, *request;
	bool reply_kept, request_kept;
};

struct madring_port {
	struct madring *ring;
	struct madring_port *next;
	struct device_port device;
	unsigned int lane_count;
	struct {
		unsigned int lane;
		int fd;
	} lanes[MADRING_MAX_LANES];
};

struct madring_agent {
	struct madring *ring;
	struct madring_port *port;
	unsigned int number;
	uint8_t mgmt_class, class_version;
	enum madring_rmpp rmpp;
	unsigned int registered; /* on so many of the port's lanes */
	uint32_t agent_id[MADRING_MAX_LANES];
};

/* Calls back for at most @budget completions; 0: for all. Returns how many. */
unsigned int dispatch(struct madring *ring, unsigned int budget);

/* Runs the ring, not from a callback. As madring_run(). */
int run(struct madring *ring, int timeout_ms);

#endif
