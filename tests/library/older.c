/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers are used again and again. No byte of an older MAD may be written to the device, however
 * much of a buffer a program leaves as it was handed out.
 */
#include "library_fixture.h"

#include <stdlib.h>
#include <string.h>

#define HEADER	     sizeof(struct ib_user_mad)
#define OLD	     'K' /* every byte of an older MAD */
#define LARGE	     4u
#define MESSAGE	     3000u /* bytes, for which a larger buffer is taken */
#define ROUNDS	     600u  /* more than there are receive buffers */
#define SHORT	     100u  /* bytes of a short MAD */
#define CLASS_TEST   0x09
#define ACK	     2 /* the RMPP type of an ACK */
#define MOST_BUFFERS 8192u

static const struct madring_config config = {
	.large_buffers = LARGE,
	.message_bytes = 1 << 20,
};

static unsigned int older_bytes(const uint8_t *bytes, size_t length)
{
	unsigned int count = 0;

	for (size_t i = 0; i < length; i++)
		count += bytes[i] == OLD;
	return count;
}

/*
 * Counts the older bytes in the address and the MAD of a message, but not in the TID, which is
 * random.
 */
static unsigned int older_in_message(const uint8_t *message, size_t length)
{
	const size_t address = offsetof(struct ib_user_mad, addr);
	const size_t tid = HEADER + offsetof(struct madring_mad_hdr, tid);
	const size_t rest = tid + sizeof(uint64_t);

	return older_bytes(message + address, tid - address) +
	       older_bytes(message + rest, length - rest);
}

static void use(const struct fixture *fixture, struct madring_mad *mad)
{
	memset(mad, OLD, HEADER + madring_mad_room(fixture->ring, mad));
}

static struct madring_mad *get(const struct fixture *fixture)
{
	return madring_mad_alloc(fixture->agent);
}

static struct madring_mad *get_large(const struct fixture *fixture)
{
	return madring_mad_alloc_large(fixture->agent);
}

static struct madring_mad *get_message(const struct fixture *fixture)
{
	return madring_mad_alloc_message(fixture->agent, MESSAGE);
}

typedef struct madring_mad *take_function(const struct fixture *fixture);

/* Fills all buffers of a kind that the pool has now with older bytes, and gives them back. */
static void use_all(const struct fixture *fixture, take_function *take)
{
	static struct madring_mad *mad[MOST_BUFFERS];
	unsigned int count = 0;

	while (count < MOST_BUFFERS && (mad[count] = take(fixture)))
		use(fixture, mad[count++]);
	assert_in_range(count, 1, MOST_BUFFERS - 1);
	while (count--)
		madring_mad_free(fixture->ring, mad[count]);
}

static void take_written(struct fixture *fixture, struct fake_umad *umad)
{
	fixture_take(fixture, umad);
}

/*
 * Takes a MAD to @lid. On a busy machine, a segment to another LID may be written again before it.
 */
static void take_written_to(struct fixture *fixture, uint16_t lid, struct fake_umad *umad)
{
	do
		take_written(fixture, umad);
	while (umad->umad.addr.lid != htobe16(lid));
}

/*
 * Sends a buffer as it was handed out, except for its address and method. 0 for @length is all of
 * it.
 */
static void send_as_it_is(struct fixture *fixture, struct madring_mad *mad, size_t length)
{
	const struct madring_send_options options = { .no_reply = true, .length = length };

	madring_mad_set_address(mad, 6, 1, 0, 0x80010000);
	madring_mad_header(mad)->method = MADRING_SEND;
	assert_int_equal(madring_send(fixture->agent, mad, &options), 0);
}

static void open_ring(struct fixture *fixture, enum madring_rmpp rmpp)
{
	fixture_open(fixture, &config,
		     &(struct madring_agent_config){ .rmpp = rmpp, .timeout_ms = MADRING_FOREVER });
}

static void close_ring(struct fixture *fixture)
{
	fixture_finish(fixture);
	fixture_close(fixture);
}

static void check_fresh(take_function *take, size_t length)
{
	struct fixture fixture;
	struct fake_umad umad;

	open_ring(&fixture, MADRING_RMPP_NONE);
	use_all(&fixture, take);
	for (unsigned int i = 0; i < LARGE; i++) {
		send_as_it_is(&fixture, take(&fixture), 0);
		take_written(&fixture, &umad);
		assert_int_equal(umad.length, HEADER + length);
		assert_int_equal(older_in_message(umad.bytes, umad.length), 0);
	}
	close_ring(&fixture);
}

static void test_a_buffer(void **state)
{
	check_fresh(get, MADRING_MAD_BYTES);
}

static void test_a_large_buffer(void **state)
{
	check_fresh(get_large, MADRING_LARGE_MAD_BYTES);
}

