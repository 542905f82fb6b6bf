/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits of Linux 6.17 and later on the MADs that an agent has on the wire, in a time that the
 * test makes pass. The tests have SA requests, and a receive queue so short that two of them are
 * the limit. The argument is a netlist.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rmpp_bench.h"

#define TIMEOUT_MS 100
#define LIMIT	   2

static struct kernel kernel_of(const char *name, uint32_t recv_queue_size)
{
	return (struct kernel){ .version = kernel_find(name), .recv_queue_size = recv_queue_size };
}

static int open_limited(void **state)
{
	bench_kernel = kernel_of("7.3", KERNEL_RECV_QUEUE_LEAST);
	return bench_open(state);
}

static int open_unlimited(void **state)
{
	bench_kernel = kernel_of("6.12", KERNEL_RECV_QUEUE_LEAST);
	return bench_open(state);
}

#define LIMITED_TEST(name)   cmocka_unit_test_setup_teardown(name, open_limited, bench_close)
#define UNLIMITED_TEST(name) cmocka_unit_test_setup_teardown(name, open_unlimited, bench_close)

static size_t make_request(const struct bench *bench, uint32_t agent, uint32_t tid,
			   uint32_t timeout_ms, uint32_t retries, uint8_t *message)
{
	struct ib_user_mad header = { .agent_id = agent,
				      .timeout_ms = timeout_ms,
				      .retries = retries };
	struct umad_hdr mad = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.method = UMAD_METHOD_GET,
		.tid = htobe64(tid),
	};

	header.addr.lid = htobe16(bench->peer_lid);
	header.addr.qpn = htobe32(1);
	memset(message, 0, MAD_UMAD_BYTES);
	memcpy(message, &header, sizeof(header));
	memcpy(message + MAD_UMAD_HEADER, &mad, sizeof(mad));
	return MAD_UMAD_BYTES;
}

static void write_by(struct bench *bench, uint32_t agent, uint32_t tid, uint32_t timeout_ms,
		     uint32_t retries)
{
	uint8_t message[MAD_UMAD_BYTES];
	size_t length = make_request(bench, agent, tid, timeout_ms, retries, message);

	umad_written(bench->server, bench->file, message, length);
	pass_time(bench, 0);
}

/* Writes requests with the TIDs from 1 to @count. */
static void write_requests(struct bench *bench, uint32_t count, uint32_t retries)
{
	for (uint32_t tid = 1; tid <= count; tid++)
		write_by(bench, 0, tid, TIMEOUT_MS, retries);
}

static void expect_on_wire(const struct bench *bench, size_t number, uint64_t ms, uint32_t tid)
{
	const struct arrival *arrival = &bench->arrival[number];

	assert_true(number < bench->arrived);
	assert_int_equal(arrival->ms, ms);
	assert_int_equal((uint32_t)be64toh(mad_tid(arrival->packet.mad)), tid);
}

/* Checks the status and the TID of what the program reads next. */
static void expect_read(const struct bench *bench, uint32_t status, uint32_t tid)
{
	uint8_t message[MAD_UMAD_BYTES];
	struct ib_user_mad header;

	assert_true(read(bench->program, message, sizeof(message)) > 0);
	memcpy(&header, message, sizeof(header));
	assert_int_equal(header.status, status);
	assert_int_equal((uint32_t)be64toh(mad_tid(message + MAD_UMAD_HEADER)), tid);
}

/* Answers the request that was the @number-th on the wire. */
static void answer(struct bench *bench, size_t number)
{
	struct fabric_packet packet = { .dlid = bench->lid, .sqp = 1, .dqp = 1 };

	memcpy(packet.mad, bench->arrival[number].packet.mad, MAD_BYTES);
	mad_set_method(packet.mad, UMAD_METHOD_GET_RESP);
	fabric_send(bench->fabric, bench->peer, &packet, bench->server->loop.now);
	pass_time(bench, 0);
}

