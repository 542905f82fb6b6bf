/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BUSY and redirects by hand: the requests that follow, their addresses, and the replies that the
 * caller gets after all.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "engine_fixture.h"

#define BUSY	 0x0001
#define REDIRECT 0x0002

#define CLASS_SA     0x03
#define CLASS_PERF   0x04
#define CLASS_VENDOR 0x32
#define QKEY	     0x80010000

static const uint16_t pkeys[] = { 0x7fff, 0xffff, 0x8001, 0x0002 };

struct bench {
	struct buffer request __attribute__((aligned(64)));
	struct buffer reply __attribute__((aligned(64)));
	struct engine *engine;
	uint64_t now;
	unsigned int agent;
};

static void bench_open(struct bench *bench, const struct engine_agent_config *config)
{
	struct engine_agent_config own = fixture_agent();

	*bench = (struct bench){ .engine = fixture_open(4, MS, MS), .now = MS };
	own.pkeys = pkeys;
	own.pkey_count = sizeof(pkeys) / sizeof(pkeys[0]);
	bench->agent = (unsigned int)engine_agent_open(bench->engine, config ? config : &own);
	fixture_request(&bench->request, 7, 0x12);
	bench->request.umad.addr.qkey = htobe32(QKEY);
}

static struct madring_mad_hdr *header_of(struct buffer *buffer)
{
	return (struct madring_mad_hdr *)buffer->mad;
}

/* Takes the next write, and makes a reply to it with this status. Returns the write. */
static struct engine_write answered_with(struct bench *bench, uint16_t status)
{
	struct engine_write write = fixture_write(bench->engine, bench->now);

	fixture_reply(&bench->reply, write.umad);
	header_of(&bench->reply)->status = htobe16(status);
	return write;
}

static enum engine_receive receive(struct bench *bench)
{
	return fixture_receive(bench->engine, &bench->reply, bench->now);
}

static bool nothing_to_write(struct bench *bench)
{
	struct engine_write write;

	return !engine_next_write(bench->engine, bench->now, &write);
}

/* Lets the time come at which the next write is made. */
static void wait_for_retry(struct bench *bench)
{
	while (!engine_wants_write(bench->engine)) {
		bench->now += MS;
		engine_advance(bench->engine, bench->now);
		assert_true(bench->now < 100000 * MS);
	}
}

static void expect_outcome(struct bench *bench, unsigned int attempts, uint16_t status)
{
	struct engine_completion completion;

	assert_true(engine_next_completion(bench->engine, &completion));
	assert_int_equal(completion.status, 0);
	assert_int_equal(completion.attempts, attempts);
	assert_ptr_equal(completion.reply, &bench->reply.umad);
	assert_int_equal(be16toh(header_of(&bench->reply)->status), status);
	assert_int_equal(engine_outstanding(bench->engine), 0);
}

static void test_busy_is_retried(void **state)
{
	struct bench bench;
	struct engine_write write;
	uint32_t tid;
	uint64_t sent;

	bench_open(&bench, NULL);
	fixture_send(bench.engine, bench.agent, &bench.request);
	for (unsigned int attempt = 1; attempt <= 3; attempt++) {
		sent = bench.now;
		write = answered_with(&bench, BUSY);
		tid = fixture_tid(write.umad);
		assert_int_equal(receive(&bench), ENGINE_DEFERRED);
		/* The engine waits, because the node is busy. */
		assert_true(nothing_to_write(&bench));
		wait_for_retry(&bench);
		assert_true(bench.now - sent >= 20 * MS);
	}
	write = answered_with(&bench, 0);
	assert_int_not_equal(fixture_tid(write.umad), tid);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 4, 0);
	assert_int_equal(engine_stats(bench.engine)->busy, 3);
	assert_int_equal(engine_stats(bench.engine)->retried, 3);
	assert_int_equal(engine_stats(bench.engine)->replies, 1);
	engine_close(bench.engine);
}

static void test_busy_at_last_is_the_answer(void **state)
{
	struct bench bench;

	bench_open(&bench, NULL);
	fixture_send(bench.engine, bench.agent, &bench.request);
	for (unsigned int attempt = 1; attempt < 8; attempt++) {
		answered_with(&bench, BUSY);
		assert_int_equal(receive(&bench), ENGINE_DEFERRED);
		wait_for_retry(&bench);
	}
	answered_with(&bench, BUSY);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 8, BUSY);
	engine_close(bench.engine);
}