/* The message takes the whole room, which is more than was asked for. */
static void test_a_message(void **state)
{
	struct fixture fixture;
	struct madring_mad *mad;
	struct fake_umad umad;
	size_t room;

	open_ring(&fixture, MADRING_RMPP_KERNEL);
	use_all(&fixture, get_message);
	mad = get_message(&fixture);
	room = madring_mad_room(fixture.ring, mad);
	assert_in_range(room, MESSAGE + 1, sizeof(umad.bytes) - HEADER);
	madring_rmpp_prepare(mad);
	send_as_it_is(&fixture, mad, room);
	take_written(&fixture, &umad);
	assert_int_equal(umad.length, HEADER + room);
	assert_int_equal(older_in_message(umad.bytes, umad.length), 0);
	close_ring(&fixture);
}

static struct {
	struct fixture *fixture;
	struct madring_mad *kept;
	size_t length;
	unsigned int requests;
} now;

static void keep_reply(const struct madring_completion *completion)
{
	assert_int_equal(completion->status, 0);
	assert_int_equal(madring_mad_keep(now.fixture->ring, completion->mad), 0);
	now.kept = completion->mad;
	now.length = completion->length;
}

/* Sends a request whose reply is kept, and takes it off the wire. */
static void ask(struct fixture *fixture, struct fake_umad *request)
{
	const struct madring_send_options options = { .callback = keep_reply };

	now.fixture = fixture;
	now.kept = NULL;
	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 5, 0), &options), 0);
	take_written_to(fixture, 5, request);
}

static void wait_for_reply(struct fixture *fixture)
{
	while (!now.kept)
		assert_true(madring_run(fixture->ring, 1000) >= 0);
}

/* Replies to so many requests that all receive buffers have been used. */
static void use_receive_buffers(struct fixture *fixture)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad umad;

	fixture_send(fixture, ROUNDS, &outcomes);
	while (outcomes.count < ROUNDS) {
		assert_true(madring_step(fixture->ring) >= 0);
		while (fake_take(&umad)) {
			fake_make_reply(&umad);
			memset(umad.mad + MADRING_SA_DATA, OLD,
			       MADRING_MAD_BYTES - MADRING_SA_DATA);
			fake_send(&umad);
		}
	}
}

/* Makes a reply or a request short. Only MADs of base version 0x80 or of RMPP can be short. */
static void make_short(struct fake_umad *umad)
{
	umad->mad[0] = MADRING_LARGE_BASE_VERSION;
	umad->length = HEADER + SHORT;
	umad->umad.length = HEADER + SHORT;
}

static void test_a_reply_that_is_sent_on(void **state)
{
	struct fixture fixture;
	struct fake_umad umad;

	open_ring(&fixture, MADRING_RMPP_NONE);
	use_receive_buffers(&fixture);
	ask(&fixture, &umad);
	fake_make_reply(&umad);
	make_short(&umad);
	fake_send(&umad);
	wait_for_reply(&fixture);
	assert_int_equal(now.length, SHORT);
	send_as_it_is(&fixture, now.kept, 0);
	take_written(&fixture, &umad);
	assert_int_equal(umad.length, HEADER + MADRING_MAD_BYTES);
	assert_int_equal(older_in_message(umad.bytes, umad.length), 0);
	close_ring(&fixture);
}

static void respond(const struct madring_received *received)
{
	const struct madring_send_options options = { .no_reply = true };
	struct madring_mad *mad = madring_mad_alloc(received->agent);

	assert_int_equal(received->length, SHORT);
	madring_response_prepare(mad, received->mad);
	assert_int_equal(madring_send(received->agent, mad, &options), 0);
	now.requests++;
}

static void test_a_response(void **state)
{
	const struct madring_agent_config replier = {
		.mgmt_class = CLASS_TEST,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET },
		.receive = respond,
	};
	struct madring_agent *agent;
	struct fixture fixture;
	struct fake_umad umad;

	open_ring(&fixture, MADRING_RMPP_NONE);
	assert_int_equal(madring_agent_open(fixture.port, &replier, &agent), 0);
	use_receive_buffers(&fixture);
	assert_true(fake_request(&umad, CLASS_TEST, MADRING_GET, 1));
	make_short(&umad);
	now.requests = 0;
	fake_send(&umad);
	while (!now.requests)
		assert_true(madring_run(fixture.ring, 1000) >= 0);
	take_written(&fixture, &umad);
	assert_int_equal(umad.length, HEADER + MADRING_MAD_BYTES);
	assert_int_equal(older_in_message(umad.bytes, umad.length), 0);
	close_ring(&fixture);
}

/* Checks that a kept reply has nothing behind its end, as far as its buffer has room. */
static void check_long_reply(struct fixture *fixture)
{
	size_t room;

	wait_for_reply(fixture);
	assert_int_equal(now.length, MESSAGE);
	room = madring_mad_room(fixture->ring, now.kept);
	assert_true(room > MESSAGE);
	assert_int_equal(
		older_bytes((const uint8_t *)madring_mad_data(now.kept) + MESSAGE, room - MESSAGE),
		0);
	madring_mad_free(fixture->ring, now.kept);
}