static void test_limits_of_agents(void **state)
{
	const struct kernel usual = kernel_of("7.3", 512), large = kernel_of("7.3", 8192),
			    small = kernel_of("7.3", 64), old = kernel_of("6.12", 512),
			    oldest = kernel_of("6.1", 512);
	static const struct {
		uint8_t mgmt_class;
		uint32_t small, usual, large;
	} expected[] = {
		{ UMAD_CLASS_SUBN_LID_ROUTED, 16, 128, 128 },
		{ UMAD_CLASS_SUBN_DIRECTED_ROUTE, 16, 128, 128 },
		{ UMAD_CLASS_SUBN_ADM, 2, 16, 256 },
		{ UMAD_CLASS_CM, 16, 128, 2048 },
		{ 0, 16, 128, 2048 },
		{ UMAD_CLASS_PERF_MGMT, 0, 0, 0 },
		{ UMAD_CLASS_BM, 0, 0, 0 },
		{ UMAD_CLASS_VENDOR_RANGE2_START, 0, 0, 0 },
	};

	assert_null(kernel_find("6.13"));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint8_t mgmt_class = expected[i].mgmt_class;

		assert_int_equal(kernel_agent_limit(&small, mgmt_class), expected[i].small);
		assert_int_equal(kernel_agent_limit(&usual, mgmt_class), expected[i].usual);
		assert_int_equal(kernel_agent_limit(&large, mgmt_class), expected[i].large);
		assert_int_equal(kernel_agent_limit(&old, mgmt_class), 0);
		assert_int_equal(kernel_agent_limit(&oldest, mgmt_class), 0);
	}
}

static bool is_limited(uint8_t mgmt_class, uint32_t timeout_ms, uint8_t rmpp_version, uint8_t flags)
{
	uint8_t mad[MAD_BYTES] = { [offsetof(struct umad_hdr, mgmt_class)] = mgmt_class,
				   [offsetof(struct umad_smp, hop_cnt)] = 2,
				   [MAD_RMPP_FLAGS] = flags };

	return kernel_limits_mad(mad, timeout_ms, rmpp_version);
}

static void test_limited_mads(void **state)
{
	uint8_t own_port[MAD_BYTES] = { [offsetof(struct umad_hdr, mgmt_class)] =
						UMAD_CLASS_SUBN_DIRECTED_ROUTE };

	assert_true(is_limited(UMAD_CLASS_SUBN_LID_ROUTED, 1, 0, 0));
	assert_true(is_limited(UMAD_CLASS_SUBN_DIRECTED_ROUTE, 1, 0, 0));
	assert_true(is_limited(UMAD_CLASS_SUBN_ADM, 1, 0, 0));
	assert_true(is_limited(UMAD_CLASS_CM, 1, 0, 0));
	assert_false(is_limited(UMAD_CLASS_SUBN_ADM, 0, 0, 0));
	assert_false(is_limited(UMAD_CLASS_PERF_MGMT, 1, 0, 0));
	assert_false(is_limited(UMAD_CLASS_VENDOR_RANGE2_START, 1, 0, 0));
	assert_true(is_limited(UMAD_CLASS_SUBN_ADM, 1, 1, 0));
	assert_true(is_limited(UMAD_CLASS_SUBN_ADM, 1, 0, UMAD_RMPP_FLAG_ACTIVE));
	assert_false(is_limited(UMAD_CLASS_SUBN_ADM, 1, 1, UMAD_RMPP_FLAG_ACTIVE));
	assert_false(kernel_limits_mad(own_port, 1, 0));
}

/* The timeout of a request starts when it leaves the backlog. */
static void test_clock(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 3 * LIMIT, 0);
	assert_int_equal(bench->arrived, LIMIT);
	assert_int_equal(bench->server->counts.waiting, 2 * LIMIT);
	pass_time(bench, 3 * TIMEOUT_MS - 1);
	for (uint32_t i = 0; i < 3 * LIMIT; i++)
		expect_on_wire(bench, i, i / LIMIT * TIMEOUT_MS, i + 1);
	assert_int_equal(bench->server->counts.kind[0].timed_out, 2 * LIMIT);
	pass_time(bench, 1);
	for (uint32_t tid = 1; tid <= 3 * LIMIT; tid++)
		expect_read(bench, ETIMEDOUT, tid);
	expect_nothing(bench);
	pass_time(bench, 10 * TIMEOUT_MS);
	assert_int_equal(bench->arrived, 3 * LIMIT);
	assert_int_equal(bench->server->counts.held, 2 * LIMIT);
	assert_int_equal(bench->server->counts.waiting_peak, 2 * LIMIT);
	assert_int_equal(bench->server->counts.waiting, 0);
}

