/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels and the network: they take frames, report them, and deliver them or not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "rmpp_world.h"

enum event { EVENT_PACKET, EVENT_REPORT, EVENT_RESPOND };

/* Returns an event's tag: its kind, the end it concerns, and a frame's slot. */
static uint64_t tag_of(enum event event, unsigned int end, uint32_t slot)
{
	return (uint64_t)event << 40 | (uint64_t)end << 32 | slot;
}

struct packet {
	struct mad mad;
	unsigned int lane;
	int error; /* of a report */
};

static uint32_t get32(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void check_data(const struct world *world, const struct leg *leg, const uint8_t *mad)
{
	uint32_t segment = get32(mad + 28);
	uint8_t flags = mad[26] & 7;
	uint8_t expected = 1;

	if (!segment || segment > leg->count)
		fail(world, "segment %u of %u is written", segment, leg->count);
	if (segment > leg->may_send)
		fail(world, "segment %u is written, and the window ends at %u", segment,
		     leg->may_send);
	if (segment == 1)
		expected |= 2;
	if (segment == leg->count)
		expected |= 4;
	if (flags != expected)
		fail(world, "segment %u of %u has the flags %u", segment, leg->count, flags);
}

static void check_ack(const struct world *world, const struct leg *leg, const uint8_t *mad)
{
	uint32_t segment = get32(mad + 28);
	uint32_t window = get32(mad + 32);

	if (segment > leg->contiguous)
		fail(world, "segment %u is acknowledged, and %u have come", segment,
		     leg->contiguous);
	if (window < segment || window > segment + WINDOW_MAX)
		fail(world, "segment %u is acknowledged, and the window ends at %u", segment,
		     window);
}

static void check_frame(struct world *world, unsigned int end, const struct rmpp_frame *frame)
{
	const uint8_t *mad = frame->umad->data;
	struct exchange *exchange;
	const struct leg *leg = exchange_leg(world, mad, &exchange);
	bool turn = mad[25] == 2 && !get32(mad + 28);

	if (frame->bytes != sizeof(struct mad) || frame->umad->length != sizeof(struct mad))
		fail(world, "a frame of %zu bytes", frame->bytes);
	if (frame->umad->addr.lid != htobe16((uint16_t)(2 - end)))
		fail(world, "a frame to oneself");
	if (frame->lane != exchange->lane || frame->umad->agent_id != world->end[end].agent_id)
		fail(world, "a frame on another's lane, or from another's agent");
	if (world->lane_lost[frame->lane])
		fail(world, "a frame on a lane that is lost");
	if (mad[25] == 1)
		check_data(world, leg, mad);
	else if (mad[25] == 2 && !turn)
		check_ack(world, leg, mad);
}

static void note_digest(struct world *world, const struct rmpp_frame *frame)
{
	const uint8_t *bytes = (const uint8_t *)frame->umad;
	uint64_t digest = world->digest ^ world->now;

	for (size_t i = 0; i < frame->bytes; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		digest = (digest ^ word) * 0x100000001b3u;
		digest ^= digest >> 31;
	}
	world->digest = digest;
}

static uint64_t delay(struct world *world)
{
	const struct scenario *s = &world->scenario;

	return s->delay_ns + prng_below(&world->prng, s->jitter_ns + 1);
}

static void bring(struct world *world, unsigned int end, const struct rmpp_frame *frame)
{
	struct packet *packet = must_alloc(sizeof(*packet));
	uint8_t *mad = packet->mad.mad;

	memcpy(&packet->mad, frame->umad, sizeof(packet->mad));
	packet->lane = frame->lane;
	packet->mad.umad.addr.lid = htobe16((uint16_t)(end + 1));
	packet->mad.umad.agent_id = world->end[!end].agent_id;
	/* The kernel numbers the TIDs of all but responses. */
	if (!(mad[3] & 0x80)) {
		memset(mad + 8, 0, 3);
		mad[11] = (uint8_t)world->end[end].agent_id;
	}
	agenda_put(&world->events, world->now + delay(world), packet,
		   tag_of(EVENT_PACKET, !end, 0));
}

static int write_result(struct world *world)
{
	if (prng_chance(&world->prng, world->scenario.no_room))
		return -EAGAIN;
	return prng_chance(&world->prng, world->scenario.write_error) ? -EINVAL : 0;
}

void network_write(struct world *world, unsigned int end)
{
	struct rmpp_frame frame;

	while (rmpp_next_frame(world->end[end].rmpp, world->now, &frame)) {
		struct packet *report = must_alloc(sizeof(*report));

		check_frame(world, end, &frame);
		note_digest(world, &frame);
		report->error = write_result(world);
		agenda_put(&world->events, world->now + prng_below(&world->prng, 2000), report,
			   tag_of(EVENT_REPORT, end, frame.slot));
		if (report->error)
			continue;
		world->packets++;
		if (prng_chance(&world->prng, world->scenario.loss)) {
			world->lost++;
			continue;
		}
		bring(world, end, &frame);
		if (prng_chance(&world->prng, world->scenario.twice))
			bring(world, end, &frame);
	}
}

static void note_arrival(struct leg *leg, const uint8_t *mad)
{
	uint32_t number = get32(mad + 28);

	if (mad[25] == 2 && get32(mad + 32) > leg->may_send)
		leg->may_send = get32(mad + 32);
	if (mad[25] != 1 || number > leg->count)
		return;
	leg->has_come[number] = true;
	while (leg->contiguous < leg->count && leg->has_come[leg->contiguous + 1])
		leg->contiguous++;
}

static void arrive(struct world *world, unsigned int end, const struct packet *packet)
{
	const uint8_t *mad = packet->mad.mad;
	struct exchange *exchange;
	struct leg *leg = exchange_leg(world, mad, &exchange);
	unsigned int number = leg == &exchange->leg[1];
	struct rmpp_arrival arrival = {
		.lane = packet->lane,
		.umad = &packet->mad.umad,
		.bytes = sizeof(packet->mad),
		.accept = exchange_accepts(world, end, mad),
		.user = 2 * (uint64_t)(exchange - world->exchange) + number,
	};
	uint64_t id;

	if (world->lane_lost[packet->lane])
		return;
	note_arrival(leg, mad);
	if (rmpp_input(world->end[end].rmpp, &arrival, world->now, &id) != RMPP_STARTED)
		return;
	/* A message that failed may begin again: its sender does not know yet. */
	if (leg->started && !leg->in_status && !leg->disturbed && !world->scenario.forgetful)
		fail(world, "message %u begins twice", (unsigned int)arrival.user);
	leg->started = true;
	leg->in = LEG_GOING;
	leg->in_id = id;
}

void network_respond_later(struct world *world, struct exchange *exchange)
{
	uint64_t at = world->now + prng_below(&world->prng, world->scenario.answer_ns + 1);

	agenda_put(&world->events, at, exchange, tag_of(EVENT_RESPOND, 0, 0));
}

static void happen(struct world *world, const struct agenda_item *item)
{
	enum event event = (enum event)(item->tag >> 40);
	unsigned int end = item->tag >> 32 & 1;
	struct packet *packet = item->what;

	if (event == EVENT_RESPOND) {
		exchange_respond(world, item->what);
		return;
	}
	if (event == EVENT_PACKET)
		arrive(world, end, packet);
	else
		rmpp_frame_done(world->end[end].rmpp, (uint32_t)item->tag, packet->error,
				world->now);
	free(packet);
}

void network_deliver(struct world *world)
{
	struct agenda_item item;

	while (agenda_take(&world->events, world->now, &item)) {
		happen(world, &item);
		/* The outcomes belong to the packet that has just arrived. */
		exchange_take_outcomes(world, 0);
		exchange_take_outcomes(world, 1);
	}
}

void network_close(struct world *world)
{
	struct agenda_item item;

	while (agenda_take(&world->events, UINT64_MAX, &item))
		if (item.tag >> 40 != EVENT_RESPOND)
			free(item.what);
	agenda_free(&world->events);
}