static void test_a_long_reply(void **state)
{
	uint8_t message[HEADER + MESSAGE];
	struct fixture fixture;
	struct fake_umad umad;

	open_ring(&fixture, MADRING_RMPP_KERNEL);
	use_all(&fixture, get_message);
	ask(&fixture, &umad);
	fake_make_reply(&umad);
	fixture_set_rmpp(umad.mad, MADRING_RMPP_FIRST, 1, MESSAGE);
	umad.umad.length = sizeof(message);
	memset(message, 0, sizeof(message));
	memcpy(message, umad.bytes, FAKE_BYTES);
	fake_send_message(umad.lane, message, sizeof(message));
	check_long_reply(&fixture);
	close_ring(&fixture);
}

/* Sends all segments of the reply, and waits until it is whole. */
static void reply_in_segments(struct fixture *fixture, const struct fake_umad *request)
{
	const uint32_t data = MADRING_MAD_BYTES - MADRING_SA_DATA;
	const uint32_t payload = MADRING_MAD_BYTES - 36;
	const uint32_t count = (MESSAGE - MADRING_SA_DATA + data - 1) / data;
	const uint32_t padding = count * data - (MESSAGE - MADRING_SA_DATA);

	for (uint32_t segment = 1; segment <= count; segment++) {
		struct fake_umad reply = *request;

		fake_make_reply(&reply);
		memset(reply.mad + MADRING_SA_DATA, 0, data);
		if (segment == 1)
			fixture_set_rmpp(reply.mad, MADRING_RMPP_FIRST, 1,
					 count * payload - padding);
		else if (segment == count)
			fixture_set_rmpp(reply.mad, MADRING_RMPP_LAST, segment, payload - padding);
		else
			fixture_set_rmpp(reply.mad, 0, segment, 0);
		fake_send(&reply);
	}
	wait_for_reply(fixture);
}

static void test_a_reply_in_segments(void **state)
{
	struct fixture fixture;
	struct fake_umad umad;

	open_ring(&fixture, MADRING_RMPP_USER);
	use_all(&fixture, get_message);
	ask(&fixture, &umad);
	reply_in_segments(&fixture, &umad);
	check_long_reply(&fixture);
	close_ring(&fixture);
}

/* Sends a message of one segment, full of older bytes, and acknowledges it. */
static void send_segment(struct fixture *fixture, uint16_t lid, size_t length,
			 struct fake_umad *umad)
{
	const struct madring_send_options options = { .no_reply = true, .length = length };
	struct madring_mad *mad = get(fixture);
	struct fake_umad ack;

	madring_sa_prepare(mad, lid, 0, MADRING_SEND, 0x35, 0, 0);
	memset((uint8_t *)madring_mad_data(mad) + MADRING_SA_DATA, OLD,
	       MADRING_MAD_BYTES - MADRING_SA_DATA);
	madring_rmpp_prepare(mad);
	assert_int_equal(madring_send(fixture->agent, mad, &options), 0);
	take_written_to(fixture, lid, umad);
	assert_int_equal(umad->length, FAKE_BYTES);
	ack = *umad;
	fake_make_reply(&ack);
	fixture_set_rmpp(ack.mad, 0, 1, 1);
	ack.mad[25] = ACK;
	fake_send(&ack);
	fixture_drain(fixture);
}

/* madring writes its segments and ACKs from memory that held other segments. */
static void test_segments_and_acks(void **state)
{
	const size_t length = MADRING_SA_DATA + 1, padding = MADRING_MAD_BYTES - length;
	struct fixture fixture;
	struct fake_umad umad;
	unsigned int acks = 0;

	open_ring(&fixture, MADRING_RMPP_USER);
	send_segment(&fixture, 15, MADRING_MAD_BYTES, &umad);
	assert_int_equal(older_bytes(umad.mad + length, padding), padding);
	send_segment(&fixture, 16, length, &umad);
	assert_int_equal(older_bytes(umad.mad + length, padding), 0);
	send_segment(&fixture, 17, MADRING_MAD_BYTES, &umad);
	ask(&fixture, &umad);
	reply_in_segments(&fixture, &umad);
	madring_mad_free(fixture.ring, now.kept);
	while (fake_take(&umad)) {
		if (umad.mad[25] != ACK)
			continue;
		assert_int_equal(older_in_message(umad.bytes, umad.length), 0);
		acks++;
	}
	assert_true(acks > 0);
	close_ring(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_buffer),
	cmocka_unit_test(test_a_large_buffer),
	cmocka_unit_test(test_a_message),
	cmocka_unit_test(test_a_reply_that_is_sent_on),
	cmocka_unit_test(test_a_response),
	cmocka_unit_test(test_a_long_reply),
	cmocka_unit_test(test_a_reply_in_segments),
	cmocka_unit_test(test_segments_and_acks),
};

TEST_MAIN(tests, NULL, NULL)
