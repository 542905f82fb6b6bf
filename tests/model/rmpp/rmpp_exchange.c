/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends messages, and checks that each arrives unchanged, once, and is told once to either end. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/common/must_alloc.h"
#include "rmpp_world.h"

#define METHOD	 0x12
#define RESPONSE 0x80

struct class_geometry {
	uint8_t mgmt_class;
	uint32_t header;
};

static const struct class_geometry classes[] = {
	{ 0x03, 56 }, { 0x06, 64 }, { 0x10, 64 }, { 0x12, 64 }, { 0x30, 40 }, { 0x4f, 40 },
};

static uint32_t header_of(uint8_t mgmt_class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].mgmt_class == mgmt_class)
			return classes[i].header;
	return 0;
}

static uint32_t number_of(const struct world *world, const struct exchange *exchange)
{
	return (uint32_t)(exchange - world->exchange);
}

static uint8_t content(uint32_t number, unsigned int leg, size_t at)
{
	uint64_t value = (at + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)(2 * number + leg + 1) << 20;

	return (uint8_t)(value >> 29 ^ value >> 47);
}

static void leg_make(struct world *world, struct exchange *exchange, unsigned int leg,
		     unsigned int from)
{
	uint32_t number = number_of(world, exchange);
	uint32_t header = header_of(exchange->mgmt_class);
	struct leg *this = &exchange->leg[leg];
	size_t most = world->scenario.longest > header ? world->scenario.longest - header : 0;
	uint8_t *mad;

	this->length = header + (world->scenario.whole ? most : prng_below(&world->prng, most + 1));
	this->count = (uint32_t)((this->length - header + 255 - header) / (256 - header));
	if (!this->count)
		this->count = 1;
	if (!this->may_send) /* or what the request's sender has told */
		this->may_send = 1;
	this->has_come = must_alloc(this->count + 1);
	this->message = must_alloc(sizeof(*this->message) + this->length);
	this->message->agent_id = world->end[from].agent_id;
	this->message->addr.lid = htobe16((uint16_t)(2 - from));
	this->message->addr.qpn = htobe32(1);
	mad = this->message->data;
	for (size_t i = 36; i < this->length; i++)
		mad[i] = content(number, leg, i);
	mad[0] = 1;
	mad[1] = exchange->mgmt_class;
	mad[2] = 2;
	mad[3] = leg ? METHOD | RESPONSE : METHOD;
	/* The kernel of the end that asks numbers the TID by its agent. */
	mad[11] = (uint8_t)(leg ? world->end[exchange->from].agent_id : 0);
	mad[14] = (uint8_t)(number >> 8);
	mad[15] = (uint8_t)number;
}

static void leg_send(struct world *world, struct exchange *exchange, unsigned int leg)
{
	unsigned int from = leg ? !exchange->from : exchange->from;
	struct leg *this = &exchange->leg[leg];
	struct rmpp_message message = {
		.lane = exchange->lane,
		.reply_ms = !leg && exchange->answered ? 100 : 0,
		.user = 2 * number_of(world, exchange) + leg,
	};
	int error;

	leg_make(world, exchange, leg, from);
	message.umad = this->message;
	message.length = this->length;
	error = rmpp_send(world->end[from].rmpp, &message, world->now, &this->out_id);
	if (error && !(error == -EAGAIN && world->scenario.forgetful))
		fail(world, "a message cannot be sent: %d", error);
	this->out = error ? LEG_ENDED : LEG_GOING;
	this->out_status = error;
}

void exchange_start(struct world *world)
{
	struct exchange *exchange = &world->exchange[world->started++];

	*exchange = (struct exchange){
		.from = (unsigned int)prng_below(&world->prng, 2),
		.lane = (unsigned int)prng_below(&world->prng, LANES),
		.answered = !world->scenario.whole && prng_chance(&world->prng, 500000),
		.mgmt_class =
			classes[prng_below(&world->prng, sizeof(classes) / sizeof(classes[0]))]
				.mgmt_class,
	};
	if (world->scenario.whole)
		exchange->mgmt_class = 0x03;
	if (!world->lane_lost[exchange->lane])
		leg_send(world, exchange, 0);
}

