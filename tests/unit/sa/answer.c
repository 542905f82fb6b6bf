/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to queries, and what becomes of their buffers (src/sa/sa_query.c). */
#include "unit/sa/sa_paths.h"

#include <errno.h>

#define ERR_NO_RESOURCES 0x0100
#define ERR_NO_RECORDS	 0x0300

static void test_a_table_is_the_callers_until_it_is_put(void **state)
{
	struct madring_sa_answer answer;
	struct madring_path_record path;
	const void *record;
	unsigned int count = 0;

	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.status, 0);
	assert_int_equal(answer.mad_status, 0);
	assert_string_equal(answer.text, "success");
	assert_int_equal(answer.count, 7);
	assert_null(answer.user);
	/* The buffer is not used again by what the ring does meanwhile. */
	for (unsigned int i = 0; i < 8; i++) {
		struct madring_sa_answer other;

		assert_int_equal(madring_sa_call(world.sa, &get_paths, &other), 0);
		madring_sa_answer_release(world.sa, &other);
	}
	while ((record = madring_records_next(&answer.records))) {
		madring_path_record_decode(&path, record);
		assert_int_equal(path.dlid, ++count);
	}
	assert_int_equal(count, 7);
	assert_non_null(answer.mad);
	madring_sa_answer_release(world.sa, &answer);
	assert_null(answer.mad);
	assert_int_equal(answer.count, 0);
	assert_null(madring_records_next(&answer.records));
	/* Once more is allowed, and does nothing. */
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_an_answer_that_is_not_put_holds_its_buffer(void **state)
{
	struct madring_stats stats;
	struct madring_sa_answer answer;

	world.respond = paths_answer_one;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	madring_get_stats(world.ring, &stats);
	assert_true(stats.pool_plain_in_use > world.buffers || stats.pool_message_in_use > 0);
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_each_method_has_its_answer(void **state)
{
	static const uint8_t methods[] = { MADRING_GET, MADRING_SET, MADRING_DELETE };
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;
	struct madring_path_record path;

	world.respond = paths_answer_one;
	for (size_t i = 0; i < sizeof(methods); i++) {
		query.method = methods[i];
		assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
		assert_int_equal(sa_world_sent(methods[i], MADRING_ATTR_PATH_RECORD), 1);
		assert_int_equal(answer.count, 1);
		madring_path_record_decode(&path, madring_records_next(&answer.records));
		assert_int_equal(path.dlid, 1);
		madring_sa_answer_release(world.sa, &answer);
	}
	sa_world_check_buffers();
}

static void answer_no_bytes(struct fake_umad *request)
{
	sa_world_answer_table(request, MADRING_GET_TABLE_RESP, NULL, 0, PATH_BYTES);
}

static void answer_no_records(struct fake_umad *request)
{
	sa_world_answer(request, ERR_NO_RECORDS, NULL, 0);
}

static void test_a_table_may_be_empty(void **state)
{
	struct madring_sa_answer answer;

	world.respond = answer_no_bytes;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 0);
	assert_null(madring_records_next(&answer.records));
	assert_string_equal(answer.text, "success");
	madring_sa_answer_release(world.sa, &answer);
	world.respond = answer_no_records;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 0);
	assert_int_equal(answer.mad_status, ERR_NO_RECORDS);
	assert_null(madring_records_next(&answer.records));
	assert_string_equal(answer.text, "success");
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

/* GetTraceTable has no response of its own. */
static void test_a_trace_table_is_a_table(void **state)
{
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;

	query.method = MADRING_GET_TRACE_TABLE;
	world.respond = answer_no_bytes;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	assert_int_equal(answer.count, 0);
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_record_may_not_exist(void **state)
{
	static const uint8_t methods[] = { MADRING_GET, MADRING_SET, MADRING_DELETE };
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;

	world.respond = answer_no_records;
	for (size_t i = 0; i < sizeof(methods); i++) {
		query.method = methods[i];
		assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ENOENT);
		assert_int_equal(answer.status, -ENOENT);
		assert_int_equal(answer.mad_status, ERR_NO_RECORDS);
		assert_int_equal(answer.count, 0);
		assert_string_equal(answer.text, "the SA has no such record");
		madring_sa_answer_release(world.sa, &answer);
	}
	sa_world_check_buffers();
}

