/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in segments by hand, where the simulation is too random: to whom they belong, and when
 * they are written.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_fixture.h"
#include "rmpp/rmpp.h"

#define TRANSACTIONS 8
#define SA_CLASS     0x03
#define GET_TABLE    0x12
#define LID	     7
#define DATA	     1
#define ACK	     2
#define ABORT	     4
#define FIRST	     2
#define LAST	     4
#define LONG	     (56 + 3 * 200) /* bytes of a message of three segments */

static unsigned int messages; /* taken, and not given back */

static struct ib_user_mad *take(void *context, size_t bytes)
{
	messages++;
	return malloc(sizeof(struct ib_user_mad) + bytes);
}

static void give(void *context, struct ib_user_mad *umad)
{
	messages--;
	free(umad);
}

static struct rmpp_config config(void)
{
	return (struct rmpp_config){
		.sends = 2,
		.receives = 8,
		.frames = 16,
		.window = 8,
		.message_limit = 1 << 20,
		.first_timeout_ns = 100 * MS,
		.min_timeout_ns = 10 * MS,
		.max_timeout_ns = 1000 * MS,
		.retries = 3,
		.idle_ns = 5000 * MS,
		.total_ns = RMPP_NEVER,
		.linger_ns = 1000 * MS,
		.tick_ns = MS,
		.memory = { .take = take, .give = give },
	};
}

struct test {
	struct engine *engine;
	unsigned int agent;
};

static struct test open_with(unsigned int attempts)
{
	const struct rmpp_config rmpp = config();
	struct engine_agent_config agent = fixture_agent();
	struct test test = { .engine = fixture_open(TRANSACTIONS, MS, 0) };

	assert_int_equal(engine_rmpp_open(test.engine, &rmpp), 0);
	agent.user_rmpp = true;
	agent.pin_timeout = true;
	agent.attempts = attempts;
	agent.flow_window = 1;
	agent.pin_flow_window = true;
	test.agent = (unsigned int)engine_agent_open(test.engine, &agent);
	return test;
}

static void test_close(struct test *test)
{
	engine_close(test->engine);
	assert_int_equal(messages, 0);
}

static void say(uint8_t *mad, uint8_t type, uint8_t flags, uint32_t segment, uint32_t length)
{
	mad[24] = 1;
	mad[25] = type;
	mad[26] = (uint8_t)(1 | flags);
	mad[27] = 0;
	segment = htobe32(segment);
	length = htobe32(length);
	memcpy(mad + 28, &segment, sizeof(segment));
	memcpy(mad + 32, &length, sizeof(length));
}

static void make_request(struct buffer *request)
{
	fixture_request(request, LID, 0x35);
	request->mad[1] = SA_CLASS;
	request->mad[2] = 2;
	request->mad[3] = GET_TABLE;
}

/* Sends a MAD that answers a request as it was written. */
static enum engine_receive answer(struct test *test, const struct ib_user_mad *request,
				  uint8_t type, uint8_t flags, uint32_t segment, uint32_t length,
				  uint64_t now)
{
	struct buffer mad;

	fixture_reply(&mad, request);
	mad.mad[3] = GET_TABLE | 0x80;
	say(mad.mad, type, flags, segment, length);
	return fixture_receive(test->engine, &mad, now);
}

/* Checks that the next write is a MAD of RMPP with this type and segment. */
static void expect_rmpp(struct test *test, uint8_t type, uint32_t segment, uint64_t now)
{
	struct engine_write write;
	uint32_t number;

	assert_true(engine_wants_segment(test->engine));
	write = fixture_write(test->engine, now);
	assert_int_equal(write.id.kind, ENGINE_WRITE_SEGMENT);
	assert_int_equal(write.umad->data[25], type);
	memcpy(&number, write.umad->data + 28, sizeof(number));
	assert_int_equal(be32toh(number), segment);
}

static void expect_nothing(struct test *test, uint64_t now)
{
	struct engine_write write;
	struct engine_completion completion;

	assert_false(engine_wants_segment(test->engine));
	assert_false(engine_next_write(test->engine, now, &write));
	assert_false(engine_next_completion(test->engine, &completion));
}

static struct engine_completion expect_completion(struct test *test, int status)
{
	struct engine_completion completion;

	assert_true(engine_next_completion(test->engine, &completion));
	assert_int_equal(completion.status, status);
	assert_int_equal(completion.reply != NULL, !status);
	assert_int_equal(engine_in_flight(test->engine), 0);
	return completion;
}