/*
 * BUSY as the reply to an earlier attempt is not the result: the last attempt may get a better
 * reply.
 */
static void test_busy_of_an_earlier_attempt_is_not(void **state)
{
	struct engine_agent_config config = fixture_agent();
	struct bench bench;
	struct buffer first __attribute__((aligned(64)));

	config.attempts = 2;
	bench_open(&bench, &config);
	fixture_send(bench.engine, bench.agent, &bench.request);
	answered_with(&bench, BUSY);
	first = bench.reply;
	wait_for_retry(&bench);
	answered_with(&bench, 0);
	assert_int_equal(fixture_receive(bench.engine, &first, bench.now), ENGINE_DEFERRED);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 2, 0);
	engine_close(bench.engine);
}

static void test_busy_without_another_attempt(void **state)
{
	struct engine_agent_config config = fixture_agent();
	struct bench bench;

	config.pin_timeout = true;
	config.first_timeout_ns = ENGINE_NEVER;
	for (config.attempts = 1; config.attempts <= 2; config.attempts++) {
		bench_open(&bench, &config);
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, BUSY);
		assert_int_equal(receive(&bench), ENGINE_REPLY);
		expect_outcome(&bench, 1, BUSY);
		engine_close(bench.engine);
	}
}

static void test_reported_busy_and_redirects_are_handed_over(void **state)
{
	static const uint16_t statuses[] = {
		BUSY,
		REDIRECT,
		/* The others are neither BUSY nor a redirect, though some of the bits are set. */
		0x0003,
		0x0005,
		0x0006,
		0x0101,
		0x0302,
		0x001c,
		0x0004,
	};
	struct engine_agent_config config = fixture_agent();
	struct bench bench;

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		config.report_busy = statuses[i] == BUSY;
		config.report_redirects = statuses[i] == REDIRECT;
		bench_open(&bench, &config);
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, statuses[i]);
		/* A redirect that could be followed. */
		bench.reply.mad[64 + 29] = 9;
		bench.reply.mad[64 + 35] = 1;
		assert_int_equal(receive(&bench), ENGINE_REPLY);
		expect_outcome(&bench, 1, statuses[i]);
		engine_close(bench.engine);
	}
}

/* The fields of a ClassPortInfo that a redirect uses. */
struct info {
	uint8_t gid[16];
	uint8_t tc, sl;
	uint32_t flow_label;
	uint16_t lid, pkey;
	uint32_t qpn, qkey;
};

static void put(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static void write_info(uint8_t *at, const struct info *info)
{
	memcpy(at + 8, info->gid, sizeof(info->gid));
	put(at + 24, info->tc, 1);
	put(at + 25, (uint32_t)info->sl << 20 | info->flow_label, 3);
	put(at + 28, info->lid, 2);
	put(at + 30, info->pkey, 2);
	put(at + 32, info->qpn, 4);
	put(at + 36, info->qkey, 4);
}

static const struct info elsewhere = {
	.tc = 0x12,
	.sl = 5,
	.flow_label = 0x34567,
	.lid = 0x0809,
	.pkey = 0x8001,
	.qpn = 0x112233,
	.qkey = 0x44556677,
};

static void test_a_redirect_is_followed(void **state)
{
	struct engine_write write;
	struct bench bench;
	uint32_t tid;

	bench_open(&bench, NULL);
	bench.request.umad.addr.path_bits = 1;
	fixture_send(bench.engine, bench.agent, &bench.request);
	write = answered_with(&bench, REDIRECT);
	tid = fixture_tid(write.umad);
	write_info(bench.reply.mad + 64, &elsewhere);
	assert_int_equal(receive(&bench), ENGINE_DEFERRED);

	/* The request follows at once; only its address and its TID are new. */
	write = answered_with(&bench, 0);
	assert_int_not_equal(fixture_tid(write.umad), tid);
	assert_int_equal(write.umad->addr.lid, htobe16(0x0809));
	assert_int_equal(write.umad->addr.qpn, htobe32(0x112233));
	assert_int_equal(write.umad->addr.qkey, htobe32(0x44556677));
	assert_int_equal(write.umad->addr.sl, 5);
	assert_int_equal(write.umad->addr.pkey_index, 2);
	assert_int_equal(write.umad->addr.path_bits, 1);
	assert_int_equal(write.umad->addr.grh_present, 0);

	/* The engine takes no more replies from the first address. */
	bench.reply.umad.addr.lid = htobe16(7);
	assert_int_equal(receive(&bench), ENGINE_UNMATCHED);
	bench.reply.umad.addr.lid = htobe16(0x0809);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 2, 0);
	assert_int_equal(engine_stats(bench.engine)->redirected, 1);
	engine_close(bench.engine);
}

