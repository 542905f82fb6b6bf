/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the sending of messages of any length, which the kernel splits into segments. */
#include "library_messages.h"

#include <errno.h>
#include <string.h>

/* Returns a request of @length bytes, filled by @seed. A caller may make it a response. */
static struct madring_mad *long_mad(struct fixture *fixture, size_t length, uint32_t seed)
{
	struct madring_mad *mad = madring_mad_alloc_message(fixture->agent, length);

	assert_non_null(mad);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	madring_rmpp_prepare(mad);
	message_fill(madring_mad_data(mad), length, seed);
	return mad;
}

/*
 * Runs the ring until it has written a message on the only lane. Returns the length that was
 * written.
 */
static size_t take_message(struct fixture *fixture, uint8_t *message, size_t room)
{
	size_t length;

	while (!(length = fake_take_message(0, message, room)))
		assert_true(madring_step(fixture->ring) >= 0);
	return length;
}

static void on_end(const struct madring_completion *completion)
{
	last_reply.count++;
	last_reply.status = completion->status;
}

static void test_a_request_of_any_length(void **state)
{
	static const size_t lengths[] = { 60, 256, 257, 456, 2048, 2049, 100000, 3 << 20 };
	const struct madring_config config = { .lanes = 1 };
	struct madring_send_options send = { .callback = on_end };
	static uint8_t message[HEADER + (3 << 20)];
	struct madring_rmpp_hdr rmpp;
	struct ib_user_mad umad;
	struct fake_umad request = { .lane = 0 };
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		send.length = lengths[i];
		assert_int_equal(
			madring_send(fixture.agent, long_mad(&fixture, lengths[i], i), &send), 0);
		assert_int_equal(take_message(&fixture, message, sizeof(message)),
				 HEADER + lengths[i]);
		memcpy(&umad, message, sizeof(umad));
		memcpy(&rmpp, message + HEADER + sizeof(struct madring_mad_hdr), sizeof(rmpp));
		assert_int_equal(umad.length, HEADER + lengths[i]);
		assert_true(umad.retries > 0);
		assert_int_equal(rmpp.version, 1);
		assert_int_equal(rmpp.type, MADRING_RMPP_DATA);
		assert_int_equal(rmpp.flags, MADRING_RMPP_ACTIVE);
		assert_true(message_is_filled(message + HEADER, lengths[i], i));
		memcpy(request.bytes, message, FAKE_BYTES);
		request.length = FAKE_BYTES;
		request.umad.length = FAKE_BYTES;
		fake_answer(&request);
		wait_for_replies(&fixture, i + 1);
		assert_int_equal(last_reply.status, 0);
	}
	fixture_close(&fixture);
}

static void test_unfit_messages_are_not_segmented(void **state)
{
	const struct madring_config config = { .message_bytes = 1 << 20, .large_buffers = 1 };
	struct madring_send_options send = { .length = 257 };
	struct madring_agent *plain;
	struct madring_mad *mad;
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	assert_int_equal(madring_agent_open(fixture.port,
					    &(struct madring_agent_config){ .mgmt_class = CLASS_SA,
									    .class_version = 2 },
					    &plain),
			 0);
	mad = long_mad(&fixture, 1000, 1);
	assert_int_equal(madring_send(fixture.agent, mad, NULL), -EINVAL);
	assert_int_equal(madring_send(plain, mad, &send), -EMSGSIZE);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	assert_int_equal(madring_send(fixture.agent, mad, &send), -EMSGSIZE);
	send.length = 1 << 20;
	assert_int_equal(madring_send(fixture.agent, mad, &send), -EINVAL);
	madring_mad_free(fixture.ring, mad);
	/*
	 * A MAD in a buffer of 2 KiB may be longer than 256 bytes, because such a MAD has another
	 * base version.
	 */
	mad = madring_mad_alloc_large(plain);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	send.length = 257;
	assert_int_equal(madring_send(plain, mad, &send), 0);
	mad = madring_mad_alloc_message(fixture.agent, 24);
	assert_true(madring_mad_room(fixture.ring, mad) >= MADRING_MAD_BYTES);
	madring_mad_free(fixture.ring, mad);
	assert_int_equal(madring_agent_open(fixture.port,
					    &(struct madring_agent_config){ .mgmt_class = 3,
									    .class_version = 2,
									    .rmpp = 3 },
					    &plain),
			 -EINVAL);
	fixture_close(&fixture);
}

/* The file has no room for all messages. The others are written once it has room again. */
static void test_more_than_the_file_takes(void **state)
{
	enum { MESSAGES = 12, LENGTH = 1500000 };
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 20 };
	const struct madring_send_options send = { .length = LENGTH, .no_reply = true };
	static uint8_t message[HEADER + LENGTH];
	struct madring_mad_hdr header;
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct madring_mad *mad = long_mad(&fixture, LENGTH, i);

		madring_mad_header(mad)->method = MADRING_GET_RESP;
		madring_mad_header(mad)->tid = htobe64(1000 + i);
		assert_int_equal(madring_send(fixture.agent, mad, &send), 0);
	}
	for (unsigned int turn = 0; turn < 5; turn++)
		assert_true(madring_step(fixture.ring) >= 0);
	assert_in_range(madring_outstanding(fixture.ring), 1, MESSAGES - 1);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		assert_int_equal(take_message(&fixture, message, sizeof(message)), sizeof(message));
		memcpy(&header, message + HEADER, sizeof(header));
		assert_in_range(be64toh(header.tid), 1000, 1000 + MESSAGES - 1);
		assert_true(message_is_filled(message + HEADER, LENGTH,
					      (uint32_t)be64toh(header.tid) - 1000));
	}
	fixture_drain(&fixture);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_request_of_any_length),
	cmocka_unit_test(test_unfit_messages_are_not_segmented),
	cmocka_unit_test(test_more_than_the_file_takes),
};

TEST_MAIN(tests, NULL, NULL)