void exchange_respond(struct world *world, struct exchange *exchange)
{
	if (!world->lane_lost[exchange->lane] && exchange->leg[1].out == LEG_NONE)
		leg_send(world, exchange, 1);
}

struct leg *exchange_leg(struct world *world, const uint8_t *mad, struct exchange **out)
{
	struct exchange *exchange = &world->exchange[mad[14] << 8 | mad[15]];
	bool is_answer = mad[25] == 2; /* an ACK: the method is that of the other direction */
	bool is_response = mad[3] & RESPONSE;

	*out = exchange;
	return &exchange->leg[is_answer ? !is_response : is_response];
}

bool exchange_accepts(struct world *world, unsigned int end, const uint8_t *mad)
{
	struct exchange *exchange;
	const struct leg *leg = exchange_leg(world, mad, &exchange);

	if (leg == &exchange->leg[0])
		return end != exchange->from;
	/* The end that asks takes one response, as long as it waits for it. */
	return end == exchange->from && leg->in != LEG_ENDED && !leg->started &&
	       exchange->leg[0].out != LEG_NONE && exchange->leg[0].out_status == 0;
}

static void check_message(const struct world *world, const struct leg *leg, uint32_t number,
			  const struct rmpp_outcome *outcome)
{
	const uint8_t *sent = leg->message->data, *got = outcome->message->data;

	if (outcome->length != leg->length)
		fail(world, "message %u: %zu bytes have become %zu", number, leg->length,
		     outcome->length);
	if (outcome->message->length != sizeof(*outcome->message) + leg->length)
		fail(world, "message %u: its umad header says %u", number,
		     outcome->message->length);
	/* The TID's high half is the kernel's, and the RMPP header is not the message's. */
	if (memcmp(got, sent, 8) != 0 || memcmp(got + 12, sent + 12, 12) != 0 ||
	    memcmp(got + 36, sent + 36, leg->length - 36) != 0)
		fail(world, "message %u is not what was sent", number);
}

static void took_in(struct world *world, struct exchange *exchange, struct leg *leg,
		    const struct rmpp_outcome *outcome)
{
	uint32_t number = (uint32_t)outcome->user;

	if (!leg->started || outcome->id != leg->in_id)
		fail(world, "message %u has ended and never begun", number);
	leg->in = LEG_ENDED;
	leg->in_status = outcome->status;
	if (outcome->status)
		return;
	check_message(world, leg, number, outcome);
	if (leg->arrivals++ && !world->scenario.forgetful)
		fail(world, "message %u has come twice", number);
	world->config.memory.give(
		&world->end[leg == &exchange->leg[0] ? !exchange->from : exchange->from],
		outcome->message);
	if (leg == &exchange->leg[0]) {
		if (exchange->answered)
			network_respond_later(world, exchange);
		return;
	}
	/* The reply shows that the request has arrived. */
	rmpp_forget(world->end[exchange->from].rmpp, exchange->leg[0].out_id);
	if (exchange->leg[0].out == LEG_GOING) {
		exchange->leg[0].out = LEG_ENDED;
		exchange->leg[0].disturbed = true;
	}
}

static void took_out(const struct world *world, struct leg *leg, const struct rmpp_outcome *outcome)
{
	uint32_t number = (uint32_t)outcome->user;

	if (leg->out != LEG_GOING || outcome->id != leg->out_id)
		fail(world, "message %u: an outcome, and it is not on its way", number);
	leg->out = LEG_ENDED;
	leg->out_status = outcome->status;
	if (outcome->message)
		fail(world, "message %u: a buffer comes with what was sent", number);
	if (outcome->status && world->scenario.whole)
		fail(world, "message %u failed: %d", number, outcome->status);
	if (!outcome->status && leg->contiguous != leg->count)
		fail(world, "message %u is said to be there, and is not", number);
}

