/* SPDX-License-Identifier: BSD-2-Clause */
/* 65,536 transactions in flight at once in one ring, from one thread. */
#include "library_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY	  65536u
#define CLASS_PMA 0x04 /* the kernel does not limit how many of its MADs are on the wire */

static unsigned char seen[MANY];

static void on_one_of_many(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	assert_int_equal(completion->status, 0);
	assert_int_equal(completion->attempts, 1);
	assert_int_equal(fixture_mark(madring_mad_data(completion->mad)), mark);
	seen[mark]++;
}

/* The requests that the far side has taken, and will only answer when all are there. */
static struct fake_held {
	unsigned int lane;
	uint8_t bytes[FAKE_BYTES];
} *held;

static unsigned int take_all(unsigned int count)
{
	struct fake_umad umad;

	while (count < MANY && fake_take(&umad)) {
		assert_int_equal(umad.length, FAKE_BYTES);
		fake_make_reply(&umad);
		held[count].lane = umad.lane;
		memcpy(held[count].bytes, umad.bytes, FAKE_BYTES);
		count++;
	}
	return count;
}

/* Answers in an order that is unrelated to that of the requests. */
static void answer(unsigned int number)
{
	const struct fake_held *one = &held[number * 40503u % MANY];
	struct fake_umad umad = { .length = FAKE_BYTES, .lane = one->lane };

	memcpy(umad.bytes, one->bytes, FAKE_BYTES);
	fake_send(&umad);
}

/* Returns the resident and locked memory of this process, in bytes. */
static uint64_t resident(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[128];

	assert_non_null(file);
	while (!kib && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmRSS:", strlen("VmRSS:")))
			kib = strtoul(line + strlen("VmRSS:"), NULL, 10);
	fclose(file);
	assert_true(kib > 0);
	return (uint64_t)kib * 1024;
}

static void test_65536_in_flight_at_once(void **state)
{
	const struct madring_config config = {
		.transactions = MANY,
		.reads = 4096,
		.lanes = 16,
	};
	const struct madring_agent_config agent = {
		.mgmt_class = CLASS_PMA,
		.class_version = 1,
		.window = MANY,
		.pin_window = true,
		.flow_window = 4,
		.pin_flow_window = true,
		.timeout_ms = MADRING_FOREVER,
	};
	struct madring_stats stats;
	unsigned int taken = 0;
	uint64_t before;
	uint64_t used;
	struct fixture fixture;

	held = calloc(MANY, sizeof(*held));
	assert_non_null(held);
	memset(held, 1, MANY * sizeof(*held));
	before = resident();
	fixture_open(&fixture, &config, &agent);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct madring_send_options send = {
			.callback = on_one_of_many,
			.user = (void *)(uintptr_t)i,
		};
		struct madring_mad *mad = fixture_request(&fixture, (uint16_t)(i % 49151 + 1), i);

		assert_int_equal(madring_send(fixture.agent, mad, &send), 0);
	}
	while (taken < MANY) {
		assert_int_equal(madring_step(fixture.ring), 0);
		taken = take_all(taken);
	}
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.in_flight, MANY);
	used = resident() - before;
	for (unsigned int i = 0; i < MANY; i++) {
		answer(i);
		if (i % 512 == 511)
			assert_true(madring_step(fixture.ring) >= 0);
	}
	while (madring_outstanding(fixture.ring))
		assert_true(madring_step(fixture.ring) >= 0);
	for (unsigned int i = 0; i < MANY; i++)
		assert_int_equal(seen[i], 1);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.in_flight_peak, MANY);
	assert_int_equal(stats.replies, MANY);
	print_message("%u in flight, %.0f bytes of memory each, buffers included\n", MANY,
		      (double)used / MANY);
	free(held);
	fixture_close(&fixture);
	/* A sanitizer keeps books of its own beside every byte. */
#ifndef __SANITIZE_ADDRESS__
	assert_true(used / MANY <= 1024);
#endif
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_65536_in_flight_at_once),
};

TEST_MAIN(tests, NULL, NULL)