static void test_no_limit(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 10 * LIMIT, 0);
	assert_int_equal(bench->arrived, 10 * LIMIT);
	pass_time(bench, TIMEOUT_MS);
	for (uint32_t tid = 1; tid <= 10 * LIMIT; tid++)
		expect_read(bench, ETIMEDOUT, tid);
	assert_int_equal(bench->server->counts.held, 0);
}

/* A retry goes to the end of the backlog; with nothing in the backlog it is sent at once. */
static void test_retries(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 2 * LIMIT, 1);
	pass_time(bench, 4 * TIMEOUT_MS);
	for (uint32_t i = 0; i < 4 * LIMIT; i++)
		expect_on_wire(bench, i, i / LIMIT * TIMEOUT_MS, i % (2 * LIMIT) + 1);
	assert_int_equal(bench->arrived, 4 * LIMIT);
	for (uint32_t tid = 1; tid <= 2 * LIMIT; tid++)
		expect_read(bench, ETIMEDOUT, tid);
	assert_int_equal(bench->server->counts.kind[0].retried, 2 * LIMIT);
	assert_int_equal(bench->server->counts.held, 3 * LIMIT);

	bench->arrived = 0;
	write_requests(bench, LIMIT, 1);
	pass_time(bench, 2 * TIMEOUT_MS);
	for (uint32_t i = 0; i < 2 * LIMIT; i++)
		expect_on_wire(bench, i, (4 + i / LIMIT) * TIMEOUT_MS, i % LIMIT + 1);
	assert_int_equal(bench->server->counts.held, 3 * LIMIT);
}

/* A reply makes room at once. */
static void test_reply_makes_room(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 2 * LIMIT, 0);
	pass_time(bench, TIMEOUT_MS / 2);
	answer(bench, 1);
	expect_read(bench, 0, 2);
	assert_int_equal(bench->arrived, LIMIT + 1);
	expect_on_wire(bench, LIMIT, TIMEOUT_MS / 2, LIMIT + 1);
	pass_time(bench, TIMEOUT_MS / 2);
	expect_read(bench, ETIMEDOUT, 1);
	expect_on_wire(bench, LIMIT + 1, TIMEOUT_MS, LIMIT + 2);
	expect_nothing(bench);
}

/* A late reply finds its request in the backlog, and the retry is not sent. */
static void test_late_reply(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 2 * LIMIT, 1);
	pass_time(bench, TIMEOUT_MS + TIMEOUT_MS / 2);
	answer(bench, 0);
	expect_read(bench, 0, 1);
	pass_time(bench, TIMEOUT_MS / 2);
	assert_int_equal(bench->arrived, 3 * LIMIT);
	expect_on_wire(bench, 2 * LIMIT, 2 * TIMEOUT_MS, 2);
	expect_on_wire(bench, 2 * LIMIT + 1, 2 * TIMEOUT_MS, 3);
	pass_time(bench, 2 * TIMEOUT_MS);
	expect_read(bench, ETIMEDOUT, 2);
	expect_read(bench, ETIMEDOUT, 3);
	expect_read(bench, ETIMEDOUT, 4);
	expect_nothing(bench);
	assert_int_equal(bench->server->counts.kind[0].retried, 2 * LIMIT - 1);
}

static void register_second(struct bench *bench)
{
	const struct sim_request asked = { .qpn = 1,
					   .mgmt_class = UMAD_CLASS_SUBN_ADM,
					   .class_version = CLASS_VERSION };

	assert_int_equal(agent_register(&bench->port->agents, bench->file, 1, &asked,
					&bench->file->agent[1]),
			 0);
}