static void test_reply(void **state)
{
	struct test test = open_with(2);
	struct engine_completion completion;
	struct buffer request;
	struct engine_write write;

	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	write = fixture_write(test.engine, MS);
	assert_int_equal(answer(&test, write.umad, DATA, FIRST, 1, 2 * 220 + 70, 4 * MS),
			 ENGINE_SEGMENT);
	expect_rmpp(&test, ACK, 1, 4 * MS);
	/* However long the rest takes. */
	engine_advance(test.engine, 4000 * MS);
	expect_nothing(&test, 4000 * MS);
	assert_int_equal(engine_in_flight(test.engine), 1);
	answer(&test, write.umad, DATA, 0, 2, 0, 4000 * MS);
	answer(&test, write.umad, DATA, LAST, 3, 70, 4000 * MS);
	completion = expect_completion(&test, 0);
	assert_int_equal(completion.length, 56 + 2 * 200 + 50);
	assert_int_equal(completion.attempts, 1);
	assert_int_equal(completion.rtt_ns, 3 * MS);
	give(NULL, completion.reply);
	expect_rmpp(&test, ACK, 3, 4000 * MS);
	/* The sender has not seen that ACK, and repeats the segment. */
	answer(&test, write.umad, DATA, LAST, 3, 70, 4010 * MS);
	expect_rmpp(&test, ACK, 3, 4010 * MS);
	expect_nothing(&test, 4010 * MS);
	test_close(&test);
}

/* Replies without RMPP, and RMPP of an unknown version, which looks like one and is refused. */
static void test_reply_of_one_mad(void **state)
{
	struct test test = open_with(2);
	struct engine_completion completion;
	struct buffer request, reply;
	struct engine_write write;

	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	write = fixture_write(test.engine, MS);
	fixture_reply(&reply, write.umad);
	reply.mad[3] = GET_TABLE | 0x80;
	say(reply.mad, DATA, FIRST | LAST, 1, 70);
	reply.mad[24] = 2;
	assert_int_equal(fixture_receive(test.engine, &reply, 2 * MS), ENGINE_SEGMENT);
	expect_rmpp(&test, ABORT, 0, 2 * MS);
	expect_nothing(&test, 2 * MS);
	memset(reply.mad + 24, 0, 12);
	assert_int_equal(fixture_receive(test.engine, &reply, 3 * MS), ENGINE_REPLY);
	completion = expect_completion(&test, 0);
	assert_ptr_equal(completion.reply, &reply.umad);
	assert_int_equal(completion.rtt_ns, 2 * MS);
	expect_nothing(&test, 3 * MS);
	test_close(&test);
}

/* The reply to an attempt whose time is up begins while the next attempt waits for the window. */
static void test_reply_while_the_retry_waits(void **state)
{
	struct test test = open_with(2);
	struct buffer request, other;
	struct engine_completion completion;
	struct engine_write first, second;

	make_request(&request);
	make_request(&other);
	fixture_send(test.engine, test.agent, &request);
	fixture_send(test.engine, test.agent, &other);
	first = fixture_write(test.engine, 0);
	/* The attempt ends, and the request is in flight no more until it is written again. */
	engine_advance(test.engine, 250 * MS);
	assert_int_equal(engine_in_flight(test.engine), 0);
	assert_int_equal(answer(&test, first.umad, DATA, FIRST | LAST, 1, 70, 250 * MS),
			 ENGINE_SEGMENT);
	completion = expect_completion(&test, 0);
	assert_ptr_equal(completion.user, &request);
	assert_int_equal(completion.attempts, 1);
	give(NULL, completion.reply);
	expect_rmpp(&test, ACK, 1, 250 * MS);
	/* A reply in several segments keeps the request in flight meanwhile. */
	second = fixture_write(test.engine, 250 * MS);
	engine_advance(test.engine, 500 * MS);
	assert_int_equal(engine_in_flight(test.engine), 0);
	answer(&test, second.umad, DATA, FIRST, 1, 0, 500 * MS);
	assert_int_equal(engine_in_flight(test.engine), 1);
	expect_rmpp(&test, ACK, 1, 500 * MS);
	expect_nothing(&test, 500 * MS);
	answer(&test, second.umad, DATA, LAST, 2, 70, 501 * MS);
	completion = expect_completion(&test, 0);
	assert_ptr_equal(completion.user, &other);
	give(NULL, completion.reply);
	expect_rmpp(&test, ACK, 2, 501 * MS);
	expect_nothing(&test, 501 * MS);
	test_close(&test);
}

