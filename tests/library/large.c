/* SPDX-License-Identifier: BSD-2-Clause */
/* 2 KiB MADs (base version 0x80) beside those of 256 bytes, both ways. */
#include "library_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADER	sizeof(struct ib_user_mad)
#define LARGE	MADRING_LARGE_MAD_BYTES
#define BUFFERS 64

static const struct madring_config config = { .large_buffers = 2 * BUFFERS };
static const struct madring_agent_config patient = {
	.timeout_ms = MADRING_FOREVER,
	.window = 2 * BUFFERS,
	.pin_window = true,
};

/* Returns the byte at @i of the MAD with this mark, its headers aside. */
static uint8_t byte_at(uint32_t mark, size_t i)
{
	return (uint8_t)((mark + 1) * 131 + i * 7);
}

static void fill(uint8_t *mad, size_t length, uint32_t mark)
{
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		mad[i] = byte_at(mark, i);
	memcpy(mad + 100, &mark, sizeof(mark));
}

static bool is_filled(const uint8_t *mad, size_t length, uint32_t mark)
{
	for (size_t i = MADRING_SA_DATA; i < length; i++)
		if (mad[i] != byte_at(mark, i) && (i < 100 || i >= 104))
			return false;
	return fixture_mark(mad) == mark;
}

static struct madring_mad *large_request(struct fixture *fixture, uint16_t lid, uint32_t mark)
{
	struct madring_mad *mad = madring_mad_alloc_large(fixture->agent);

	assert_non_null(mad);
	madring_gmp_prepare(mad, lid, MADRING_GET, 0x11, 0);
	fill(madring_mad_data(mad), LARGE, mark);
	return mad;
}

/* Answers as a node would that has another mark; cut to @length. */
static void answer(struct fake_umad *umad, size_t length, uint32_t mark)
{
	fake_make_reply(umad);
	umad->umad.length = (uint32_t)(HEADER + length);
	fill(umad->mad, length, mark);
	fake_send_message(umad->lane, umad->bytes, HEADER + length);
}

static struct {
	unsigned int count;
	size_t length;
	bool right;
} last;

static void on_reply(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	assert_int_equal(completion->status, 0);
	last.count++;
	last.length = completion->length;
	last.right = completion->length <= MADRING_SA_DATA ||
		     is_filled(madring_mad_data(completion->mad), completion->length, mark + 1000);
}

static int send_marked(struct fixture *fixture, struct madring_mad *mad, uint32_t mark,
		       size_t length)
{
	const struct madring_send_options send = {
		.callback = on_reply,
		.user = (void *)(uintptr_t)mark,
		.length = length,
	};

	return madring_send(fixture->agent, mad, &send);
}

static void begin(struct fixture *fixture)
{
	memset(&last, 0, sizeof(last));
	fixture_open(fixture, &config, &patient);
}

static void end(struct fixture *fixture)
{
	struct madring_stats stats;

	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.pool_large_in_use, 0);
	assert_int_equal(stats.pool_large_capacity, 2 * BUFFERS);
	fixture_close(fixture);
}

static void test_large_mads_travel_whole(void **state)
{
	struct fixture fixture;
	struct fake_umad umad;

	begin(&fixture);
	assert_int_equal(send_marked(&fixture, large_request(&fixture, 7, 1), 1, 0), 0);
	fixture_take(&fixture, &umad);
	assert_int_equal(umad.length, HEADER + LARGE);
	assert_int_equal(umad.umad.length, HEADER + LARGE);
	assert_int_equal(umad.mad[0], 0x80);
	assert_int_equal(umad.umad.addr.lid, htobe16(7));
	assert_true(is_filled(umad.mad, LARGE, 1));
	answer(&umad, LARGE, 1001);
	while (!last.count)
		assert_true(madring_run(fixture.ring, 1000) >= 0);
	assert_int_equal(last.length, LARGE);
	assert_true(last.right);
	end(&fixture);
}