static uint16_t refusal;

static void answer_refusal(struct fake_umad *request)
{
	uint8_t records[PATH_BYTES];

	/* An answer with a status has no record, whatever follows it. */
	paths_write(records, 1);
	sa_world_answer(request, refusal, records, sizeof(records));
}

static void test_a_refusal_tells_its_status(void **state)
{
	static const uint16_t statuses[] = { ERR_NO_RESOURCES, 0x0200, 0x0400, 0x0500,
					     0x0600,	       0x0700, 0x000c, 0x001c };
	struct madring_sa_answer answer;

	world.respond = answer_refusal;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		const struct madring_sa_request *query = i % 2 ? &get_path : &get_paths;

		refusal = statuses[i];
		assert_int_equal(madring_sa_call(world.sa, query, &answer), -EREMOTEIO);
		assert_int_equal(answer.status, -EREMOTEIO);
		assert_int_equal(answer.mad_status, refusal);
		assert_int_equal(answer.count, 0);
		assert_null(madring_records_next(&answer.records));
		assert_string_equal(answer.text, madring_status_text(MADRING_CLASS_SA, refusal));
		madring_sa_answer_release(world.sa, &answer);
	}
	sa_world_check_buffers();
}

/* Describes an answer with the status 0 that is none to its query. */
static const struct malformed {
	const char *what;
	uint8_t asked, answered; /* methods */
	uint16_t bytes, stride;
} malformed[] = {
	{ "no record size", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 64, 0 },
	{ "a record that is too short", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 56, 56 },
	{ "records that are too short", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 168, 56 },
	{ "half a record", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 96, 64 },
	{ "less than a record", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 63, 64 },
	{ "a byte after the last record", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 193, 64 },
	{ "a large record size", MADRING_GET_TABLE, MADRING_GET_TABLE_RESP, 128, 0xfff8 },
	{ "a short record to a Get", MADRING_GET, MADRING_GET_RESP, 63, 64 },
	{ "no record to a Get", MADRING_GET, MADRING_GET_RESP, 0, 64 },
	{ "a GetResp to a GetTable", MADRING_GET_TABLE, MADRING_GET_RESP, 128, 64 },
	{ "a table to a Get", MADRING_GET, MADRING_GET_TABLE_RESP, 128, 64 },
	{ "a DeleteResp to a Get", MADRING_GET, MADRING_DELETE_RESP, 64, 64 },
	{ "a GetResp to a Delete", MADRING_DELETE, MADRING_GET_RESP, 64, 64 },
	{ "a GetMultiResp to a GetTable", MADRING_GET_TABLE, MADRING_GET_MULTI_RESP, 64, 64 },
};
static const struct malformed *spoiled;

static void answer_malformed(struct fake_umad *request)
{
	static const uint8_t records[256];

	sa_world_answer_table(request, spoiled->answered, records, spoiled->bytes, spoiled->stride);
}

static void test_a_malformed_answer_has_no_records(void **state)
{
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;

	world.respond = answer_malformed;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		spoiled = &malformed[i];
		query.method = spoiled->asked;
		if (madring_sa_call(world.sa, &query, &answer) != -EBADMSG)
			fail_msg("%s: %d", spoiled->what, answer.status);
		assert_int_equal(answer.status, -EBADMSG);
		assert_int_equal(answer.count, 0);
		assert_null(madring_records_next(&answer.records));
		assert_string_equal(answer.text, "the answer of the SA is malformed");
		madring_sa_answer_release(world.sa, &answer);
	}
	sa_world_check_buffers();
}

/* Sends what is no answer to the request, and then the answer. */
static void answer_after_forgeries(struct fake_umad *request)
{
	struct fake_umad forged = *request;

	/* The answer to another attribute. */
	mad_header_of(forged.mad)->attr_id = htobe16(MADRING_ATTR_NODE_RECORD);
	sa_world_answer(&forged, 0, NULL, 0);
	/* With another modifier. */
	forged = *request;
	mad_header_of(forged.mad)->attr_mod = htobe32(1);
	sa_world_answer(&forged, ERR_NO_RESOURCES, NULL, 0);
	/* This answer comes from another port. */
	forged = *request;
	forged.umad.addr.lid = htobe16(SM_LID + 1);
	sa_world_answer(&forged, ERR_NO_RESOURCES, NULL, 0);
	/* To another request. */
	forged = *request;
	mad_header_of(forged.mad)->tid ^= htobe64(1);
	sa_world_answer(&forged, ERR_NO_RESOURCES, NULL, 0);
	/* Cut within its SA header. */
	forged = *request;
	forged.length = sizeof(struct ib_user_mad) + MADRING_SA_DATA - 8;
	sa_world_answer(&forged, ERR_NO_RESOURCES, NULL, 0);
	/* The request itself. */
	fake_send(request);
	paths_answer_one(request);
}