/* A reply by another lane than that of the last attempt is lost with that lane. */
static void test_reply_by_another_lane(void **state)
{
	struct test test = { .engine = fixture_open(TRANSACTIONS, MS, 0) };
	const struct rmpp_config rmpp = config();
	struct engine_agent_config agent = fixture_agent();
	struct buffer request, first, other, withdrawn;
	struct engine_request waits = { .umad = &other.umad,
					.length = sizeof(other.mad),
					.flow = 1,
					.timeout_ns = ENGINE_NEVER,
					.attempts = 1 };
	struct engine_completion completion;
	struct engine_write write;
	uint64_t now = 0;
	uint64_t id, other_id;

	assert_int_equal(engine_rmpp_open(test.engine, &rmpp), 0);
	engine_lane_open(test.engine, 1);
	agent.user_rmpp = true;
	agent.attempts = 100;
	agent.lane[1] = (struct engine_agent_lane){ .lane = 1, .agent_id = 6 };
	agent.lane_count = 2;
	test.agent = (unsigned int)engine_agent_open(test.engine, &agent);
	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	write = fixture_write(test.engine, now);
	assert_int_equal(write.lane, 0);
	memcpy(&first, write.umad, sizeof(first));
	/* The other request stays in flight on that lane, and nothing on the other lane. */
	make_request(&withdrawn);
	waits.umad = &withdrawn.umad;
	assert_int_equal(engine_send(test.engine, test.agent, &waits, &id), 0);
	assert_int_equal(fixture_write(test.engine, now).lane, 1);
	make_request(&other);
	waits.umad = &other.umad;
	assert_int_equal(engine_send(test.engine, test.agent, &waits, &other_id), 0);
	assert_int_equal(fixture_write(test.engine, now).lane, 0);
	assert_int_equal(engine_cancel(test.engine, id), 0);
	assert_true(engine_next_completion(test.engine, &completion));
	while (write.lane == 0) {
		now += 2000 * MS;
		engine_advance(test.engine, now);
		write = fixture_write(test.engine, now);
		assert_in_range(now, 0, 150000 * MS);
	}
	answer(&test, &first.umad, DATA, FIRST, 1, 0, now);
	expect_rmpp(&test, ACK, 1, now);
	expect_nothing(&test, now);
	engine_lane_lost(test.engine, 0);
	for (int i = 0; i < 2; i++) {
		assert_true(engine_next_completion(test.engine, &completion));
		assert_int_equal(completion.status, -ENODEV);
	}
	assert_int_equal(engine_in_flight(test.engine), 0);
	assert_int_equal(messages, 0);
	expect_nothing(&test, now);
	test_close(&test);
}

/* Replies that nobody waits for any more are refused. */
static void test_unwanted(void **state)
{
	struct test test = open_with(1);
	struct buffer request;
	struct engine_write write;

	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	write = fixture_write(test.engine, 0);
	engine_advance(test.engine, 250 * MS);
	expect_completion(&test, -ETIMEDOUT);
	assert_int_equal(answer(&test, write.umad, DATA, FIRST, 1, 0, 250 * MS), ENGINE_SEGMENT);
	expect_rmpp(&test, ABORT, 0, 250 * MS);
	expect_nothing(&test, 250 * MS);
	test_close(&test);
}

/* A request whose reply breaks off is repeated when the attempt's time is up. */
static void test_broken(void **state)
{
	struct test test = open_with(2);
	struct buffer request;
	struct engine_write write;

	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	for (uint64_t now = 0; now <= 250 * MS; now += 250 * MS) {
		struct buffer end;

		engine_advance(test.engine, now);
		write = fixture_write(test.engine, now);
		assert_int_equal(write.id.kind, ENGINE_WRITE_WHOLE);
		answer(&test, write.umad, DATA, FIRST, 1, 0, now);
		expect_rmpp(&test, ACK, 1, now);
		fixture_reply(&end, write.umad);
		end.mad[3] = GET_TABLE | 0x80;
		say(end.mad, ABORT, 0, 0, 0);
		end.mad[27] = 127;
		fixture_receive(test.engine, &end, now);
	}
	assert_int_equal(expect_completion(&test, -ECONNABORTED).rmpp_status, 127);
	expect_nothing(&test, 250 * MS);
	test_close(&test);
}

/* The kernel's notice of a write whose reply has begun changes nothing. */
static void test_notice(void **state)
{
	struct test test = open_with(2);
	struct buffer request, notice;
	struct engine_completion completion;
	struct engine_write write;

	make_request(&request);
	fixture_send(test.engine, test.agent, &request);
	write = fixture_write(test.engine, 0);
	answer(&test, write.umad, DATA, FIRST, 1, 0, 0);
	expect_rmpp(&test, ACK, 1, 0);
	memcpy(&notice, write.umad, sizeof(notice));
	notice.umad.status = ETIMEDOUT;
	assert_int_equal(engine_receive(test.engine, 0, &notice.umad, 88, 0), ENGINE_NOTICE);
	expect_nothing(&test, 0);
	answer(&test, write.umad, DATA, LAST, 2, 70, 0);
	completion = expect_completion(&test, 0);
	give(NULL, completion.reply);
	expect_rmpp(&test, ACK, 2, 0);
	test_close(&test);
}