/* A TID is a duplicate on the wire and in the backlog. Each agent has its own TIDs and limit. */
static void test_duplicates(void **state)
{
	struct bench *bench = *state;
	const uint64_t *rejected = &bench->server->counts.rejected[REJECT_DUPLICATE];

	write_requests(bench, 2 * LIMIT, 0);
	write_by(bench, 0, 1, TIMEOUT_MS, 0);
	assert_int_equal(*rejected, 1);
	write_by(bench, 0, 2 * LIMIT, TIMEOUT_MS, 0);
	assert_int_equal(*rejected, 2);
	register_second(bench);
	write_by(bench, 1, 2 * LIMIT, TIMEOUT_MS, 0);
	assert_int_equal(*rejected, 2);
	assert_int_equal(bench->arrived, LIMIT + 1);
	expect_on_wire(bench, LIMIT, 0, 2 * LIMIT);
}

/* MADs that do not count pass those that wait. */
static void test_mads_without_timeout(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 2 * LIMIT, 0);
	write_by(bench, 0, 100, 0, 0);
	expect_on_wire(bench, LIMIT, 0, 100);
}

/* The agent's end drops its backlog without notices, and others keep theirs. */
static void test_unregistering(void **state)
{
	struct bench *bench = *state;

	register_second(bench);
	write_requests(bench, 2 * LIMIT, 3);
	for (uint32_t tid = 1; tid <= LIMIT + 1; tid++)
		write_by(bench, 1, tid, TIMEOUT_MS, 0);
	assert_int_equal(bench->arrived, 2 * LIMIT);
	umad_file_drop_agent(bench->server, bench->file, 0);
	assert_int_equal(bench->server->counts.waiting, 1);
	pass_time(bench, 10 * TIMEOUT_MS);
	assert_int_equal(bench->arrived, 2 * LIMIT + 1);
	expect_on_wire(bench, 2 * LIMIT, TIMEOUT_MS, LIMIT + 1);
	for (uint32_t tid = 1; tid <= LIMIT + 1; tid++)
		expect_read(bench, ETIMEDOUT, tid);
	expect_nothing(bench);
	assert_int_equal(bench->file->outstanding, 0);
}

static void test_closing(void **state)
{
	struct bench *bench = *state;

	write_requests(bench, 2 * LIMIT, 3);
	close(bench->program);
	umad_file_close(bench->server, bench->file);
	source_reap(&bench->server->loop);
	bench_open_file(bench);
	pass_time(bench, 10 * TIMEOUT_MS);
	assert_int_equal(bench->arrived, LIMIT);
	assert_int_equal(bench->server->counts.waiting, 0);
	expect_nothing(bench);
}

/* Writes two MADs without a reply and with one TID, which the server reads in one run. */
static void write_pair(struct bench *bench)
{
	uint8_t message[MAD_UMAD_BYTES];
	size_t length = make_request(bench, 0, TID, 0, 0, message);

	assert_int_equal(write(bench->program, message, length), length);
	assert_int_equal(write(bench->program, message, length), length);
	assert_int_equal(umad_file_read(bench->server, bench->file), READ_ALL);
	pass_time(bench, 0);
}

/* A MAD without a reply is outstanding until it is completed, which is after the run of writes. */
static void test_late_completion(void **state)
{
	struct bench *bench = *state;

	write_pair(bench);
	assert_int_equal(bench->arrived, 1);
	assert_int_equal(bench->server->counts.rejected[REJECT_DUPLICATE], 1);
	assert_int_equal(bench->file->outstanding, 0);
	write_pair(bench);
	assert_int_equal(bench->arrived, 2);
	assert_int_equal(bench->server->counts.rejected[REJECT_DUPLICATE], 2);
}

static void test_early_completion(void **state)
{
	struct bench *bench = *state;

	write_pair(bench);
	assert_int_equal(bench->arrived, 2);
	assert_int_equal(bench->server->counts.rejected[REJECT_DUPLICATE], 0);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits_of_agents),
		cmocka_unit_test(test_limited_mads),
		LIMITED_TEST(test_clock),
		UNLIMITED_TEST(test_no_limit),
		LIMITED_TEST(test_retries),
		LIMITED_TEST(test_reply_makes_room),
		LIMITED_TEST(test_late_reply),
		LIMITED_TEST(test_duplicates),
		LIMITED_TEST(test_mads_without_timeout),
		LIMITED_TEST(test_unregistering),
		LIMITED_TEST(test_closing),
		LIMITED_TEST(test_late_completion),
		UNLIMITED_TEST(test_early_completion),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	bench_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