/* The ClassPortInfo of a redirect stands where the class has its data. */
static void test_redirect_is_read_at_the_offset_of_its_class(void **state)
{
	static const struct {
		uint8_t mgmt_class, offset;
	} classes[] = {
		{ CLASS_SA, 56 }, { CLASS_PERF, 64 }, { 0x06, 64 },	    { 0x07, 24 },
		{ 0x09, 24 },	  { 0x0f, 24 },	      { 0x21, 64 },	    { 0x30, 40 },
		{ 0x4f, 40 },	  { 0x05, 64 },	      { CLASS_VENDOR, 40 },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct engine_write write;
		struct bench bench;

		bench_open(&bench, NULL);
		header_of(&bench.request)->mgmt_class = classes[i].mgmt_class;
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, REDIRECT);
		write_info(bench.reply.mad + classes[i].offset, &elsewhere);
		assert_int_equal(receive(&bench), ENGINE_DEFERRED);
		write = fixture_write(bench.engine, bench.now);
		assert_int_equal(write.umad->addr.lid, htobe16(0x0809));
		engine_close(bench.engine);
	}
}

/* A redirect of a request with a GRH needs the other node's GID, too. */
static void test_a_redirect_with_a_grh(void **state)
{
	struct info info = elsewhere;
	struct engine_write write;
	struct bench bench;

	memset(info.gid, 0xab, sizeof(info.gid));
	bench_open(&bench, NULL);
	bench.request.umad.addr.grh_present = 1;
	bench.request.umad.addr.hop_limit = 64;
	bench.request.umad.addr.gid_index = 1;
	fixture_send(bench.engine, bench.agent, &bench.request);
	answered_with(&bench, REDIRECT);
	write_info(bench.reply.mad + 64, &info);
	assert_int_equal(receive(&bench), ENGINE_DEFERRED);
	write = answered_with(&bench, REDIRECT);
	assert_memory_equal(write.umad->addr.gid, info.gid, sizeof(info.gid));
	assert_int_equal(write.umad->addr.traffic_class, 0x12);
	assert_int_equal(write.umad->addr.flow_label, htobe32(0x34567));
	assert_int_equal(write.umad->addr.hop_limit, 64);
	assert_int_equal(write.umad->addr.gid_index, 1);
	assert_int_equal(write.umad->addr.lid, htobe16(0x0809));

	info = elsewhere;
	info.lid = 10;
	write_info(bench.reply.mad + 64, &info);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 2, REDIRECT);
	engine_close(bench.engine);
}

/* A P_Key's index is that with the same membership, or else with another; there may be none. */
static void test_pkeys(void **state)
{
	static const struct {
		uint16_t pkey;
		int index;
	} cases[] = {
		{ 0x7fff, 0 }, { 0xffff, 1 }, { 0x0001, 2 },  { 0x8002, 3 },
		{ 0, 3 },      { 0x8000, 3 }, { 0x1234, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct info info = elsewhere;
		struct bench bench;

		info.pkey = cases[i].pkey;
		bench_open(&bench, NULL);
		bench.request.umad.addr.pkey_index = 3;
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, REDIRECT);
		write_info(bench.reply.mad + 64, &info);
		if (cases[i].index < 0) {
			assert_int_equal(receive(&bench), ENGINE_REPLY);
		} else {
			assert_int_equal(receive(&bench), ENGINE_DEFERRED);
			assert_int_equal(
				fixture_write(bench.engine, bench.now).umad->addr.pkey_index,
				cases[i].index);
		}
		engine_close(bench.engine);
	}
}

