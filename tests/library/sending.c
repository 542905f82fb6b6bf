/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and their completions: each exactly one, with its own reply. */
#include "library_fixture.h"

#include <errno.h>
#include <string.h>

static struct {
	struct fixture *fixture;
	unsigned char seen[4096];
	unsigned int count;
	unsigned int more; /* to be sent from the callback */
	struct madring_mad *kept[2 * 64];
	uint32_t kept_mark[2 * 64];
	unsigned int kept_count;
	int close_status;
} now;

static void begin(struct fixture *fixture, const struct madring_config *config,
		  const struct madring_agent_config *agent_config)
{
	memset(&now, 0, sizeof(now));
	now.fixture = fixture;
	fixture_open(fixture, config, agent_config);
}

static void on_marked(const struct madring_completion *completion)
{
	uint32_t mark = (uint32_t)(uintptr_t)completion->user;

	assert_int_equal(completion->status, 0);
	assert_int_equal(completion->length, MADRING_MAD_BYTES);
	assert_int_equal(completion->attempts, 1);
	assert_int_equal(fixture_mark(madring_mad_data(completion->mad)), mark);
	assert_int_equal(fixture_mark(madring_mad_data(completion->request)), mark);
	assert_ptr_equal(completion->agent, now.fixture->agent);
	assert_true(completion->rtt_ns > 0);
	now.seen[mark]++;
	now.count++;
}

static void test_request_completes_once_with_its_own_reply(void **state)
{
	struct fixture fixture;
	struct madring_stats stats;

	begin(&fixture, NULL, &fixture_patient);
	for (uint32_t i = 0; i < 1000; i++) {
		struct madring_send_options send = { .callback = on_marked,
						     .user = (void *)(uintptr_t)i };

		assert_int_equal(madring_send(fixture.agent,
					      fixture_request(&fixture, (uint16_t)(i + 1), i),
					      &send),
				 0);
	}
	assert_int_equal(madring_outstanding(fixture.ring), 1000);
	fixture_finish(&fixture);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(now.seen[i], 1);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.accepted, 1000);
	assert_int_equal(stats.completed, 1000);
	assert_int_equal(stats.sent, 1000);
	assert_int_equal(stats.replies, 1000);
	assert_int_equal(stats.rtt_count, 1000);
	assert_int_equal(stats.pool_plain_in_use, 256);
	assert_true(stats.rtt_min_ns <= stats.rtt_p50_ns && stats.rtt_p50_ns <= stats.rtt_p99_ns &&
		    stats.rtt_p99_ns <= stats.rtt_max_ns);
	fixture_close(&fixture);
}

static void on_chained(const struct madring_completion *completion)
{
	struct madring_send_options send = { .callback = on_chained };

	assert_int_equal(completion->status, 0);
	now.count++;
	if (!now.more)
		return;
	now.more--;
	assert_int_equal(
		madring_send(now.fixture->agent, fixture_request(now.fixture, 7, 0), &send), 0);
}

static void test_a_callback_may_send(void **state)
{
	struct madring_send_options send = { .callback = on_chained };
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	now.more = 500;
	assert_int_equal(madring_send(fixture.agent, fixture_request(&fixture, 7, 0), &send), 0);
	fixture_finish(&fixture);
	assert_int_equal(now.count, 501);
	fixture_close(&fixture);
}

static void keep(struct madring_mad *mad)
{
	now.kept_mark[now.kept_count] = fixture_mark(madring_mad_data(mad));
	now.kept[now.kept_count++] = mad;
}

static void on_kept(const struct madring_completion *completion)
{
	assert_int_equal(madring_mad_keep(now.fixture->ring, completion->mad), 0);
	assert_int_equal(madring_mad_keep(now.fixture->ring, completion->request), 0);
	assert_int_equal(madring_mad_keep(now.fixture->ring, now.kept[0] ? now.kept[0] : NULL),
			 -EINVAL);
	keep(completion->mad);
	keep(completion->request);
}

