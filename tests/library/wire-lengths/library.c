/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library on the fake device reads malformed messages, with agents of each kind of RMPP. Each
 * request is called back for once, and the receive callback gets no byte that does not exist. All
 * messages are captured, too.
 */
#include "library/library_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/capture/reader.h"
#include "variants.h"

#define MOST_HOPS 63
/* The step through tens of thousands of RMPP headers; it is prime to the period of every field. */
#define SOME 11

struct round {
	struct fixture fixture;
	struct outcomes outcomes;
	unsigned int requests;
	char capture[80];
};

static void read_all(const struct madring_mad *mad, size_t length)
{
	const uint8_t *data = madring_mad_const_data(mad);
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < length; i++)
		sum = (uint8_t)(sum + data[i]);
}

static void on_request(const struct madring_received *received)
{
	struct round *round = received->user;

	round->requests++;
	read_all(received->mad, received->length);
}

static void on_outcome(const struct madring_completion *completion)
{
	struct round *round = completion->user;

	round->outcomes.count++;
	round->outcomes.last_status = completion->status;
	if (completion->mad)
		read_all(completion->mad, completion->length);
}

/* Opens an agent of the fixture's class if @mgmt_class is 0. */
static void begin(struct round *round, uint8_t mgmt_class, enum madring_rmpp rmpp)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 1 << 20 };
	const struct madring_agent_config agent = {
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.rmpp = rmpp,
		.timeout_ms = MADRING_FOREVER,
		.method_mask = { 1 << MADRING_SET },
		.receive = on_request,
		.receive_user = round,
	};
	const char *parent = getenv("TMPDIR");

	memset(round, 0, sizeof(*round));
	fixture_open(&round->fixture, &config, &agent);
	snprintf(round->capture, sizeof(round->capture), "%.40s/wire-lengths.XXXXXX",
		 parent ? parent : "/tmp");
	close(mkstemp(round->capture));
	assert_int_equal(madring_capture_open(round->fixture.ring, round->capture, NULL), 0);
}

static void step(struct round *round)
{
	for (unsigned int turn = 0; turn < 3; turn++)
		assert_true(madring_step(round->fixture.ring) >= 0);
}

/* Sends a request. Returns its bytes as written, without RMPP's other MADs. */
static struct fake_umad send_request(struct round *round, uint32_t number)
{
	const struct madring_send_options send = { .callback = on_outcome, .user = round };
	struct fake_umad umad;

	while (fake_take(&umad))
		;
	assert_int_equal(madring_send(round->fixture.agent,
				      fixture_request(&round->fixture, 7, number), &send),
			 0);
	do {
		step(round);
		assert_true(fake_take(&umad));
	} while (fixture_mark(umad.mad) != number || umad.mad[3] != MADRING_GET);
	return umad;
}

static void spoil_and_send(const struct fake_umad *good, unsigned int number)
{
	struct wire wire = variant(&good->umad, FAKE_BYTES, number);

	/* A message of no bytes would be the end of the file. */
	if (wire.bytes)
		fake_send_message(good->lane, wire.umad, wire.bytes);
	free(wire.umad);
}

static void make_request(struct fake_umad *umad, uint32_t tid)
{
	assert_true(fake_request(umad, CLASS_SA, MADRING_SET, tid));
	wire_set_rmpp(&umad->umad, MADRING_RMPP_DATA, MADRING_RMPP_FIRST, 1, 510);
}

static void play(struct round *round, unsigned int number)
{
	struct fake_umad request = send_request(round, number), reply = request, other;
	unsigned int count = round->outcomes.count, requests = round->requests;

	fake_make_reply(&reply);
	spoil_and_send(&reply, number);
	make_request(&other, number);
	spoil_and_send(&other, number);
	step(round);
	assert_true(round->outcomes.count - count <= 1);
	assert_true(round->requests - requests <= 1);
	/* The reply completes the request if the variant did not; else it is unmatched. */
	fake_send(&reply);
	step(round);
	fixture_wait(&round->fixture, &round->outcomes, count + 1);
	step(round);
	assert_int_equal(round->outcomes.count, count + 1);
	assert_int_equal(madring_outstanding(round->fixture.ring), 0);
}

