/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server's memory, counted in allocations that are not freed. All memory of traffic and files
 * is freed after them, even after more traffic than usual. The argument is a netlist.
 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/failing.h"
#include "rmpp_bench.h"

#define ROUNDS	   5
#define USUAL	   100
#define PEAK	   20000
#define NOWHERE	   0x4000 /* a LID that no port has */
#define TIMEOUT_MS 100
#define HOP_NS	   (10 * (uint64_t)NS_PER_MS)
#define LINGER_MS  10000 /* how long a message that was received is remembered */

/* Closes the program's file, and opens another. */
static void open_again(struct bench *bench)
{
	close(bench->program);
	umad_file_close(bench->server, bench->file);
	source_reap(&bench->server->loop);
	bench_open_file(bench);
}

static void write_request(struct bench *bench, uint32_t tid)
{
	uint8_t message[MAD_UMAD_BYTES] = { 0 };
	struct ib_user_mad header = { .timeout_ms = TIMEOUT_MS, .retries = 1 };
	struct umad_hdr mad = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.method = UMAD_METHOD_GET,
		.tid = htobe64(tid),
	};

	header.addr.lid = htobe16(NOWHERE);
	header.addr.qpn = htobe32(1);
	memcpy(message, &header, sizeof(header));
	memcpy(message + MAD_UMAD_HEADER, &mad, sizeof(mad));
	umad_written(bench->server, bench->file, message, sizeof(message));
}

/* Sends messages in segments, both ways. Some of them are finished, and the others never are. */
static void send_messages(struct bench *bench, uint32_t count)
{
	const struct rmpp_header first = { 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST,
					   0, 1,	 3 * MAD_RMPP_DATA };
	struct rmpp_header only = first;

	only.flags |= RMPP_FLAG_LAST;
	only.length = MAD_RMPP_DATA;
	for (uint32_t tid = 1; tid <= count; tid++) {
		send_header(bench, GET_MULTI, htobe64(tid), &first);
		send_header(bench, GET_MULTI, htobe64(count + tid), &only);
		bench->arrived = 0;
	}
	write_message(bench, GET_MULTI, 5, TIMEOUT_MS, 1);
}

/* Sends requests that nobody answers, all at once, and then messages. The program reads nothing. */
static void use_once(struct bench *bench, uint32_t count)
{
	for (uint32_t tid = 1; tid <= count; tid++)
		write_request(bench, tid);
	assert_int_equal(bench->port->outstanding.count, count);
	pass_time(bench, 2 * TIMEOUT_MS + 1);
	assert_int_equal(bench->port->outstanding.count, 0);
	assert_int_equal(bench->server->counts.overflowed, 0);
	send_messages(bench, count);
	pass_time(bench, 3 * TIMEOUT_MS);
}

static void use(struct bench *bench, unsigned int rounds)
{
	while (rounds--) {
		use_once(bench, USUAL);
		open_again(bench);
	}
}

static void test_rounds(void **state)
{
	struct bench *bench = *state;
	long after;

	use(bench, ROUNDS);
	after = living_allocations;
	use(bench, ROUNDS);
	assert_int_equal(living_allocations, after);
}

/* The program never closes its file, like a collector that runs for months. */
static void test_rounds_of_one_file(void **state)
{
	struct bench *bench = *state;
	uint8_t message[MESSAGE_MAX];
	long after = 0;

	for (int round = 1; round <= 2 * ROUNDS; round++) {
		use_once(bench, USUAL);
		pass_time(bench, 5 * LINGER_MS);
		while (read(bench->program, message, sizeof(message)) > 0)
			umad_file_flush(bench->server, bench->file);
		if (round == ROUNDS)
			after = living_allocations;
	}
	assert_int_equal(living_allocations, after);
}

/* The packets and requests under way need more slabs than usual. */
static void test_peak(void **state)
{
	const struct fabric_model slow = { .hop = HOP_NS };
	struct bench *bench = *state;
	long before;

	use(bench, ROUNDS);
	before = living_allocations;
	assert_int_equal(fabric_set_model(bench->fabric, &slow), 0);
	for (uint32_t tid = 1; tid <= PEAK; tid++)
		write_request(bench, tid);
	assert_true(living_allocations > before + 2 * ROUNDS);
	pass_time(bench, 3 * TIMEOUT_MS);
	assert_int_equal(fabric_set_model(bench->fabric, &fabric_ideal), 0);
	open_again(bench);
	use(bench, ROUNDS);
	assert_int_equal(living_allocations, before);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_rounds),
		BENCH_TEST(test_rounds_of_one_file),
		BENCH_TEST(test_peak),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	bench_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
