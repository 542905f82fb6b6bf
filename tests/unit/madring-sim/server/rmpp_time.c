/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP's waits, and the segments that it sends before them. The argument is a netlist. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "rmpp_bench.h"

/* Checks that each wait is the timeout, or 2 s if that is less. */
static void check_silence(struct bench *bench, uint8_t method, uint32_t timeout_ms, uint64_t wait)
{
	write_message(bench, method, 3, timeout_ms, 2);
	pass_time(bench, (unsigned int)(3 * wait - 1));
	assert_int_equal(bench->arrived, 3);
	expect(bench, 0, 0, RMPP_DATA, 1);
	expect(bench, 1, wait, RMPP_DATA, 1);
	expect(bench, 2, 2 * wait, RMPP_DATA, 1);
	expect_nothing(bench);
	pass_time(bench, 1);
	expect_notice(bench);
	pass_time(bench, 10000);
	assert_int_equal(bench->arrived, 3);
}

static void test_no_ack(void **state)
{
	check_silence(*state, GET_MULTI, 500, 500);
}

static void test_no_ack_of_a_patient_request(void **state)
{
	check_silence(*state, GET_MULTI, 60000, 2000);
}

static void test_no_ack_of_a_response(void **state)
{
	check_silence(*state, GET_MULTI | RESPONSE, 0, 2000);
}

/* An ACK of a new segment gives all the retries back; an acknowledged segment is not repeated. */
static void test_progress(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 5, 100, 1);
	send_ack(bench, &bench->arrival[0], 1, 3);
	expect(bench, 1, 0, RMPP_DATA, 2);
	expect(bench, 2, 0, RMPP_DATA, 3);
	pass_time(bench, 150);
	expect(bench, 3, 100, RMPP_DATA, 2);
	expect(bench, 4, 100, RMPP_DATA, 3);
	send_ack(bench, &bench->arrival[0], 2, 3); /* nothing more to send: the time runs on */
	pass_time(bench, 50);
	expect(bench, 5, 200, RMPP_DATA, 3);
	send_ack(bench, &bench->arrival[0], 1, 100); /* an old one */
	pass_time(bench, 50);
	assert_int_equal(bench->arrived, 6);
	send_ack(bench, &bench->arrival[0], 3, 6);
	expect(bench, 6, 250, RMPP_DATA, 4);
	expect(bench, 7, 250, RMPP_DATA, 5);
	assert_int_equal(bench->arrival[7].header.flags, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_LAST);
	pass_time(bench, 200);
	expect(bench, 9, 350, RMPP_DATA, 5);
	assert_int_equal(bench->arrived, 10);
	expect_notice(bench);
}

/* The response's timeout starts once, when the whole request and its ACK are acknowledged. */
static void test_no_response(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 1, 300, 5);
	pass_time(bench, 200);
	send_ack(bench, &bench->arrival[0], 1, 1);
	expect(bench, 1, 200, RMPP_ACK, 0);
	assert_int_equal(bench->arrival[1].header.length, 1);
	send_ack(bench, &bench->arrival[0], 1, 1);
	expect(bench, 2, 200, RMPP_ACK, 0);
	pass_time(bench, 299);
	expect_nothing(bench);
	pass_time(bench, 1);
	expect_notice(bench);
	assert_int_equal(bench->arrived, 3);
}

static void test_response_in_segments(void **state)
{
	struct bench *bench = *state;
	uint64_t tid;

	write_message(bench, GET_MULTI, 1, 300, 0);
	send_ack(bench, &bench->arrival[0], 1, 1);
	tid = mad_tid(bench->arrival[0].packet.mad);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST, 0,
					   1, 2 * MAD_RMPP_DATA });
	expect(bench, 2, 0, RMPP_ACK, 1);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_LAST, 0,
					   2, MAD_RMPP_DATA });
	expect(bench, 3, 0, RMPP_ACK, 2);
	expect_message(bench, 2);
	pass_time(bench, 1000);
	expect_nothing(bench);
}

/* The response is acknowledged, but its last segment comes when nobody waits for it any more. */
static void test_late_response(void **state)
{
	struct bench *bench = *state;
	uint64_t tid;

	write_message(bench, GET_MULTI, 1, 300, 0);
	send_ack(bench, &bench->arrival[0], 1, 1);
	tid = mad_tid(bench->arrival[0].packet.mad);
	pass_time(bench, 300);
	expect_notice(bench);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA,
					   UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST | RMPP_FLAG_LAST,
					   0, 1, MAD_RMPP_DATA });
	expect(bench, 2, 300, RMPP_ACK, 1);
	expect_nothing(bench);
	assert_int_equal(bench->server->counts.unmatched, 1);
}

