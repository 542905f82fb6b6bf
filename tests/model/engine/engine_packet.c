/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "engine_packet.h"

#define DR_PATH	     128u /* where the initial path begins in a directed-route SMP */
#define DR_D_BIT     0x8000u
#define HOP_COUNT    7u /* its place in the MAD */
#define RMPP_VERSION 24u
#define UMAD_BYTES   sizeof(struct ib_user_mad)

static struct madring_mad_hdr *header_of(const struct packet *packet)
{
	return (struct madring_mad_hdr *)packet->umad->data;
}

static uint8_t *mad_of(const struct packet *packet)
{
	return (uint8_t *)packet->umad->data;
}

static struct packet *packet_new(enum packet_kind kind, struct record *about, unsigned int lane,
				 size_t bytes)
{
	struct packet *packet = must_alloc(sizeof(*packet));

	packet->kind = kind;
	packet->about = about;
	packet->lane = lane;
	packet->bytes = bytes;
	packet->umad = must_alloc(bytes);
	if (about && about->attempts) {
		packet->attempt = about->attempts - 1;
		packet->tid = record_last(about)->tid;
	}
	return packet;
}

void packet_free(struct packet *packet)
{
	free(packet->umad);
	free(packet->copy);
	free(packet);
}

struct packet *packet_report(struct record *record, int error)
{
	struct packet *packet =
		packet_new(PACKET_WRITE_REPORT, record, record_last(record)->lane, 0);

	packet->error = error;
	return packet;
}

/* Returns a TID whose high half, the kernel's, is any number. */
static uint64_t kernel_tid(const struct record *record, uint32_t low)
{
	return htobe64((uint64_t)(record->agent->number + 7) << 32 | low);
}

static uint8_t response_to(uint8_t method)
{
	return method == MADRING_SET ? MADRING_GET_RESP : method | MADRING_RESPONSE_BIT;
}

static size_t reply_length(struct world *world, const struct record *record)
{
	if (record->agent->mgmt_class == SA_CLASS && prng_chance(&world->prng, 100000))
		return 56 + 200 * prng_range(&world->prng, 2, 20);
	return MADRING_MAD_BYTES;
}

struct packet *packet_reply(struct world *world, struct record *record)
{
	size_t length = reply_length(world, record);
	size_t same = record->length < length ? record->length : length;
	struct packet *packet =
		packet_new(PACKET_REPLY, record, record_last(record)->lane, UMAD_BYTES + length);
	struct madring_mad_hdr *header = header_of(packet);

	packet->umad->agent_id = record->umad->agent_id;
	packet->umad->length = (uint32_t)packet->bytes;
	packet->umad->addr = record->original->addr;
	memcpy(packet->umad->data, record->original->data, same);
	if (packet->umad->addr.grh_present)
		packet->umad->addr.lid = (uint16_t)prng_next(&world->prng);
	header->method = response_to(header->method);
	header->status = record->agent->mgmt_class == DR_CLASS ? htobe16(DR_D_BIT) : 0;
	header->tid = kernel_tid(record, packet->tid);
	/* The reply is one MAD, not in segments, so its RMPP version is 0. */
	if (record->agent->mgmt_class == SA_CLASS || record->agent->mgmt_class == 0x32)
		mad_of(packet)[RMPP_VERSION] = 0;
	if (length >= 72)
		memcpy(mad_of(packet) + 64, &record->payload, sizeof(record->payload));
	deferral_draw(world, packet);
	return packet;
}

static void set_tid(struct packet *packet, uint32_t low)
{
	packet->tid = low;
	header_of(packet)->tid = kernel_tid(packet->about, low);
}

/* Changes the directed route: one hop differs, or there is one more or one fewer. */
static void forge_route(struct world *world, struct packet *packet)
{
	uint8_t *mad = mad_of(packet);
	uint8_t hops = mad[HOP_COUNT];

	if (hops && prng_chance(&world->prng, 500000))
		mad[DR_PATH + prng_range(&world->prng, 1, hops)] ^= 1
								    << prng_below(&world->prng, 8);
	else if (hops && prng_chance(&world->prng, 500000))
		mad[HOP_COUNT]--;
	else
		mad[HOP_COUNT]++;
}

static void forge_sender(struct world *world, struct packet *packet)
{
	if (packet->about->agent->mgmt_class == DR_CLASS)
		forge_route(world, packet);
	else
		packet->umad->addr.lid ^= (uint16_t)(1u << prng_below(&world->prng, 16));
}

struct packet *packet_forged(struct world *world, struct record *record)
{
	struct packet *packet = packet_reply(world, record);
	struct madring_mad_hdr *header = header_of(packet);

