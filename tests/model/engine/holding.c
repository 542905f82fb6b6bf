/* SPDX-License-Identifier: BSD-2-Clause */
#include "holding.h"

#include <stdlib.h>

#include "model/common/must_alloc.h"
#include "engine_packet.h"
#include "engine_world.h"

#define MS 1000000ull

static void remove_at(struct holding *holding, uint32_t at)
{
	holding->mad[at] = holding->mad[--holding->count];
}

static uint64_t end_of_timeout(const struct world *world, const struct ib_user_mad *umad)
{
	if ((int32_t)umad->timeout_ms <= 0)
		return ENGINE_NEVER;
	return world->now + umad->timeout_ms * MS * (1 + (uint64_t)umad->retries);
}

static uint32_t count_of_registration(const struct world *world, unsigned int lane,
				      uint32_t agent_id)
{
	const struct held_mad *mad = world->holding.mad;
	uint32_t count = 0;

	for (uint32_t i = 0; i < world->holding.count; i++)
		count += mad[i].lane == lane && mad[i].agent_id == agent_id &&
			 mad[i].until > world->now;
	return count;
}

void holding_written(struct world *world, const struct record *record,
		     const struct engine_write *write)
{
	struct holding *holding = &world->holding;
	uint32_t limit = record->agent->config.kernel_limit;

	if (!limit || record->no_reply)
		return;
	if (holding->count == holding->room) {
		holding->room = holding->room ? 2 * holding->room : 64;
		holding->mad = must_realloc(holding->mad, holding->room * sizeof(*holding->mad));
	}
	holding->mad[holding->count++] = (struct held_mad){
		.agent = record->agent,
		.lane = write->lane,
		.agent_id = write->umad->agent_id,
		.tid = (uint32_t)be64toh(((const struct madring_mad_hdr *)write->umad->data)->tid),
		.until = end_of_timeout(world, write->umad),
	};
	if (count_of_registration(world, write->lane, write->umad->agent_id) > limit)
		fail(world, "kernel agent %u on lane %u holds more than its limit of %u requests",
		     write->umad->agent_id, write->lane, limit);
}

static void remove_tid(struct holding *holding, unsigned int lane, uint32_t agent_id, uint32_t tid)
{
	for (uint32_t i = 0; i < holding->count; i++) {
		const struct held_mad *mad = &holding->mad[i];

		if (mad->tid != tid || mad->lane != lane || mad->agent_id != agent_id)
			continue;
		remove_at(holding, i);
		return;
	}
}

void holding_refused(struct world *world, const struct record *record)
{
	remove_tid(&world->holding, record_last(record)->lane, record->umad->agent_id,
		   record_last(record)->tid);
}

void holding_read(struct world *world, const struct packet *packet)
{
	const struct ib_user_mad *umad = packet->umad;
	const struct madring_mad_hdr *header = (const void *)umad->data;
	bool is_response;

	if (packet->bytes < sizeof(*umad) + sizeof(*header))
		return;
	is_response =
		header->method & MADRING_RESPONSE_BIT || header->method == MADRING_TRAP_REPRESS;
	if (is_response == !umad->status)
		remove_tid(&world->holding, packet->lane, umad->agent_id,
			   (uint32_t)be64toh(header->tid));
}

void holding_lane_lost(struct world *world, unsigned int lane)
{
	for (uint32_t i = world->holding.count; i--;)
		if (world->holding.mad[i].lane == lane)
			remove_at(&world->holding, i);
}

void holding_agent_closed(struct world *world, const struct agent_account *agent)
{
	for (uint32_t i = world->holding.count; i--;)
		if (world->holding.mad[i].agent == agent)
			remove_at(&world->holding, i);
}

void holding_count(const struct world *world, const struct agent_account *agent, uint32_t *least,
		   uint32_t *most)
{
	const struct held_mad *mad = world->holding.mad;

	*least = 0;
	*most = 0;
	for (uint32_t i = 0; i < world->holding.count; i++) {
		*most += mad[i].agent == agent;
		*least += mad[i].agent == agent && mad[i].until > world->now;
	}
}
