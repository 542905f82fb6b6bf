/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine reads malformed messages, with agents of each kind of RMPP. Each message is in memory
 * that ends where the message does, so that a sanitizer sees a read behind its end. A transaction
 * ends once, whatever comes.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <madring/rmpp.h>

#include "engine/engine.h"
#include "rmpp/rmpp.h"
#include "variants.h"

#define MS	  1000000ull
#define LANE	  0
#define AGENT	  3
#define LID	  7
#define CLASS_SA  0x03
#define CLASS_DR  0x81
#define GET_TABLE 0x12
#define ROUND	  (20000 * MS) /* of a variant: longer than anything of it is remembered */

enum kind { NONE, KERNEL, USER, KINDS };

/* The role of a message, of which there are variants. */
enum role { REPLY, SECOND_SEGMENT, REDIRECT, REQUEST, NOTICE };

static struct {
	struct engine *engine;
	unsigned int agent;
	enum kind kind;
	uint64_t now;
	/* Buffers that are the engine's, and of this round: what was handed out. */
	unsigned int held, completions, requests;
	int status;
	const struct ib_user_mad *last;
	size_t last_length;
	unsigned int answered; /* of all rounds: with what came, or with errors of RMPP */
	unsigned int broken;
} test;

static struct ib_user_mad *take(void *context, size_t bytes)
{
	test.held++;
	return malloc(sizeof(struct ib_user_mad) + bytes);
}

static void give(void *context, struct ib_user_mad *umad)
{
	test.held--;
	free(umad);
}

static void open_rmpp(void)
{
	const struct rmpp_config config = {
		.sends = 8,
		.receives = 8,
		.frames = 64,
		.window = 64,
		.message_limit = 1 << 20,
		.first_timeout_ns = 100 * MS,
		.min_timeout_ns = 10 * MS,
		.max_timeout_ns = 1000 * MS,
		.retries = 3,
		.idle_ns = 5000 * MS,
		.total_ns = RMPP_NEVER,
		.linger_ns = 1000 * MS,
		.tick_ns = 100 * MS,
		.memory = { .take = take, .give = give },
	};

	assert_int_equal(engine_rmpp_open(test.engine, &config), 0);
}

static void begin(enum kind kind)
{
	const struct engine_config config = {
		.transactions = 16,
		.agents = 1,
		.lanes = 1,
		.flows = 16,
		.tick_ns = 100 * MS,
		.seed = 1,
	};
	const struct engine_agent_config agent = {
		.window = 16,
		.flow_window = 16,
		.rmpp = kind == KERNEL,
		.user_rmpp = kind == USER,
		.inbox = 8,
		.pin_timeout = true,
		.first_timeout_ns = 1000 * MS,
		.attempts = 1,
		.lane_count = 1,
		.lane = { { .lane = LANE, .agent_id = AGENT } },
	};

	memset(&test, 0, sizeof(test));
	test.kind = kind;
	assert_int_equal(engine_open(&test.engine, &config), 0);
	engine_lane_open(test.engine, LANE);
	if (kind == USER)
		open_rmpp();
	test.agent = (unsigned int)engine_agent_open(test.engine, &agent);
}

static void end(void)
{
	assert_int_equal(engine_outstanding(test.engine), 0);
	engine_close(test.engine);
	assert_int_equal(test.held, 0);
}

/* Reads all of a message, as its receiver may. */
static void read_all(const struct ib_user_mad *umad, size_t length)
{
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < length; i++)
		sum = (uint8_t)(sum + umad->data[i]);
}

static void give_read(struct ib_user_mad *umad, size_t length)
{
	read_all(umad, length);
	give(NULL, umad);
}

/* Lets the engine write and say what it wants to. */
static void drain(void)
{
	struct engine_completion completion;
	struct engine_received received;
	struct engine_write write;

	while (engine_next_write(test.engine, test.now, &write)) {
		read_all(write.umad, write.bytes - sizeof(*write.umad));
		engine_write_done(test.engine, write.id, 0, test.now);
	}
	while (engine_next_completion(test.engine, &completion)) {
		test.completions++;
		test.status = completion.status;
		test.last = completion.reply;
		test.last_length = completion.length;
		test.answered += !completion.status;
		test.broken += completion.status && completion.status != -ETIMEDOUT;
		assert_true(!completion.reply == !!completion.status);
		if (completion.reply)
			give_read(completion.reply, completion.length);
	}
	while (engine_next_request(test.engine, &received)) {
		test.requests++;
		test.last_length = received.length;
		give_read(received.umad, received.length);
	}
}

