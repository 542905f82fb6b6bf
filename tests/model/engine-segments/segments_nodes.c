/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes, which answer requests and send requests to the engine's server. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

/* The bit of RMPP's .user that marks a response; the low half is the exchange's number. */
#define USER_RESPONSE (UINT64_C(1) << 32)

void nodes_open(struct world *world)
{
	struct rmpp_config config = world_rmpp_config(world);

	config.sends = 4096;
	config.receives = 4096;
	config.frames = 512;
	config.window = (uint32_t)prng_range(&world->prng, 1, 64);
	if (rmpp_open(&world->far, &config))
		fail(world, "RMPP does not open");
}

static void sending_free(struct sending **link)
{
	struct sending *sending = *link;

	*link = sending->next;
	free(sending);
}

static struct exchange *exchange_of(struct world *world, const uint8_t *mad)
{
	uint32_t number = message_number(mad);

	if (number >= world->exchanges)
		fail(world, "message %u is nobody's", number);
	return &world->exchange[number];
}

/* Sends a copy of a message, because RMPP reads the message until it has arrived. */
static void send_long(struct world *world, const struct exchange *exchange,
		      const struct ib_user_mad *message, size_t length, uint64_t tid, uint64_t user)
{
	struct sending *sending = must_alloc(sizeof(*sending) + length);
	struct rmpp_message how = {
		.umad = &sending->umad,
		.length = length,
		.lane = exchange->node,
		.reply_ms = exchange->is_call && exchange->long_reply ? 1000 : 0,
		.user = user | (uint64_t)(exchange - world->exchange),
	};
	uint64_t wire = htobe64(tid);
	int error;

	memcpy(&sending->umad, message, sizeof(*message) + length);
	memcpy(sending->umad.data + 8, &wire, sizeof(wire));
	sending->umad.addr.lid = htobe16(OWN_LID);
	error = rmpp_send(world->far, &how, world->now, &sending->id);
	if (error) {
		/* The request came twice, and its response is under way. */
		if (error != -EEXIST)
			fail(world, "a node cannot send: %d", error);
		free(sending);
		return;
	}
	sending->next = world->sending;
	world->sending = sending;
}

static void send_plain(struct world *world, const struct exchange *exchange,
		       const struct ib_user_mad *message, uint64_t tid)
{
	uint64_t wire = htobe64(tid);
	uint8_t mad[MADRING_MAD_BYTES];

	memcpy(mad, message->data, sizeof(mad));
	memcpy(mad + 8, &wire, sizeof(wire));
	network_send(world, EVENT_TO_ENGINE, exchange->node, mad);
}

void nodes_respond(struct world *world, struct exchange *exchange, uint64_t tid)
{
	if (exchange->long_reply)
		send_long(world, exchange, exchange->response, exchange->response_length, tid,
			  USER_RESPONSE);
	else
		send_plain(world, exchange, exchange->response, tid);
}

void nodes_call(struct world *world, struct exchange *exchange)
{
	uint64_t tid = (uint64_t)(exchange - world->exchange);

	exchange->open = true;
	if (exchange->long_request)
		send_long(world, exchange, exchange->request, exchange->request_length, tid, 0);
	else
		send_plain(world, exchange, exchange->request, tid);
}

static void was_sent(struct world *world, const struct rmpp_outcome *outcome)
{
	struct sending **link = &world->sending;
	struct exchange *exchange = &world->exchange[(uint32_t)outcome->user];

	while (*link && (*link)->id != outcome->id)
		link = &(*link)->next;
	if (!*link)
		fail(world, "a node is told of what it has not sent");
	/* A request whose response comes in segments is needed until then. */
	if (!outcome->status && exchange->is_call && exchange->long_reply)
		return;
	sending_free(link);
	/* A node that got a request twice answers twice, and nobody may take the second answer. */
	if (outcome->status && exchange->arrivals < 2 && scenario_is_quiet(&world->scenario))
		fail(world, "a node's message was not taken: %d", outcome->status);
}

static void forget(struct world *world, const struct exchange *exchange)
{
	struct sending **link = &world->sending;
	uint64_t number = (uint64_t)(exchange - world->exchange);

	while (*link) {
		const uint8_t *mad = (*link)->umad.data;

		if (message_number(mad) == number && !(mad[3] & RESPONSE)) {
			rmpp_forget(world->far, (*link)->id);
			sending_free(link);
		} else {
			link = &(*link)->next;
		}
	}
}

/* Takes a response to a call. */
static void call_answered(struct world *world, struct exchange *exchange,
			  const struct ib_user_mad *umad, size_t length)
{
	message_check(world, umad, length, exchange->response, exchange->response_length);
	if (!exchange->open)
		return; /* it was asked for twice */
	exchange->open = false;
	world->answered++;
	forget(world, exchange);
}

static void asked(struct world *world, struct exchange *exchange, const struct ib_user_mad *umad,
		  size_t length)
{
	uint64_t tid;

	message_check(world, umad, length, exchange->request, exchange->request_length);
	exchange->arrivals++;
	if (exchange->no_reply)
		return;
	memcpy(&tid, umad->data + 8, sizeof(tid));
	network_schedule(world, EVENT_RESPOND,
			 world->now + prng_below(&world->prng, world->scenario.answer_ns + 1),
			 exchange, be64toh(tid));
}

static void received(struct world *world, const struct ib_user_mad *umad, size_t length)
{
	struct exchange *exchange = exchange_of(world, umad->data);

	if (exchange->is_call)
		call_answered(world, exchange, umad, length);
	else
		asked(world, exchange, umad, length);
}

void nodes_receive(struct world *world, unsigned int node, const uint8_t *mad)
{
	struct ib_user_mad *umad = must_alloc(sizeof(*umad) + MADRING_MAD_BYTES);
	struct rmpp_arrival arrival = {
		.lane = node,
		.umad = umad,
		.bytes = sizeof(*umad) + MADRING_MAD_BYTES,
		.accept = true,
	};

	umad->addr.lid = htobe16(OWN_LID);
	umad->addr.qpn = htobe32(1);
	memcpy(umad->data, mad, MADRING_MAD_BYTES);
	if (rmpp_input(world->far, &arrival, world->now, NULL) == RMPP_PLAIN)
		received(world, umad, MADRING_MAD_BYTES);
	free(umad);
	nodes_work(world);
}

void nodes_work(struct world *world)
{
	struct rmpp_outcome outcome;
	struct rmpp_frame frame;

	while (rmpp_next_outcome(world->far, &outcome)) {
		if (outcome.sent) {
			was_sent(world, &outcome);
		} else if (outcome.message) {
			received(world, outcome.message, outcome.length);
			buffer_free(world, outcome.message);
		}
	}
	while (rmpp_next_frame(world->far, world->now, &frame)) {
		network_send(world, EVENT_TO_ENGINE, frame.lane, frame.umad->data);
		rmpp_frame_done(world->far, frame.slot, 0, world->now);
	}
}