static struct ib_user_mad *send_long(struct test *test, bool no_reply)
{
	struct ib_user_mad *umad = calloc(1, sizeof(*umad) + LONG);
	struct engine_request options = {
		.umad = umad,
		.length = LONG,
		.no_reply = no_reply,
		.segmented = true,
	};
	struct buffer request;
	uint64_t id;

	assert_non_null(umad);
	make_request(&request);
	memcpy(umad, &request, sizeof(request));
	assert_int_equal(engine_send(test->engine, test->agent, &options, &id), 0);
	return umad;
}

/* The timeout for the reply starts when the other end has the whole request. */
static void test_long_request(void **state)
{
	struct test test = open_with(2);
	struct ib_user_mad *request = send_long(&test, false);
	struct engine_completion completion;
	struct engine_write write;
	struct buffer reply;

	write = fixture_write(test.engine, 0);
	assert_int_equal(write.bytes, sizeof(struct ib_user_mad) + MADRING_MAD_BYTES);
	assert_int_equal(write.umad->addr.lid, htobe16(LID));
	assert_in_range(write.umad->timeout_ms, 250, 2000);
	engine_advance(test.engine, 99 * MS);
	expect_nothing(&test, 99 * MS);
	answer(&test, request, ACK, 0, 1, 8, 99 * MS);
	expect_rmpp(&test, DATA, 2, 99 * MS);
	expect_rmpp(&test, DATA, 3, 99 * MS);
	answer(&test, request, ACK, 0, 3, 8, 300 * MS);
	expect_rmpp(&test, ACK, 0, 300 * MS);
	engine_advance(test.engine, 549 * MS);
	expect_nothing(&test, 549 * MS);
	fixture_reply(&reply, request);
	reply.mad[3] = GET_TABLE | 0x80;
	reply.mad[26] = 0;
	assert_int_equal(fixture_receive(test.engine, &reply, 549 * MS), ENGINE_REPLY);
	completion = expect_completion(&test, 0);
	assert_ptr_equal(completion.reply, &reply.umad);
	assert_ptr_equal(completion.request, request);
	assert_int_equal(completion.rtt_ns, 249 * MS);
	expect_nothing(&test, 549 * MS);
	free(request);
	test_close(&test);
}

static void test_long_request_unanswered(void **state)
{
	struct test test = open_with(2);
	struct ib_user_mad *request = send_long(&test, false);
	uint64_t now = 0;

	for (int attempt = 0; attempt < 2; attempt++) {
		assert_int_equal(fixture_write(test.engine, now).umad->data[25], DATA);
		answer(&test, request, ACK, 0, 1, 8, now);
		expect_rmpp(&test, DATA, 2, now);
		expect_rmpp(&test, DATA, 3, now);
		answer(&test, request, ACK, 0, 3, 8, now);
		expect_rmpp(&test, ACK, 0, now);
		expect_nothing(&test, now);
		now += 250 * MS;
		engine_advance(test.engine, now);
	}
	expect_completion(&test, -ETIMEDOUT);
	expect_nothing(&test, now);
	free(request);
	test_close(&test);
}

static void test_long_request_not_taken(void **state)
{
	struct test test = open_with(2);
	struct ib_user_mad *request = send_long(&test, true);

	for (uint64_t now = 0; now < 10000 * MS; now += 10 * MS) {
		struct engine_write write;

		engine_advance(test.engine, now);
		while (engine_next_write(test.engine, now, &write))
			engine_write_done(test.engine, write.id, 0, now);
	}
	assert_int_equal(expect_completion(&test, -ETIMEDOUT).rmpp_status, 126);
	/* RMPP's retries are not those of the request; at their end the other end gets an ABORT. */
	assert_int_equal(engine_rmpp_stats(test.engine)->segments, 8);
	assert_int_equal(engine_rmpp_stats(test.engine)->refusals, 1);
	free(request);
	test_close(&test);
}