static void test_first_windows(void **state)
{
	struct bench *bench = *state;

	/* The request, the ACK of its ACK with a window, and the response in that window. */
	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST | RMPP_FLAG_LAST);
	expect(bench, 0, 0, RMPP_ACK, 1);
	expect_message(bench, 1);
	send_header(bench, GET_MULTI, htobe64(TID),
		    &(struct rmpp_header){ 1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, 0, 4 });
	send_header(bench, GET_MULTI, htobe64(TID), /* no window at all is none */
		    &(struct rmpp_header){ 1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, 0, 0 });
	write_message(bench, GET_MULTI | RESPONSE, 9, 0, 0);
	assert_int_equal(bench->arrived, 5);
	expect(bench, 4, 0, RMPP_DATA, 4);
	send_ack(bench, &bench->arrival[1], 4, 100);
	assert_int_equal(bench->arrived, 10);
	send_ack(bench, &bench->arrival[1], 9, 100);
	pass_time(bench, 10000);
	assert_int_equal(bench->arrived, 10);
	expect_nothing(bench);
}

/* A message that is not complete after 40 s is given up. */
static void test_unfinished(void **state)
{
	struct bench *bench = *state;

	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	expect(bench, 0, 0, RMPP_ACK, 1);
	assert_int_equal(bench->arrival[0].header.length, 65);
	pass_time(bench, 39000);
	send_segment(bench, GET_MULTI, 2, 0);
	assert_int_equal(bench->arrived, 1);
	pass_time(bench, 2000);
	assert_int_equal(bench->arrived, 2);
	expect(bench, 1, 40000, RMPP_ABORT, 0);
	assert_int_equal(bench->arrival[1].header.status, RMPP_TOO_LATE);
	send_segment(bench, GET_MULTI, 3, RMPP_FLAG_LAST);
	assert_int_equal(bench->arrived, 2);
	expect_nothing(bench);
	assert_int_equal(bench->port->receives.unfinished_count, 0);
	assert_int_equal(bench->port->receives.bytes, 0);
}

/* A repeated segment still gets its ACK for 10 s, and is no new message. */
static void test_repeated_last_segment(void **state)
{
	struct bench *bench = *state;

	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	expect(bench, 1, 0, RMPP_ACK, 2);
	expect_message(bench, 2);
	pass_time(bench, 9999);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	expect(bench, 2, 9999, RMPP_ACK, 2);
	pass_time(bench, 10);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	assert_int_equal(bench->arrived, 3);
	expect_nothing(bench);
	assert_int_equal(bench->port->receives.finished_count, 0);
}

/* A message is refused if it exceeds the memory for sending. */
static void test_message_over_send_memory_is_refused(void **state)
{
	struct bench *bench = *state;
	const size_t others = FILE_SENDING - HEADER_BYTES - 2 * SEGMENT_BYTES;

	bench->file->sending = others;
	write_message(bench, GET_MULTI, 3, 100, 0);
	assert_int_equal(bench->server->counts.rejected[REJECT_LIMIT], 1);
	write_message(bench, GET_MULTI, 2, 100, 0);
	assert_int_equal(bench->arrived, 1);
	pass_time(bench, 100);
	expect_notice(bench);
	assert_int_equal(bench->file->sending, others);
}

/* Transfers under way end with their agent. */
static void test_agent_goes(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 3, 100, 3);
	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	umad_file_drop_agent(bench->server, bench->file, 0);
	pass_time(bench, 60000);
	assert_int_equal(bench->arrived, 2);
	assert_int_equal(bench->port->receives.unfinished_count, 0);
	assert_int_equal(bench->port->outstanding.count, 0);
	expect_nothing(bench);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_no_ack),
		BENCH_TEST(test_no_ack_of_a_patient_request),
		BENCH_TEST(test_no_ack_of_a_response),
		BENCH_TEST(test_progress),
		BENCH_TEST(test_no_response),
		BENCH_TEST(test_response_in_segments),
		BENCH_TEST(test_late_response),
		BENCH_TEST(test_first_windows),
		BENCH_TEST(test_unfinished),
		BENCH_TEST(test_repeated_last_segment),
		BENCH_TEST(test_message_over_send_memory_is_refused),
		BENCH_TEST(test_agent_goes),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	bench_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