static void test_a_callback_may_keep_its_buffers(void **state)
{
	struct madring_send_options send = { .callback = on_kept };
	struct madring_stats stats;
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(
			madring_send(fixture.agent, fixture_request(&fixture, 7, i), &send), 0);
	fixture_finish(&fixture);
	assert_int_equal(now.kept_count, 8);
	/* The kept MADs stay as they were while others come and go. */
	fixture_send(&fixture, 1000, &(struct outcomes){ 0 });
	fixture_finish(&fixture);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(fixture_mark(madring_mad_data(now.kept[i])), now.kept_mark[i]);
	for (unsigned int i = 0; i < 8; i++)
		madring_mad_free(fixture.ring, now.kept[i]);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_plain_in_use, 256);
	assert_int_equal(madring_mad_keep(fixture.ring, now.kept[0]), -EINVAL);
	fixture_close(&fixture);
}

/*
 * Every receive buffer is kept, and no other takes their place. There is one lane, because reads
 * that are posted on another would hold some.
 */
static void test_keeping_all_buffers_starves_nothing_for_ever(void **state)
{
	const struct madring_config config = {
		.transactions = 64,
		.lanes = 1,
		.buffers = 72,
		.reads = 64,
	};
	struct madring_send_options send = { .callback = on_kept };
	struct madring_mad *held[8];
	struct fixture fixture;

	begin(&fixture, &config, NULL);
	for (uint32_t i = 0; i < 64; i++)
		madring_send(fixture.agent, fixture_request(&fixture, (uint16_t)(i + 1), i), &send);
	for (unsigned int i = 0; i < 8; i++)
		held[i] = madring_mad_alloc(fixture.agent);
	assert_null(madring_mad_alloc(fixture.agent));
	fixture_finish(&fixture);
	assert_int_equal(now.kept_count, 128);
	for (unsigned int i = 0; i < 128; i++)
		madring_mad_free(fixture.ring, now.kept[i]);
	for (unsigned int i = 0; i < 8; i++)
		madring_mad_free(fixture.ring, held[i]);
	fixture_send(&fixture, 64, &(struct outcomes){ 0 });
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static uint64_t cancel_ids[3];

static void on_canceling(const struct madring_completion *completion)
{
	now.count++;
	assert_int_equal(madring_cancel(now.fixture->ring, cancel_ids[1]), 0);
	assert_int_equal(madring_cancel(now.fixture->ring, cancel_ids[1]), -ENOENT);
	assert_int_equal(madring_cancel(now.fixture->ring, completion->id), -ENOENT);
}

static void test_a_callback_may_cancel(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_send_options first = { .callback = on_canceling, .id = &cancel_ids[0] };
	struct madring_send_options second = {
		.callback = count_outcome,
		.user = &outcomes,
		.id = &cancel_ids[1],
	};
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	madring_send(fixture.agent, fixture_request(&fixture, 7, 0), &first);
	madring_send(fixture.agent, fixture_request(&fixture, 8, 1), &second);
	assert_int_equal(madring_submit(fixture.ring), 2);
	while (!fake_take(&umad) || fixture_mark(umad.mad) != 0)
		;
	fake_answer(&umad);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(now.count, 1);
	assert_int_equal(outcomes.last_status, -ECANCELED);
	/* The answer comes all the same, and is unmatched. */
	fixture_close(&fixture);
}

static void test_agent_cancel_ends_its_requests(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	begin(&fixture, NULL, &(struct madring_agent_config){ .window = 16, .pin_window = true });
	fixture_send(&fixture, 100, &outcomes);
	assert_int_equal(madring_submit(fixture.ring), 16);
	assert_int_equal(madring_agent_cancel(fixture.agent), 100);
	assert_int_equal(madring_agent_cancel(fixture.agent), 0);
	fixture_wait(&fixture, &outcomes, 100);
	assert_int_equal(outcomes.last_status, -ECANCELED);
	assert_int_equal(madring_outstanding(fixture.ring), 0);
	fixture_close(&fixture);
}

static void on_closing(const struct madring_completion *completion)
{
	now.count++;
	assert_int_equal(madring_close(now.fixture->ring), -EBUSY);
	assert_int_equal(madring_run(now.fixture->ring, 0), -EBUSY);
	assert_int_equal(madring_step(now.fixture->ring), -EBUSY);
	assert_int_equal(madring_dispatch(now.fixture->ring, 0), -EBUSY);
	assert_int_equal(
		madring_call(now.fixture->agent, NULL, NULL, &(struct madring_completion){ 0 }),
		-EBUSY);
}

static void test_a_callback_may_not_close_or_run(void **state)
{
	struct madring_send_options send = { .callback = on_closing };
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	madring_send(fixture.agent, fixture_request(&fixture, 7, 0), &send);
	fixture_finish(&fixture);
	assert_int_equal(now.count, 1);
	fixture_close(&fixture);
}

static void on_agent_closing(const struct madring_completion *completion)
{
	now.count++;
	if (completion->status) {
		assert_null(completion->agent);
		return;
	}
	assert_int_equal(madring_agent_close(now.fixture->agent), 0);
}

static void test_a_callback_may_close_its_agent(void **state)
{
	struct madring_send_options send = { .callback = on_agent_closing };
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	for (uint32_t i = 0; i < 3; i++)
		madring_send(fixture.agent, fixture_request(&fixture, 7, i), &send);
	madring_submit(fixture.ring);
	while (!fake_take(&umad))
		;
	fake_answer(&umad);
	fixture_drain(&fixture);
	assert_int_equal(now.count, 3);
	fixture_close(&fixture);
}

static void test_no_more_than_the_transactions_are_taken(void **state)
{
	const struct madring_config config = { .transactions = 5, .buffers = 6, .reads = 64 };
	struct outcomes outcomes = { 0 };
	struct madring_mad *mad;
	struct fixture fixture;

	begin(&fixture, &config, NULL);
	fixture_send(&fixture, 5, &outcomes);
	mad = fixture_request(&fixture, 1, 0);
	assert_int_equal(madring_send(fixture.agent, mad, NULL), -EAGAIN);
	assert_null(madring_mad_alloc(fixture.agent));
	fixture_finish(&fixture);
	assert_int_equal(madring_send(fixture.agent, mad, NULL), 0);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static void test_bad_arguments_are_refused(void **state)
{
	const struct madring_send_options bad[] = {
		{ .length = 257 }, { .length = 23 },   { .timeout_ms = -2 },
		{ .retries = -2 }, { .retries = 255 },
	};
	struct madring_mad *mad;
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	mad = fixture_request(&fixture, 1, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(madring_send(fixture.agent, mad, &bad[i]), -EINVAL);
	assert_int_equal(madring_smp_dr_prepare(mad, NULL, 64, MADRING_GET, 0x11, 0), -EINVAL);
	assert_int_equal(madring_cancel(fixture.ring, 12345), -ENOENT);
	madring_mad_free(fixture.ring, mad);
	madring_mad_free(fixture.ring, NULL);
	fixture_close(&fixture);
}

/* A single segment of a table is not the whole table. */
static void test_a_table_needs_rmpp(void **state)
{
	static const uint8_t methods[] = { MADRING_GET_TABLE, MADRING_GET_TRACE_TABLE,
					   MADRING_GET_MULTI };
	const struct madring_agent_config kernel = { .rmpp = MADRING_RMPP_KERNEL };
	const struct madring_send_options no_reply = { .no_reply = true };
	struct fixture fixture;

	for (size_t i = 0; i < sizeof(methods); i++) {
		struct madring_mad *mad;

		begin(&fixture, NULL, NULL);
		mad = fixture_request(&fixture, 1, 0);
		madring_sa_prepare(mad, 1, 0, methods[i], 0x35, 0, 0);
		assert_int_equal(madring_send(fixture.agent, mad, NULL), -EPROTOTYPE);
		assert_int_equal(madring_send(fixture.agent, mad, &no_reply), 0);
		fixture_drain(&fixture);
		fixture_close(&fixture);
		begin(&fixture, NULL, &kernel);
		mad = fixture_request(&fixture, 1, 0);
		madring_sa_prepare(mad, 1, 0, methods[i], 0x35, 0, 0);
		assert_int_equal(madring_send(fixture.agent, mad, NULL), 0);
		fixture_close(&fixture);
	}
}

static void test_a_segment_is_no_reply_without_rmpp(void **state)
{
	struct outcomes outcomes = { .last_status = 1 };
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, &fixture_patient);
	fixture_send(&fixture, 1, &outcomes);
	madring_step(fixture.ring);
	assert_true(fake_take(&umad));
	fake_make_reply(&umad);
	fixture_set_rmpp(umad.mad, MADRING_RMPP_FIRST, 1, 0);
	fake_send(&umad);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, -EPROTOTYPE);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.too_long, 1);
	fixture_close(&fixture);
}