/* Four long requests share the room for fewer: the others wait. */
static void test_many_long_requests(void **state)
{
	struct test test = open_with(8);
	struct ib_user_mad *request[4];
	unsigned int completed = 0;

	for (uint16_t i = 0; i < 4; i++) {
		request[i] = send_long(&test, true);
		request[i]->addr.lid = htobe16((uint16_t)(LID + i)); /* flows of their own */
		request[i]->data[15] = (uint8_t)i;
	}
	for (uint64_t now = 0; now < 1000 * MS && completed < 4; now += MS) {
		struct engine_completion completion;
		struct engine_write write;

		engine_advance(test.engine, now);
		while (engine_next_write(test.engine, now, &write)) {
			struct buffer ack;

			engine_write_done(test.engine, write.id, 0, now);
			fixture_reply(&ack, write.umad);
			ack.mad[3] = GET_TABLE | 0x80;
			say(ack.mad, ACK, 0, 0, 0);
			memcpy(ack.mad + 28, write.umad->data + 28, 4); /* the segment */
			ack.mad[35] = 8;
			fixture_receive(test.engine, &ack, now);
		}
		while (engine_next_completion(test.engine, &completion)) {
			assert_int_equal(completion.status, 0);
			completed++;
		}
	}
	assert_int_equal(completed, 4);
	for (int i = 0; i < 4; i++)
		free(request[i]);
	test_close(&test);
}

/*
 * Writes a response in one MAD, begun at *@now, which the kernel refuses @refused times. Returns
 * the count of writes, and in *@now the time of its end.
 */
static unsigned int try_to_respond(struct test *test, uint64_t *now, unsigned int refused,
				   int status)
{
	struct buffer response;
	struct engine_request options = {
		.umad = &response.umad,
		.length = MADRING_MAD_BYTES,
		.no_reply = true,
	};
	struct engine_completion completion;
	struct engine_write write;
	unsigned int tries = 0;
	uint64_t id;

	make_request(&response);
	response.mad[3] = GET_TABLE | 0x80;
	assert_int_equal(engine_send(test->engine, test->agent, &options, &id), 0);
	for (uint64_t end = *now + 10000 * MS; *now < end; *now += MS) {
		engine_advance(test->engine, *now);
		if (engine_next_completion(test->engine, &completion))
			break;
		if (!engine_next_write(test->engine, *now, &write))
			continue;
		engine_write_done(test->engine, write.id, tries++ < refused ? -EINVAL : 0, *now);
	}
	assert_int_equal(completion.status, status);
	assert_int_equal(engine_in_flight(test->engine), 0);
	return tries;
}

/* A response is written again, but not for ever, while the kernel still sends the ACK before it. */
static void test_response_behind_an_ack(void **state)
{
	struct test test = open_with(2);
	uint64_t now = 0;

	assert_int_equal(try_to_respond(&test, &now, 1, 0), 2);
	assert_int_equal(try_to_respond(&test, &now, 10, 0), 11);
	assert_int_equal(try_to_respond(&test, &now, 11, -EINVAL), 11);
	test_close(&test);
}

/*
 * A refused response of an agent without RMPP is written again, too: another MAD of its TID may
 * still be on its way.
 */
static void test_response_refused(void **state)
{
	struct engine_agent_config agent = fixture_agent();
	struct test test = open_with(2);
	uint64_t now = 0;

	test.agent = (unsigned int)engine_agent_open(test.engine, &agent);
	assert_int_equal(try_to_respond(&test, &now, 1, 0), 2);
	assert_int_equal(try_to_respond(&test, &now, 11, -EINVAL), 11);
	test_close(&test);
}

static void test_open(void **state)
{
	struct engine *engine = fixture_open(TRANSACTIONS, MS, 0);
	struct rmpp_config rmpp = config();

	assert_int_equal(engine_rmpp_stats(engine)->sent, 0);
	rmpp.window = 0;
	assert_int_equal(engine_rmpp_open(engine, &rmpp), -EINVAL);
	rmpp.window = 1;
	assert_int_equal(engine_rmpp_open(engine, &rmpp), 0);
	assert_int_equal(engine_rmpp_open(engine, &rmpp), 0);
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_reply),
	cmocka_unit_test(test_reply_of_one_mad),
	cmocka_unit_test(test_reply_while_the_retry_waits),
	cmocka_unit_test(test_reply_by_another_lane),
	cmocka_unit_test(test_unwanted),
	cmocka_unit_test(test_broken),
	cmocka_unit_test(test_notice),
	cmocka_unit_test(test_long_request),
	cmocka_unit_test(test_long_request_unanswered),
	cmocka_unit_test(test_long_request_not_taken),
	cmocka_unit_test(test_many_long_requests),
	cmocka_unit_test(test_response_behind_an_ack),
	cmocka_unit_test(test_response_refused),
	cmocka_unit_test(test_open),
};

TEST_MAIN(tests, NULL, NULL)