static void feed(struct wire wire, bool is_cut)
{
	enum engine_receive result;

	test.held++;
	if (is_cut)
		result = engine_receive_cut(test.engine, LANE, wire.umad, wire.bytes);
	else
		result = engine_receive(test.engine, LANE, wire.umad, wire.bytes, test.now);
	if (!engine_keeps(result))
		give(NULL, wire.umad);
	drain();
}

struct message {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

static struct madring_mad_hdr *header_of(struct message *message)
{
	return (struct madring_mad_hdr *)message->mad;
}

static void make(struct message *message, uint8_t mgmt_class, uint8_t method)
{
	memset(message, 0, sizeof(*message));
	message->umad.agent_id = AGENT;
	message->umad.length = sizeof(*message);
	message->umad.addr.lid = htobe16(LID);
	message->umad.addr.qpn = htobe32(mgmt_class != CLASS_DR);
	*header_of(message) = (struct madring_mad_hdr){
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = method,
		.attr_id = htobe16(0x35),
	};
}

/* Sends a request, which is in flight then. */
static void send_request(struct message *request, uint8_t mgmt_class)
{
	const struct engine_request how = {
		.umad = &request->umad,
		.length = MADRING_MAD_BYTES,
	};
	uint64_t id;

	make(request, mgmt_class, mgmt_class == CLASS_SA ? GET_TABLE : MADRING_GET);
	if (mgmt_class == CLASS_DR) {
		header_of(request)->class_specific = htobe16(3);
		memset(request->mad + 128, 1, 64);
	}
	assert_int_equal(engine_send(test.engine, test.agent, &how, &id), 0);
	drain();
	assert_int_equal(engine_in_flight(test.engine), 1);
}

static void make_reply(struct message *reply, const struct message *request)
{
	*reply = *request;
	reply->umad.length = sizeof(*reply);
	reply->umad.timeout_ms = 0;
	header_of(reply)->method |= MADRING_RESPONSE_BIT;
}

/*
 * Makes the message to spoil. A reply to an agent with RMPP is, or claims to be, the first of three
 * segments.
 */
static size_t make_good(struct message *good, enum role role, const struct message *request)
{
	uint8_t mgmt_class = request->mad[1];

	if (role == REQUEST) {
		make(good, mgmt_class, mgmt_class == CLASS_SA ? GET_TABLE : MADRING_SET);
		header_of(good)->tid = htobe64(test.now);
	} else if (role != NOTICE) {
		make_reply(good, request);
		/*
		 * The redirect leads nowhere, so that it is the reply all the same; 2 KiB MADs may
		 * be short.
		 */
		header_of(good)->status = role == REDIRECT ? htobe16(2) : 0;
		if (role == REDIRECT && test.kind == NONE)
			header_of(good)->base_version = MADRING_LARGE_BASE_VERSION;
	} else {
		*good = *request;
		good->umad.status = ETIMEDOUT;
		good->umad.length = 0;
		return sizeof(good->umad) + sizeof(struct madring_mad_hdr);
	}
	if (test.kind != NONE && mgmt_class == CLASS_SA)
		wire_set_rmpp(&good->umad, MADRING_RMPP_DATA, MADRING_RMPP_FIRST, 1, 510);
	return sizeof(*good);
}

/* Passes the time that all transfers need to end. */
static void pass_time(void)
{
	uint64_t until = test.now + ROUND;

	while (test.now < until) {
		test.now += ROUND / 20;
		engine_advance(test.engine, test.now);
		drain();
	}
	assert_int_equal(test.completions, 1);
	assert_true(test.requests <= 1);
	assert_int_equal(engine_outstanding(test.engine), 0);
	assert_int_equal(engine_in_flight(test.engine), 0);
	assert_int_equal(test.held, 0);
}

static void play(enum role role, uint8_t mgmt_class, unsigned int number, bool is_cut)
{
	struct message request, good, reply;
	size_t bytes;

	test.completions = 0;
	test.requests = 0;
	send_request(&request, mgmt_class);
	bytes = make_good(&good, role, &request);
	if (role == SECOND_SEGMENT) {
		feed(wire_copy(&good.umad, bytes), false);
		wire_set_rmpp(&good.umad, MADRING_RMPP_DATA, 0, 2, 0);
	}
	feed(variant(&good.umad, bytes, number), is_cut);
	assert_true(test.completions <= 1);
	/* The reply completes the request if the variant did not; else it is unmatched. */
	make_reply(&reply, &request);
	feed(wire_copy(&reply.umad, sizeof(reply)), false);
	assert_int_equal(test.completions, 1);
	pass_time();
}

static void play_all(enum kind kind, enum role role, uint8_t mgmt_class)
{
	size_t bytes = role == NOTICE ? sizeof(struct ib_user_mad) + 24 : WIRE_BYTES;
	unsigned int count = variants(bytes);

	begin(kind);
	for (unsigned int number = 0; number < count; number++) {
		/* The other roles see a part of the variants that only RMPP looks at. */
		bool is_plain = kind == NONE || role == NOTICE || mgmt_class != CLASS_SA;

		if (is_plain && number > 2 * bytes + 1000 && number % 31)
			continue;
		play(role, mgmt_class, number, false);
		if (number < 2 * bytes + 40)
			play(role, mgmt_class, number, true);
	}
	/* Some variants do no harm, and some end the message that they belong to. */
	assert_in_range(test.answered, 100, 2 * count);
	if (role == SECOND_SEGMENT)
		assert_in_range(test.broken, 1000, count);
	end();
}

static void test_replies(void **state)
{
	for (enum kind kind = NONE; kind < KINDS; kind++) {
		play_all(kind, REPLY, CLASS_SA);
		play_all(kind, REPLY, CLASS_DR);
	}
}

static void test_replies_that_have_begun(void **state)
{
	play_all(USER, SECOND_SEGMENT, CLASS_SA);
}

static void test_redirects(void **state)
{
	for (enum kind kind = NONE; kind < KINDS; kind++)
		play_all(kind, REDIRECT, CLASS_SA);
}

static void test_requests(void **state)
{
	for (enum kind kind = NONE; kind < KINDS; kind++) {
		play_all(kind, REQUEST, CLASS_SA);
		play_all(kind, REQUEST, CLASS_DR);
	}
}

static void test_notices(void **state)
{
	for (enum kind kind = NONE; kind < KINDS; kind++)
		play_all(kind, NOTICE, CLASS_SA);
}

/* Segments of a message, good ones and such as do not go together with them. */
static const struct segment {
	uint32_t number, length;
	uint8_t flags, fill;
} segments[] = {
	{ 1, 510, MADRING_RMPP_FIRST, 1 }, /* of a message of three */
	{ 2, 0, 0, 2 },
	{ 3, 70, MADRING_RMPP_LAST, 3 },
	{ 2, 0, 0, 0xee },		  /* again, with something else in it */
	{ 2, 220, MADRING_RMPP_LAST, 2 }, /* ends too early */
	{ 4, 0, 0, 4 },			  /* is behind the end */
	{ 100, 0, 0, 4 },		  /* is behind the window */
	{ UINT32_MAX, 0, 0, 4 },
	{ 3, 221, MADRING_RMPP_LAST, 3 }, /* ends behind its end */
	{ 1, 0, MADRING_RMPP_FIRST, 1 },  /* does not tell how long it is */
	{ 1, 0x80000000, MADRING_RMPP_FIRST, 1 },
	{ 1, 70, MADRING_RMPP_FIRST | MADRING_RMPP_LAST, 1 }, /* is all there is */
};
#define SEGMENTS (sizeof(segments) / sizeof(segments[0]))

static void feed_segment(const struct message *whole, const struct segment *segment)
{
	struct message message = *whole;

	memset(message.mad + MADRING_SA_DATA, segment->fill, MADRING_MAD_BYTES - MADRING_SA_DATA);
	wire_set_rmpp(&message.umad, MADRING_RMPP_DATA, segment->flags, segment->number,
		      segment->length);
	feed(wire_copy(&message.umad, sizeof(message)), false);
}

/* Plays segments in any order, with some missing and some repeated. */
static void play_sequence(enum role role, unsigned int sequence)
{
	struct message request, whole;

	test.completions = 0;
	test.requests = 0;
	send_request(&request, CLASS_SA);
	make_good(&whole, role, &request);
	for (unsigned int i = 0; i < 4; i++) {
		feed_segment(&whole, &segments[sequence % SEGMENTS]);
		sequence /= SEGMENTS;
	}
	pass_time();
}

static void play_sequences(enum role role)
{
	unsigned int count = SEGMENTS * SEGMENTS * SEGMENTS * SEGMENTS;

	begin(USER);
	for (unsigned int sequence = 0; sequence < count; sequence++)
		play_sequence(role, sequence);
	if (role == REPLY) {
		assert_in_range(test.answered, 100, count / 2);
		assert_in_range(test.broken, 100, count);
	}
	end();
}

static void test_sequences_of_segments(void **state)
{
	play_sequences(REPLY);
	play_sequences(REQUEST);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_replies),	  cmocka_unit_test(test_replies_that_have_begun),
	cmocka_unit_test(test_redirects), cmocka_unit_test(test_requests),
	cmocka_unit_test(test_notices),	  cmocka_unit_test(test_sequences_of_segments),
};

TEST_MAIN(tests, NULL, NULL)