/* Sends a MAD of a method without a reply, and takes what is written. */
static void send_without_reply(struct fixture *fixture, uint8_t method, uint64_t tid,
			       struct fake_umad *umad)
{
	struct outcomes outcomes = { .last_status = 1 };
	struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.no_reply = true,
	};
	struct madring_mad *mad = fixture_request(fixture, 1, 0);

	madring_mad_header(mad)->method = method;
	madring_mad_header(mad)->tid = htobe64(tid);
	madring_send(fixture->agent, mad, &send);
	fixture_wait(fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, 0);
	assert_true(fake_take(umad));
	assert_int_equal(umad->umad.timeout_ms, 0);
}

static void test_send_without_reply_completes_when_written(void **state)
{
	const uint64_t tid = 0x1122334455667788;
	struct madring_mad_hdr header;
	struct fake_umad umad;
	struct fixture fixture;

	begin(&fixture, NULL, NULL);
	/* The kernel's driver writes the high half of a request's TID itself. */
	send_without_reply(&fixture, MADRING_SEND, tid, &umad);
	memcpy(&header, umad.mad, sizeof(header));
	assert_int_equal(be64toh(header.tid) & UINT32_MAX, tid & UINT32_MAX);
	send_without_reply(&fixture, MADRING_GET_RESP, tid, &umad);
	memcpy(&header, umad.mad, sizeof(header));
	assert_int_equal(be64toh(header.tid), tid);
	fixture_close(&fixture);
}