/* Checks that each packet captured is a MAD as long as it was. */
static void check_capture(struct round *round)
{
	struct madring_capture_state captured;
	struct reader reader;

	assert_int_equal(madring_capture_get_state(round->fixture.ring, &captured), 0);
	assert_int_equal(madring_capture_close(round->fixture.ring), 0);
	assert_int_equal(captured.missed, 0);
	reader_open(&reader, round->capture);
	assert_int_equal(reader.packets, captured.captured);
	assert_int_equal(reader.interfaces, 1);
	reader_close(&reader);
	unlink(round->capture);
}

static void play_all(enum madring_rmpp rmpp)
{
	unsigned int first = 2 * FAKE_BYTES + 600, count = variants(FAKE_BYTES);
	struct round round;

	begin(&round, 0, rmpp);
	for (unsigned int number = 0; number < count; number += number < first ? 1 : SOME)
		play(&round, number);
	assert_true(round.requests > 0);
	check_capture(&round);
	fixture_close(&round.fixture);
}

static void test_without_rmpp(void **state)
{
	play_all(MADRING_RMPP_NONE);
}

static void test_with_the_kernels(void **state)
{
	play_all(MADRING_RMPP_KERNEL);
}

static void test_with_madrings(void **state)
{
	play_all(MADRING_RMPP_USER);
}

/* A route that is too long is refused; one that is written by hand ends once. */
static void test_too_many_hops(void **state)
{
	static const unsigned int too_many[] = { MOST_HOPS + 1, 65,  127,   128,
						 255,		256, 65536, UINT32_MAX };
	uint8_t path[MOST_HOPS + 1] = { 0 };
	struct round round;
	struct madring_mad *mad;

	begin(&round, MADRING_CLASS_SMP_DIRECTED, MADRING_RMPP_NONE);
	mad = madring_mad_alloc(round.fixture.agent);
	assert_int_equal(madring_smp_dr_prepare(mad, path, MOST_HOPS, MADRING_GET, 0x11, 0), 0);
	for (size_t i = 0; i < sizeof(too_many) / sizeof(too_many[0]); i++)
		assert_int_equal(
			madring_smp_dr_prepare(mad, path, too_many[i], MADRING_GET, 0x11, 0),
			-EINVAL);
	madring_mad_free(round.fixture.ring, mad);
	for (unsigned int hops = 0; hops < 256; hops++) {
		const struct madring_send_options send = { .callback = on_outcome, .user = &round };
		struct fake_umad umad, other;

		mad = madring_mad_alloc(round.fixture.agent);
		assert_int_equal(madring_smp_dr_prepare(mad, path, 3, MADRING_GET, 0x11, 0), 0);
		madring_mad_header(mad)->class_specific = htobe16((uint16_t)hops);
		assert_int_equal(madring_send(round.fixture.agent, mad, &send), 0);
		step(&round);
		assert_true(fake_take(&umad));
		fake_make_reply(&umad);
		other = umad;
		other.mad[7] ^= 0x40;
		fake_send(&other);
		step(&round);
		assert_int_equal(round.outcomes.count, hops);
		fake_send(&umad);
		fixture_wait(&round.fixture, &round.outcomes, hops + 1);
		assert_int_equal(round.outcomes.last_status, 0);
	}
	check_capture(&round);
	fixture_close(&round.fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_without_rmpp),
	cmocka_unit_test(test_with_the_kernels),
	cmocka_unit_test(test_with_madrings),
	cmocka_unit_test(test_too_many_hops),
};

TEST_MAIN(tests, NULL, NULL)
