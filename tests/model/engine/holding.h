/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attempts that the kernel holds for the agents with a limit: each from its write until a
 * response or a notice of its TID is read, its write fails, the kernel's timeout ends, or its
 * registration does. The engine hears of the timeouts only by notices, so it may believe that it is
 * more. But it must never write more than the limit.
 */
#ifndef SIMULATION_HOLDING_H
#define SIMULATION_HOLDING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

struct agent_account;
struct packet;
struct record;
struct world;

struct holding {
	struct held_mad {
		const struct agent_account *agent;
		unsigned int lane;
		uint32_t agent_id, tid;
		uint64_t until; /* when the kernel's timeout ends; or ENGINE_NEVER */
	} *mad;
	uint32_t count, room;
};

/* Fails the seed if the write exceeds the limit of its registration. */
void holding_written(struct world *world, const struct record *record,
		     const struct engine_write *write);
/* Notes that a record's last write has failed. */
void holding_refused(struct world *world, const struct record *record);
/* Notes that a packet was read, of any kind. */
void holding_read(struct world *world, const struct packet *packet);
void holding_lane_lost(struct world *world, unsigned int lane);
void holding_agent_closed(struct world *world, const struct agent_account *agent);
/*
 * Bounds how many requests the engine may believe that the kernel holds of an agent: @least are
 * held, and @most were not heard of again. Their notices may be lost.
 */
void holding_count(const struct world *world, const struct agent_account *agent, uint32_t *least,
		   uint32_t *most);

#endif
