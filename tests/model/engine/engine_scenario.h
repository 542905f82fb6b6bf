/* SPDX-License-Identifier: BSD-2-Clause */
/* A seed's scenario: the engine's limits, how its agents send, and how bad the network is. */
#ifndef SIMULATION_SCENARIO_H
#define SIMULATION_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "model/common/prng.h"

enum delay_shape { DELAY_CONSTANT, DELAY_JITTERED, DELAY_HEAVY_TAILED };
enum ending { ENDING_DRAIN, ENDING_SHUTDOWN, ENDING_LANES_LOST };

/* Chances are in parts per million. */
struct scenario {
	struct engine_config engine;
	uint32_t destinations;
	uint32_t own_flows; /* that the caller numbers itself */
	uint64_t requests;  /* the caller sends no more than this */
	uint64_t writes;    /* nor when so many attempts have been written */

	/* The network, and the kernel. */
	enum delay_shape delay_shape;
	uint64_t delay_ns;
	uint32_t loss, duplicate, ghost, forge, malformed, garbage, unsolicited, notice;
	uint32_t busy, redirect;
	uint32_t kernel_limit; /* agents with one */
	uint32_t write_error, write_again, write_slow, write_hang;

	/* The caller, and the driver. */
	uint64_t patience_ns; /* what timeouts are about */
	uint32_t burst;
	uint32_t no_reply, own_timeout, forever, own_attempts, own_flow, by_kernel, large;
	uint32_t send_again, cancel, cancel_ended, agent_cancel, agent_close, agent_open, lane_lost;
	uint32_t skip_advance, skip_drain, skip_write, tiny_step, giant_step;
	enum ending ending;
};

void scenario_draw(struct scenario *scenario, struct prng *prng);
/* Draws how an agent sends. The caller chooses its lanes. */
void scenario_draw_agent(const struct scenario *scenario, struct prng *prng,
			 struct engine_agent_config *config);

#endif