void exchange_take_outcomes(struct world *world, unsigned int end)
{
	struct rmpp_outcome outcome;

	while (rmpp_next_outcome(world->end[end].rmpp, &outcome)) {
		struct exchange *exchange = &world->exchange[outcome.user / 2];
		struct leg *leg = &exchange->leg[outcome.user % 2];
		bool sends = end == (outcome.user % 2 ? !exchange->from : exchange->from);

		world->told_at = world->now;
		if (outcome.user / 2 >= world->started || outcome.sent != sends)
			fail(world, "an outcome of no message of this end");
		if (outcome.sent)
			took_out(world, leg, &outcome);
		else
			took_in(world, exchange, leg, &outcome);
	}
}

static void cancel(struct world *world)
{
	struct exchange *exchange = &world->exchange[prng_below(&world->prng, world->started)];
	unsigned int number = (unsigned int)prng_below(&world->prng, 2);
	struct leg *leg = &exchange->leg[number];
	unsigned int from = number ? !exchange->from : exchange->from;

	leg->disturbed = true;
	if (prng_chance(&world->prng, 500000)) {
		rmpp_cancel(world->end[from].rmpp, leg->out_id);
		leg->out = leg->out == LEG_GOING ? LEG_ENDED : leg->out;
	} else {
		rmpp_cancel(world->end[!from].rmpp, leg->in_id);
		leg->in = leg->in == LEG_GOING ? LEG_ENDED : leg->in;
	}
}

static void lose_lane(struct world *world)
{
	unsigned int lane = (unsigned int)prng_below(&world->prng, LANES);

	world->lane_lost[lane] = true;
	for (unsigned int end = 0; end < 2; end++)
		rmpp_forget_lane(world->end[end].rmpp, lane);
	for (uint32_t i = 0; i < world->started; i++) {
		struct exchange *exchange = &world->exchange[i];

		for (unsigned int leg = 0; exchange->lane == lane && leg < 2; leg++) {
			exchange->leg[leg].disturbed = true;
			if (exchange->leg[leg].out == LEG_GOING)
				exchange->leg[leg].out = LEG_ENDED;
			if (exchange->leg[leg].in == LEG_GOING)
				exchange->leg[leg].in = LEG_ENDED;
		}
	}
}

void exchange_disturb(struct world *world)
{
	if (world->started && prng_chance(&world->prng, world->scenario.cancel))
		cancel(world);
	if (prng_chance(&world->prng, world->scenario.lane_lost))
		lose_lane(world);
}

static bool may_fail(const struct scenario *s)
{
	return s->loss || s->no_room || s->write_error || s->memory_refused || s->cancel ||
	       s->lane_lost || s->forgetful;
}

static void check_leg(const struct world *world, const struct leg *leg, uint32_t number)
{
	if (leg->out == LEG_GOING || leg->in == LEG_GOING)
		fail(world, "message %u never ends", number);
	if (leg->disturbed || world->scenario.forgetful)
		return;
	if (leg->out == LEG_ENDED && !leg->out_status && leg->arrivals != 1)
		fail(world, "message %u: it has come %u times", number, leg->arrivals);
	if (leg->out == LEG_ENDED && leg->out_status && !may_fail(&world->scenario) &&
	    world->config.total_ns == RMPP_NEVER)
		fail(world, "message %u failed for no reason: %d", number, leg->out_status);
}

void exchange_check_end(struct world *world)
{
	for (uint32_t i = 0; i < world->started; i++)
		for (unsigned int leg = 0; leg < 2; leg++)
			check_leg(world, &world->exchange[i].leg[leg], 2 * i + leg);
	for (unsigned int end = 0; end < 2; end++)
		if (world->end[end].messages)
			fail(world, "%" PRIu64 " messages were not given back",
			     world->end[end].messages);
}

void exchange_free(struct exchange *exchange)
{
	for (unsigned int leg = 0; leg < 2; leg++) {
		free(exchange->leg[leg].message);
		free(exchange->leg[leg].has_come);
	}
}