/*
 * A redirect that cannot be followed is handed over: it names a GID to resolve, makes no sense, or
 * names the same address.
 */
static void test_redirects_that_lead_nowhere(void **state)
{
	struct info infos[5];

	for (unsigned int i = 0; i < 5; i++)
		infos[i] = elsewhere;
	infos[0].lid = 0;
	memset(infos[0].gid, 0xfe, sizeof(infos[0].gid));
	infos[1].lid = 0xc000;
	infos[2].lid = 0xffff;
	infos[3].qpn = 0;
	infos[4] = (struct info){ .lid = 7, .qpn = 1, .qkey = QKEY, .pkey = 0 };
	for (unsigned int i = 0; i < 5; i++) {
		struct bench bench;

		bench_open(&bench, NULL);
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, REDIRECT);
		write_info(bench.reply.mad + 64, &infos[i]);
		assert_int_equal(receive(&bench), ENGINE_REPLY);
		expect_outcome(&bench, 1, REDIRECT);
		engine_close(bench.engine);
	}
}

static void test_a_short_reply_redirects_nowhere(void **state)
{
	struct bench bench;

	bench_open(&bench, NULL);
	header_of(&bench.request)->base_version = 0x80;
	fixture_send(bench.engine, bench.agent, &bench.request);
	answered_with(&bench, REDIRECT);
	write_info(bench.reply.mad + 64, &elsewhere);
	assert_int_equal(engine_receive(bench.engine, 0, &bench.reply.umad,
					sizeof(struct ib_user_mad) + 64 + 39, bench.now),
			 ENGINE_REPLY);
	engine_close(bench.engine);
}

static void test_smps_are_not_redirected(void **state)
{
	static const uint8_t classes[] = { 0x01, 0x81 };

	for (unsigned int i = 0; i < 2; i++) {
		struct bench bench;

		bench_open(&bench, NULL);
		header_of(&bench.request)->mgmt_class = classes[i];
		fixture_send(bench.engine, bench.agent, &bench.request);
		answered_with(&bench, REDIRECT);
		write_info(bench.reply.mad + 64, &elsewhere);
		assert_int_equal(receive(&bench), ENGINE_REPLY);
		engine_close(bench.engine);
	}
}

/* Two nodes redirect to each other. */
static void test_circles_end(void **state)
{
	struct info info = elsewhere;
	struct bench bench;

	bench_open(&bench, NULL);
	fixture_send(bench.engine, bench.agent, &bench.request);
	for (unsigned int i = 0; i < 4; i++) {
		answered_with(&bench, REDIRECT);
		info.lid = i % 2 ? 7 : 8;
		write_info(bench.reply.mad + 64, &info);
		assert_int_equal(receive(&bench), ENGINE_DEFERRED);
	}
	answered_with(&bench, REDIRECT);
	info.lid = 8;
	write_info(bench.reply.mad + 64, &info);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 5, REDIRECT);
	engine_close(bench.engine);
}

/*
 * Two attempts are under way when the first reply redirects. The reply to the second redirects to
 * the same place, or to another one, and changes nothing. The redirect keeps the node's LID, so the
 * LID does not tell which attempt a reply is for.
 */
static void a_second_redirect(const struct info *second)
{
	struct buffer reply __attribute__((aligned(64)));
	struct info info = elsewhere;
	struct bench bench;

	info.lid = 7;
	bench_open(&bench, NULL);
	fixture_send(bench.engine, bench.agent, &bench.request);
	answered_with(&bench, REDIRECT);
	write_info(bench.reply.mad + 64, &info);
	reply = bench.reply;
	wait_for_retry(&bench);
	answered_with(&bench, REDIRECT);
	write_info(bench.reply.mad + 64, second);
	assert_int_equal(fixture_receive(bench.engine, &reply, bench.now), ENGINE_DEFERRED);

	/* The second reply comes before the next attempt is written, and again after it. */
	assert_int_equal(receive(&bench), ENGINE_DEFERRED);
	reply = bench.reply;
	assert_int_equal(fixture_write(bench.engine, bench.now).umad->addr.qpn, htobe32(info.qpn));
	assert_int_equal(fixture_receive(bench.engine, &reply, bench.now), ENGINE_DEFERRED);
	assert_true(nothing_to_write(&bench));
	assert_int_equal(engine_stats(bench.engine)->redirected, 1);

	/* The node that the first redirect led to may redirect the request again. */
	wait_for_retry(&bench);
	answered_with(&bench, REDIRECT);
	info.qpn++;
	write_info(bench.reply.mad + 64, &info);
	assert_int_equal(receive(&bench), ENGINE_DEFERRED);
	assert_int_equal(answered_with(&bench, 0).umad->addr.qpn, htobe32(info.qpn));
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	expect_outcome(&bench, 5, 0);
	assert_int_equal(engine_stats(bench.engine)->redirected, 2);
	engine_close(bench.engine);
}

