/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory for replies longer than a receive buffer: its limits, and waiting for it. */
#include "library_messages.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A lane whose message has no room waits, with all messages behind it. The other lanes go on. */
static void test_message_waits_for_room(void **state)
{
	const struct madring_config config = { .lanes = 2, .message_bytes = 1 << 20 };
	struct madring_send_options send = { .callback = check_reply };
	struct fake_umad umad, other;
	struct madring_stats stats;
	struct madring_mad *held;
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	held = madring_mad_alloc_message(fixture.agent, 600000);
	assert_non_null(held);
	umad = ask(&fixture, 1);
	answer(&umad, 500000);
	do {
		assert_int_equal(madring_step(fixture.ring), 0);
		madring_get_stats(fixture.ring, &stats);
	} while (!stats.pool_message_exhausted);
	/* The next two requests go to the other lane. */
	for (uint32_t i = 0; i < 2; i++) {
		send.user = (void *)(uintptr_t)i;
		assert_int_equal(
			madring_send(fixture.agent, fixture_request(&fixture, 8, i), &send), 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		while (!fake_take(&other))
			assert_int_equal(madring_step(fixture.ring), 0);
		answer(&other, MADRING_MAD_BYTES);
	}
	wait_for_replies(&fixture, 2);
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	assert_int_equal(last_reply.count, 2);
	assert_int_equal(last_reply.length, MADRING_MAD_BYTES);
	madring_get_stats(fixture.ring, &stats);
	assert_true(stats.pool_message_exhausted < 10);
	madring_mad_free(fixture.ring, held);
	wait_for_replies(&fixture, 3);
	assert_int_equal(last_reply.status, 0);
	fixture_close(&fixture);
}

/* A foreign event loop learns that there is room. */
static void test_room_wakes_an_event_loop(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 1 << 20 };
	struct madring_mad *held;
	struct fake_umad umad;
	struct pollfd ready = { .events = POLLIN };
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	ready.fd = madring_fd(fixture.ring);
	held = madring_mad_alloc_message(fixture.agent, 600000);
	umad = ask(&fixture, 1);
	answer(&umad, 500000);
	for (unsigned int turn = 0; turn < 20; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	while (poll(&ready, 1, 20))
		assert_int_equal(madring_step(fixture.ring), 0);
	madring_mad_free(fixture.ring, held);
	assert_int_equal(poll(&ready, 1, 10000), 1);
	while (!last_reply.count)
		assert_true(madring_step(fixture.ring) >= 0);
	assert_int_equal(last_reply.status, 0);
	fixture_close(&fixture);
}

static void test_message_over_memory_ends_its_transaction(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	for (unsigned int i = 1; i <= 3; i++) {
		umad = ask(&fixture, i);
		answer(&umad, 100000 * i);
		wait_for_replies(&fixture, i);
		assert_int_equal(last_reply.status, -EMSGSIZE);
	}
	fixture_send(&fixture, 10, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.last_status, 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.too_long, 3);
	assert_int_equal(stats.replies, 10);
	assert_int_equal(stats.completed, 13);
	assert_int_equal(stats.send_failed, 0);
	fixture_close(&fixture);
}

/* A message may have as many bytes as the config of its ring allows, also more than 16 MiB. */
static void test_more_than_16_mib(void **state)
{
	const struct madring_config config = {
		.lanes = 1,
		.message_bytes = 64 << 20,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	static const size_t lengths[] = { (16 << 20) + 1, 40 << 20, 50 << 20, 64 << 20 };
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	for (uint32_t i = 0; i < 4; i++) {
		umad = ask(&fixture, i);
		answer(&umad, lengths[i]);
		wait_for_replies(&fixture, i + 1);
		assert_int_equal(last_reply.status, i < 3 ? 0 : -EMSGSIZE);
		assert_int_equal(last_reply.length, i < 3 ? lengths[i] : 0);
	}
	fixture_close(&fixture);
}

/* An agent without RMPP receives MADs of up to 2 KiB, in buffers of the larger slab. */
static void test_large_buffers_take_mads_of_2_kib(void **state)
{
	const struct madring_config config = { .lanes = 1, .large_buffers = 2 };
	struct madring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &fixture_patient);
	for (unsigned int i = 1; i <= 5; i++) {
		umad = ask(&fixture, i);
		umad.mad[0] = 0x80;
		answer(&umad, MADRING_LARGE_MAD_BYTES);
		wait_for_replies(&fixture, i);
		assert_int_equal(last_reply.status, 0);
		assert_int_equal(last_reply.length, MADRING_LARGE_MAD_BYTES);
	}
	/* No buffer is large enough for this MAD. */
	umad = ask(&fixture, 6);
	answer(&umad, MADRING_LARGE_MAD_BYTES + 1);
	wait_for_replies(&fixture, 6);
	assert_int_equal(last_reply.status, -EMSGSIZE);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_large_in_use, 0);
	assert_int_equal(stats.pool_message_capacity, 0);
	fixture_close(&fixture);
}

/* Sets whether this thread, if it is privileged, may lock more memory than the limit. */
static void exceed_memory_lock_limit(bool may)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (may)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

/* A ring of the default size leaves a part of a limit of 8 MiB, and messages get that part. */
static void test_memory_lock_limit(void **state)
{
	const struct madring_config config = { .transactions = 16384, .reads = 4096 };
	struct madring_stats stats;
	struct rlimit old, limit;
	struct fixture fixture;
	struct fake_umad umad;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
	limit = old;
	limit.rlim_cur = 8 << 20;
	if (limit.rlim_max < limit.rlim_cur)
		skip();
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	exceed_memory_lock_limit(false);
	messages_open(&fixture, &config, &by_kernel);
	madring_get_stats(fixture.ring, &stats);
	/* The limit does not count reserved huge pages. */
	if (!stats.pool_huge_bytes) {
		umad = ask(&fixture, 1);
		answer(&umad, 400000);
		wait_for_replies(&fixture, 1);
		assert_int_equal(last_reply.status, 0);
		errno = 0;
		assert_null(madring_mad_alloc_message(fixture.agent, 4 << 20));
		assert_int_equal(errno, ENOBUFS);
		assert_null(madring_mad_alloc_message(fixture.agent, 64 << 20));
		assert_int_equal(errno, ENOMEM);
		assert_null(madring_mad_alloc_message(fixture.agent, 23));
		assert_int_equal(errno, EINVAL);
		umad = ask(&fixture, 2);
		answer(&umad, 4 << 20);
		wait_for_replies(&fixture, 2);
		assert_int_equal(last_reply.status, -EMSGSIZE);
		assert_non_null(strstr(madring_error_text(last_reply.status), "ulimit -l"));
		umad = ask(&fixture, 3);
		answer(&umad, 400000);
		wait_for_replies(&fixture, 3);
		assert_int_equal(last_reply.status, 0);
	}
	fixture_close(&fixture);
	exceed_memory_lock_limit(true);
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &old), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_message_waits_for_room),
	cmocka_unit_test(test_room_wakes_an_event_loop),
	cmocka_unit_test(test_message_over_memory_ends_its_transaction),
	cmocka_unit_test(test_more_than_16_mib),
	cmocka_unit_test(test_large_buffers_take_mads_of_2_kib),
	cmocka_unit_test(test_memory_lock_limit),
};

TEST_MAIN(tests, NULL, NULL)