/* The run wakes by nothing but the writes, which exceed a window. */
static void test_run_waits_for_no_more_than_the_writes(void **state)
{
	enum { COUNT = 500 };
	struct outcomes outcomes = { .last_status = 1 };
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.no_reply = true,
	};
	struct fixture fixture;
	struct fake_umad umad;

	begin(&fixture, NULL, NULL);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(
			madring_send(fixture.agent, fixture_request(&fixture, 1, i), &send), 0);
	while (madring_outstanding(fixture.ring))
		assert_true(madring_run(fixture.ring, -1) > 0);
	assert_int_equal(outcomes.count, COUNT);
	assert_int_equal(outcomes.last_status, 0);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_true(fake_take(&umad));
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_request_completes_once_with_its_own_reply),
	cmocka_unit_test(test_a_callback_may_send),
	cmocka_unit_test(test_a_callback_may_keep_its_buffers),
	cmocka_unit_test(test_keeping_all_buffers_starves_nothing_for_ever),
	cmocka_unit_test(test_a_callback_may_cancel),
	cmocka_unit_test(test_agent_cancel_ends_its_requests),
	cmocka_unit_test(test_a_callback_may_not_close_or_run),
	cmocka_unit_test(test_a_callback_may_close_its_agent),
	cmocka_unit_test(test_no_more_than_the_transactions_are_taken),
	cmocka_unit_test(test_bad_arguments_are_refused),
	cmocka_unit_test(test_a_table_needs_rmpp),
	cmocka_unit_test(test_a_segment_is_no_reply_without_rmpp),
	cmocka_unit_test(test_send_without_reply_completes_when_written),
	cmocka_unit_test(test_run_waits_for_no_more_than_the_writes),
};

TEST_MAIN(tests, NULL, NULL)