static void test_a_second_redirect(void **state)
{
	struct info second = elsewhere;

	second.lid = 7;
	a_second_redirect(&second);
	second.lid = 0x0a0b;
	a_second_redirect(&second);
}

/* A redirect uses up no retry, and lengthens no timeout. */
static void test_a_redirect_is_no_retry(void **state)
{
	struct engine_agent_config config = fixture_agent();
	struct engine_completion completion;
	struct bench bench;
	uint64_t sent;

	config.attempts = 2;
	bench_open(&bench, &config);
	fixture_send(bench.engine, bench.agent, &bench.request);
	answered_with(&bench, REDIRECT);
	write_info(bench.reply.mad + 64, &elsewhere);
	assert_int_equal(receive(&bench), ENGINE_DEFERRED);
	sent = bench.now;
	fixture_write(bench.engine, bench.now);
	wait_for_retry(&bench);
	assert_in_range(bench.now - sent, 250 * MS, 251 * MS);
	fixture_write(bench.engine, bench.now);
	engine_advance(bench.engine, bench.now + 2000 * MS);
	assert_true(engine_next_completion(bench.engine, &completion));
	assert_int_equal(completion.status, -ETIMEDOUT);
	assert_int_equal(completion.attempts, 3);
	engine_close(bench.engine);
}

/* The kernel still writes the request: its address cannot change, and the redirect is the reply. */
static void test_redirect_during_the_write_is_the_reply(void **state)
{
	struct engine_completion completion;
	struct engine_write write;
	struct bench bench;

	bench_open(&bench, NULL);
	fixture_send(bench.engine, bench.agent, &bench.request);
	assert_true(engine_next_write(bench.engine, bench.now, &write));
	fixture_reply(&bench.reply, write.umad);
	header_of(&bench.reply)->status = htobe16(REDIRECT);
	write_info(bench.reply.mad + 64, &elsewhere);
	assert_int_equal(receive(&bench), ENGINE_REPLY);
	assert_int_equal(write.umad->addr.lid, htobe16(7));
	assert_false(engine_next_completion(bench.engine, &completion));
	engine_write_done(bench.engine, write.id, 0, bench.now);
	expect_outcome(&bench, 1, REDIRECT);
	engine_close(bench.engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_busy_is_retried),
	cmocka_unit_test(test_busy_at_last_is_the_answer),
	cmocka_unit_test(test_busy_of_an_earlier_attempt_is_not),
	cmocka_unit_test(test_busy_without_another_attempt),
	cmocka_unit_test(test_reported_busy_and_redirects_are_handed_over),
	cmocka_unit_test(test_a_redirect_is_followed),
	cmocka_unit_test(test_redirect_is_read_at_the_offset_of_its_class),
	cmocka_unit_test(test_a_redirect_with_a_grh),
	cmocka_unit_test(test_pkeys),
	cmocka_unit_test(test_redirects_that_lead_nowhere),
	cmocka_unit_test(test_a_short_reply_redirects_nowhere),
	cmocka_unit_test(test_smps_are_not_redirected),
	cmocka_unit_test(test_circles_end),
	cmocka_unit_test(test_a_second_redirect),
	cmocka_unit_test(test_a_redirect_is_no_retry),
	cmocka_unit_test(test_redirect_during_the_write_is_the_reply),
};

TEST_MAIN(tests, NULL, NULL)