/* The length of a MAD may be cut to its content. */
static void test_large_mads_may_be_short(void **state)
{
	static const size_t lengths[] = { 24, 60, 255, 256, 257, 320, 2047 };
	struct fixture fixture;
	struct fake_umad umad;

	begin(&fixture);
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct madring_mad *mad = large_request(&fixture, 7, i);

		assert_int_equal(send_marked(&fixture, mad, i, lengths[i]), 0);
		fixture_take(&fixture, &umad);
		assert_int_equal(umad.length, HEADER + lengths[i]);
		answer(&umad, lengths[i], i + 1000);
		while (last.count <= i)
			assert_true(madring_run(fixture.ring, 1000) >= 0);
		assert_int_equal(last.length, lengths[i]);
		if (lengths[i] > 104)
			assert_true(last.right);
	}
	end(&fixture);
}

/* Hundreds in flight, every other a large one, and answered in another order. */
static void test_large_and_small_at_once(void **state)
{
	static struct fake_umad umads[2 * BUFFERS];
	struct fixture fixture;

	begin(&fixture);
	for (uint32_t i = 0; i < 2 * BUFFERS; i++) {
		struct madring_mad *mad = i % 2 ? large_request(&fixture, (uint16_t)(i + 1), i)
						: fixture_request(&fixture, (uint16_t)(i + 1), i);

		assert_int_equal(send_marked(&fixture, mad, i, 0), 0);
	}
	for (unsigned int i = 0; i < 2 * BUFFERS; i++)
		fixture_take(&fixture, &umads[i]);
	for (unsigned int i = 2 * BUFFERS; i--;) {
		uint32_t mark = fixture_mark(umads[i].mad);

		answer(&umads[i], mark % 2 ? LARGE : MADRING_MAD_BYTES, mark + 1000);
	}
	while (last.count < 2 * BUFFERS) {
		unsigned int before = last.count;

		assert_true(madring_run(fixture.ring, 1000) >= 0);
		assert_true(last.count == before || last.right);
	}
	end(&fixture);
}

static void test_large_mad_over_limit_is_refused(void **state)
{
	struct fixture fixture;
	struct madring_mad *mad;

	begin(&fixture);
	mad = large_request(&fixture, 7, 0);
	assert_int_equal(send_marked(&fixture, mad, 0, LARGE + 1), -EINVAL);
	/* A MAD of the other base version has 256 bytes, whatever its buffer. */
	madring_mad_header(mad)->base_version = 1;
	assert_int_equal(send_marked(&fixture, mad, 0, MADRING_MAD_BYTES + 1), -EMSGSIZE);
	madring_mad_free(fixture.ring, mad);
	mad = fixture_request(&fixture, 7, 0);
	madring_mad_header(mad)->base_version = 0x80;
	assert_int_equal(send_marked(&fixture, mad, 0, MADRING_MAD_BYTES + 1), -EINVAL);
	madring_mad_free(fixture.ring, mad);
	end(&fixture);
}

/* A buffer does not pass its old content on to the next node. */
static void test_large_buffer_is_zeroed(void **state)
{
	struct madring_mad *mads[2 * BUFFERS + 1];
	static const uint8_t zeros[LARGE];
	struct fixture fixture;

	begin(&fixture);
	for (unsigned int i = 0; i < 2 * BUFFERS; i++)
		mads[i] = large_request(&fixture, 7, i);
	assert_null(madring_mad_alloc_large(fixture.agent));
	for (unsigned int i = 0; i < 2 * BUFFERS; i++)
		madring_mad_free(fixture.ring, mads[i]);
	mads[0] = madring_mad_alloc_large(fixture.agent);
	assert_int_equal(madring_mad_room(fixture.ring, mads[0]), LARGE);
	madring_gmp_prepare(mads[0], 7, MADRING_GET, 0x11, 0);
	assert_int_equal(madring_mad_header(mads[0])->base_version, 0x80);
	assert_memory_equal((uint8_t *)madring_mad_data(mads[0]) + 24, zeros, LARGE - 24);
	madring_mad_free(fixture.ring, mads[0]);
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_large_mads_travel_whole),
	cmocka_unit_test(test_large_mads_may_be_short),
	cmocka_unit_test(test_large_and_small_at_once),
	cmocka_unit_test(test_large_mad_over_limit_is_refused),
	cmocka_unit_test(test_large_buffer_is_zeroed),
};

TEST_MAIN(tests, NULL, NULL)