	packet->kind = PACKET_FORGED;
	switch (prng_below(&world->prng, 8)) {
	case 0:
		forge_sender(world, packet);
		break;
	case 1:
		header->mgmt_class ^= (uint8_t)(1u << prng_below(&world->prng, 8));
		break;
	case 2:
		header->attr_id ^= (uint16_t)(1u << prng_below(&world->prng, 16));
		break;
	case 3:
		header->attr_mod ^= 1u << prng_below(&world->prng, 32);
		break;
	case 4:
		set_tid(packet, (uint32_t)prng_next(&world->prng));
		break;
	case 5:
		set_tid(packet, packet->tid + 1 - 2 * (uint32_t)prng_below(&world->prng, 2));
		break;
	case 6:
		packet->umad->agent_id ^= 1u << prng_below(&world->prng, 32);
		break;
	default: /* among them: the generation before and after */
		set_tid(packet, packet->tid + (1u << prng_below(&world->prng, 32)));
		break;
	}
	return packet;
}

struct packet *packet_truncated(struct world *world, struct record *record)
{
	struct packet *packet = packet_reply(world, record);
	size_t bytes = prng_below(&world->prng, packet->bytes);

	if (prng_chance(&world->prng, 300000))
		bytes = prng_below(&world->prng, UMAD_BYTES + 30);
	packet->kind = PACKET_TRUNCATED;
	packet->bytes = bytes;
	packet->umad = must_realloc(packet->umad, bytes);
	return packet;
}

struct packet *packet_garbage(struct world *world, unsigned int lane)
{
	size_t bytes = prng_range(&world->prng, 0, 400);
	struct packet *packet;

	if (prng_chance(&world->prng, 300000))
		bytes = UMAD_BYTES + 24;
	packet = packet_new(PACKET_GARBAGE, NULL, lane, bytes);
	prng_fill(&world->prng, packet->umad, bytes);
	if (bytes >= UMAD_BYTES + 24) {
		packet->tid = (uint32_t)be64toh(header_of(packet)->tid);
		if (prng_chance(&world->prng, 500000))
			packet->umad->status = prng_chance(&world->prng, 500000) ? ETIMEDOUT : 0;
	}
	return packet;
}

struct packet *packet_notice(struct record *record)
{
	struct packet *packet = packet_new(PACKET_NOTICE, record, record_last(record)->lane,
					   UMAD_BYTES + sizeof(struct madring_mad_hdr));

	*packet->umad = *record->umad;
	memcpy(packet->umad->data, record->original->data, sizeof(struct madring_mad_hdr));
	packet->umad->status = ETIMEDOUT;
	packet->umad->length = 0;
	header_of(packet)->tid = kernel_tid(record, packet->tid);
	return packet;
}

struct packet *packet_unsolicited(struct world *world, struct record *record)
{
	static const uint8_t methods[] = { MADRING_GET, MADRING_SET, MADRING_TRAP, MADRING_REPORT };
	struct packet *packet = packet_reply(world, record);

	packet->kind = PACKET_UNSOLICITED;
	header_of(packet)->method = methods[prng_below(&world->prng, sizeof(methods))];
	if (prng_chance(&world->prng, 500000))
		set_tid(packet, (uint32_t)prng_next(&world->prng));
	return packet;
}

static bool same_route(const struct packet *packet, const struct record *record)
{
	const uint8_t *ours = (const uint8_t *)record->original->data;
	const uint8_t *theirs = mad_of(packet);
	size_t hops = ours[HOP_COUNT];

	return packet->bytes >= UMAD_BYTES + DR_PATH + hops + 1 && theirs[HOP_COUNT] == hops &&
	       !memcmp(ours + DR_PATH + 1, theirs + DR_PATH + 1, hops);
}

bool agent_has_registration(const struct agent_account *agent, unsigned int lane, uint32_t agent_id)
{
	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		if (agent->config.lane[i].lane == lane &&
		    agent->config.lane[i].agent_id == agent_id)
			return true;
	return false;
}

bool packet_answers(const struct packet *packet, const struct record *record)
{
	const struct madring_mad_hdr *ours = (const struct madring_mad_hdr *)record->original->data;
	const struct madring_mad_hdr *theirs = header_of(packet);

	if (packet->bytes < UMAD_BYTES + sizeof(*theirs))
		return false;
	if (!agent_has_registration(record->agent, packet->lane, packet->umad->agent_id))
		return false;
	if (theirs->mgmt_class != ours->mgmt_class || theirs->attr_id != ours->attr_id ||
	    theirs->attr_mod != ours->attr_mod || !(theirs->method & MADRING_RESPONSE_BIT))
		return false;
	if (ours->mgmt_class == DR_CLASS)
		return same_route(packet, record);
	return record->original->addr.grh_present ||
	       packet->umad->addr.lid == record->original->addr.lid;
}