static void test_other_mads_are_no_answer(void **state)
{
	struct madring_sa_answer answer;

	world.respond = answer_after_forgeries;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	assert_int_equal(answer.count, 1);
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_silent_sa_is_waited_for(void **state)
{
	struct madring_sa_answer answer;
	uint64_t began = sa_world_ms(), took;

	world.respond = NULL;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ETIMEDOUT);
	took = sa_world_ms() - began;
	/* The patience of a query, unless the agent's configuration says otherwise. */
	assert_in_range(took, 10000, 10100);
	assert_string_equal(answer.text, "the SA has not answered");
	assert_null(answer.mad);
	assert_int_equal(answer.mad_status, 0);
	assert_int_equal(answer.count, 0);
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static struct fake_umad unanswered;

static void leave_unanswered(struct fake_umad *request)
{
	unanswered = *request;
}

static void test_an_answer_after_the_timeout_is_ignored(void **state)
{
	struct madring_sa_request query = get_path;
	struct paths_heard heard = { 0 };

	world.respond = leave_unanswered;
	query.timeout_ms = 100;
	query.retries = MADRING_NO_RETRIES;
	assert_int_equal(madring_sa_query(world.sa, &query, paths_hear, &heard), 0);
	sa_world_pass(200);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.status, -ETIMEDOUT);
	sa_world_answer(&unanswered, 0, NULL, 0);
	sa_world_pass(200);
	assert_int_equal(heard.count, 1);
	sa_world_check_buffers();
}

/* Asks once more, and tries what no callback may. */
static void on_answer_that_asks(struct madring_sa_answer *answer)
{
	struct paths_heard *heard = answer->user;
	struct madring_sa_answer other;

	if (heard->count++)
		return;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &other), -EBUSY);
	assert_int_equal(other.status, -EBUSY);
	assert_non_null(other.text);
	madring_sa_answer_release(world.sa, &other);
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_asks, heard), 0);
}

static void test_a_callback_may_ask(void **state)
{
	struct paths_heard heard = { 0 };

	world.respond = paths_answer_one;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_asks, &heard), 0);
	sa_world_pass(100);
	assert_int_equal(heard.count, 2);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_ATTR_PATH_RECORD), 2);
	sa_world_check_buffers();
}

static void on_answer_that_keeps(struct madring_sa_answer *answer)
{
	struct madring_mad **kept = answer->user;

	*kept = answer->mad;
	assert_int_equal(madring_mad_keep(world.ring, answer->mad), 0);
}

static void test_a_callback_may_keep_the_answer(void **state)
{
	struct madring_mad *kept = NULL;

	world.respond = paths_answer_one;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_keeps, &kept), 0);
	sa_world_pass(100);
	assert_non_null(kept);
	assert_int_equal(madring_mad_header(kept)->method, MADRING_GET_RESP);
	madring_mad_free(world.ring, kept);
	sa_world_check_buffers();
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_a_table_is_the_callers_until_it_is_put),
	SA_TEST(test_an_answer_that_is_not_put_holds_its_buffer),
	SA_TEST(test_each_method_has_its_answer),
	SA_TEST(test_a_table_may_be_empty),
	SA_TEST(test_a_trace_table_is_a_table),
	SA_TEST(test_a_record_may_not_exist),
	SA_TEST(test_a_refusal_tells_its_status),
	SA_TEST(test_a_malformed_answer_has_no_records),
	SA_TEST(test_other_mads_are_no_answer),
	SA_TEST(test_a_silent_sa_is_waited_for),
	SA_TEST(test_an_answer_after_the_timeout_is_ignored),
	SA_TEST(test_a_callback_may_ask),
	SA_TEST(test_a_callback_may_keep_the_answer),
};

TEST_MAIN(tests, NULL, NULL)
