/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries, their answers, and what becomes of the buffers (src/sa/sa_query.c). */
#include "unit/sa/sa_world.h"

#include <errno.h>
#include <string.h>

#include "unit/failing.h"

#define PATH_BYTES 64u
#define SMKEY	   UINT64_C(0x0102030405060708)

#define SMKEY_OFFSET 36u
#define MASK_OFFSET  48u
#define BIT_DLID     (UINT64_C(1) << 4)
#define BIT_SL	     (UINT64_C(1) << 15)

#define ERR_NO_RESOURCES 0x0100
#define ERR_NO_RECORDS	 0x0300

static const struct madring_sa_component to_77[] = { { .name = "DLID", .value = 77 } };
static const struct madring_sa_request get_path = {
	.attr_id = MADRING_PATH_RECORD,
	.method = MADRING_GET,
	.components = to_77,
	.component_count = 1,
};
static const struct madring_sa_request get_paths = {
	.attr_id = MADRING_PATH_RECORD,
	.components = to_77,
	.component_count = 1,
};

/* Counts outcomes, and holds the last one. */
struct heard {
	unsigned int count;
	int status;
	uint16_t mad_status;
	size_t records;
	bool has_mad;
};

static void on_answer(struct madring_sa_answer *answer)
{
	struct heard *heard = answer->user;

	heard->count++;
	heard->status = answer->status;
	heard->mad_status = answer->mad_status;
	heard->records = answer->count;
	heard->has_mad = answer->mad != NULL;
	assert_non_null(answer->text);
}

/* Writes PathRecords to the LIDs from 1 on. */
static void write_paths(uint8_t *records, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct madring_path_record path = { .dlid = (uint16_t)(i + 1) };

		madring_path_record_put(records + (size_t)i * PATH_BYTES, &path);
	}
}

static void answer_seven_paths(struct fake_umad *request)
{
	uint8_t records[7 * PATH_BYTES];

	write_paths(records, 7);
	sa_world_answer_table(request, MADRING_GET_TABLE_RESP, records, sizeof(records),
			      PATH_BYTES);
}

static void answer_one_path(struct fake_umad *request)
{
	uint8_t record[PATH_BYTES];

	write_paths(record, 1);
	sa_world_answer(request, 0, record, sizeof(record));
}

static uint64_t read_be64(const uint8_t *from)
{
	uint64_t number;

	memcpy(&number, from, sizeof(number));
	return be64toh(number);
}

static void test_a_query_is_a_mad_to_the_sa(void **state)
{
	const struct madring_sa_config config = { .smkey = SMKEY };
	struct madring_sa_answer answer;
	const struct sa_world_mad *asked;
	struct madring_path_record path;

	(void)state;
	sa_world_open(&config);
	world.respond = answer_seven_paths;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	madring_sa_answer_put(world.sa, &answer);
	assert_int_equal(world.log_count, 1);
	asked = sa_world_last(MADRING_GET_TABLE, MADRING_PATH_RECORD);
	assert_int_equal(asked->lid, SM_LID);
	assert_int_equal(asked->sl, SM_SL);
	assert_int_equal(asked->pkey_index, 1);
	assert_int_equal(asked->mad[1], MADRING_CLASS_SA);
	assert_int_equal(asked->mad[2], 2);
	assert_int_equal(read_be64(asked->mad + SMKEY_OFFSET), SMKEY);
	assert_int_equal(read_be64(asked->mad + MASK_OFFSET), BIT_DLID);
	madring_path_record_get(&path, asked->mad + MADRING_SA_DATA);
	assert_int_equal(path.dlid, 77);
	sa_world_close();
}

static void test_components_are_written_over_the_record(void **state)
{
	const struct madring_path_record path = { .dlid = 5, .slid = 6, .sl = 7 };
	uint8_t record[PATH_BYTES];
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;
	struct madring_path_record sent;
	const struct sa_world_mad *asked;

	(void)state;
	world.respond = answer_one_path;
	madring_path_record_put(record, &path);
	query.record = record;
	query.record_bytes = sizeof(record);
	query.component_mask = BIT_SL;
	query.attr_mod = 0x12345678;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	madring_sa_answer_put(world.sa, &answer);
	asked = sa_world_last(MADRING_GET, MADRING_PATH_RECORD);
	madring_path_record_get(&sent, asked->mad + MADRING_SA_DATA);
	assert_int_equal(sent.dlid, 77);
	assert_int_equal(sent.slid, 6);
	assert_int_equal(sent.sl, 7);
	assert_int_equal(read_be64(asked->mad + MASK_OFFSET), BIT_SL | BIT_DLID);
	assert_int_equal(asked->mad[20], 0x12);
	assert_int_equal(asked->mad[23], 0x78);
}

static void test_a_table_is_the_callers_until_it_is_put(void **state)
{
	struct madring_sa_answer answer;
	struct madring_path_record path;
	const void *record;
	unsigned int count = 0;

	(void)state;
	world.respond = answer_seven_paths;
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
		madring_sa_answer_put(world.sa, &other);
	}
	while ((record = madring_records_next(&answer.records))) {
		madring_path_record_get(&path, record);
		assert_int_equal(path.dlid, ++count);
	}
	assert_int_equal(count, 7);
	assert_non_null(answer.mad);
	madring_sa_answer_put(world.sa, &answer);
	assert_null(answer.mad);
	assert_int_equal(answer.count, 0);
	assert_null(madring_records_next(&answer.records));
	/* Once more is allowed, and does nothing. */
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_an_answer_that_is_not_put_holds_its_buffer(void **state)
{
	struct madring_ring_stats stats;
	struct madring_sa_answer answer;

	(void)state;
	world.respond = answer_one_path;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	madring_stats(world.ring, &stats);
	assert_true(stats.pool.plain.in_use > world.buffers || stats.pool.message.in_use > 0);
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_each_method_has_its_answer(void **state)
{
	static const uint8_t methods[] = { MADRING_GET, MADRING_SET, MADRING_DELETE };
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;
	struct madring_path_record path;

	(void)state;
	world.respond = answer_one_path;
	for (size_t i = 0; i < sizeof(methods); i++) {
		query.method = methods[i];
		assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
		assert_int_equal(sa_world_sent(methods[i], MADRING_PATH_RECORD), 1);
		assert_int_equal(answer.count, 1);
		madring_path_record_get(&path, madring_records_next(&answer.records));
		assert_int_equal(path.dlid, 1);
		madring_sa_answer_put(world.sa, &answer);
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

	(void)state;
	world.respond = answer_no_bytes;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 0);
	assert_null(madring_records_next(&answer.records));
	assert_string_equal(answer.text, "success");
	madring_sa_answer_put(world.sa, &answer);
	world.respond = answer_no_records;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 0);
	assert_int_equal(answer.mad_status, ERR_NO_RECORDS);
	assert_null(madring_records_next(&answer.records));
	assert_string_equal(answer.text, "success");
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

/* GetTraceTable has no response of its own. */
static void test_a_trace_table_is_a_table(void **state)
{
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;

	(void)state;
	query.method = MADRING_GET_TRACE_TABLE;
	world.respond = answer_no_bytes;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	assert_int_equal(answer.count, 0);
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_record_may_not_exist(void **state)
{
	static const uint8_t methods[] = { MADRING_GET, MADRING_SET, MADRING_DELETE };
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;

	(void)state;
	world.respond = answer_no_records;
	for (size_t i = 0; i < sizeof(methods); i++) {
		query.method = methods[i];
		assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ENOENT);
		assert_int_equal(answer.status, -ENOENT);
		assert_int_equal(answer.mad_status, ERR_NO_RECORDS);
		assert_int_equal(answer.count, 0);
		assert_string_equal(answer.text, "the SA has no such record");
		madring_sa_answer_put(world.sa, &answer);
	}
	sa_world_check_buffers();
}

static uint16_t refusal;

static void answer_refusal(struct fake_umad *request)
{
	uint8_t records[PATH_BYTES];

	/* An answer with a status has no record, whatever follows it. */
	write_paths(records, 1);
	sa_world_answer(request, refusal, records, sizeof(records));
}

static void test_a_refusal_tells_its_status(void **state)
{
	static const uint16_t statuses[] = { ERR_NO_RESOURCES, 0x0200, 0x0400, 0x0500,
					     0x0600,	       0x0700, 0x000c, 0x001c };
	struct madring_sa_answer answer;

	(void)state;
	world.respond = answer_refusal;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		const struct madring_sa_request *query = i % 2 ? &get_path : &get_paths;

		refusal = statuses[i];
		assert_int_equal(madring_sa_call(world.sa, query, &answer), -EREMOTEIO);
		assert_int_equal(answer.status, -EREMOTEIO);
		assert_int_equal(answer.mad_status, refusal);
		assert_int_equal(answer.count, 0);
		assert_null(madring_records_next(&answer.records));
		assert_string_equal(answer.text, madring_mad_strstatus(MADRING_CLASS_SA, refusal));
		madring_sa_answer_put(world.sa, &answer);
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

	(void)state;
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
		madring_sa_answer_put(world.sa, &answer);
	}
	sa_world_check_buffers();
}

/* Sends what is no answer to the request, and then the answer. */
static void answer_after_forgeries(struct fake_umad *request)
{
	struct fake_umad forged = *request;

	/* The answer to another attribute. */
	mad_header_of(forged.mad)->attr_id = htobe16(MADRING_NODE_RECORD);
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
	answer_one_path(request);
}

static void test_what_is_no_answer_is_ignored(void **state)
{
	struct madring_sa_answer answer;

	(void)state;
	world.respond = answer_after_forgeries;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	assert_int_equal(answer.count, 1);
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_silent_sa_is_waited_for(void **state)
{
	struct madring_sa_answer answer;
	uint64_t began = sa_world_ms(), took;

	(void)state;
	world.respond = NULL;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ETIMEDOUT);
	took = sa_world_ms() - began;
	/* The patience of a query, unless the agent's configuration says otherwise. */
	assert_in_range(took, 10000, 10100);
	assert_string_equal(answer.text, "the SA has not answered");
	assert_null(answer.mad);
	assert_int_equal(answer.mad_status, 0);
	assert_int_equal(answer.count, 0);
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_query_may_have_a_timeout_of_its_own(void **state)
{
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;
	uint64_t began = sa_world_ms();

	(void)state;
	world.respond = NULL;
	query.timeout_ms = 100;
	query.retries = MADRING_NO_RETRIES;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ETIMEDOUT);
	assert_in_range(sa_world_ms() - began, 100, 150);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_PATH_RECORD), 1);
	query.retries = 2;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ETIMEDOUT);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_PATH_RECORD), 4);
}

static void test_an_agent_may_be_tuned(void **state)
{
	const struct madring_agent_config agent = {
		.mgmt_class = MADRING_CLASS_PMA, /* is not heeded */
		.timeout_ms = 50,
		.retries = MADRING_NO_RETRIES,
	};
	const struct madring_sa_config config = { .agent = &agent };
	struct madring_sa_answer answer;
	uint64_t began;

	(void)state;
	sa_world_open(&config);
	began = sa_world_ms();
	world.respond = NULL;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ETIMEDOUT);
	assert_in_range(sa_world_ms() - began, 50, 100);
	world.respond = answer_seven_paths;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 7);
	madring_sa_answer_put(world.sa, &answer);
	sa_world_close();
}

static struct fake_umad unanswered;

static void leave_unanswered(struct fake_umad *request)
{
	unanswered = *request;
}

static void test_an_answer_after_the_timeout_is_ignored(void **state)
{
	struct madring_sa_request query = get_path;
	struct heard heard = { 0 };

	(void)state;
	world.respond = leave_unanswered;
	query.timeout_ms = 100;
	query.retries = MADRING_NO_RETRIES;
	assert_int_equal(madring_sa_query(world.sa, &query, on_answer, &heard), 0);
	sa_world_pass(200);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.status, -ETIMEDOUT);
	sa_world_answer(&unanswered, 0, NULL, 0);
	sa_world_pass(200);
	assert_int_equal(heard.count, 1);
	sa_world_check_buffers();
}

static void test_a_query_makes_no_system_call(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	world.respond = answer_seven_paths;
	assert_int_equal(madring_sa_query(world.sa, &get_paths, on_answer, &heard), 0);
	assert_int_equal(madring_sa_query(world.sa, &get_paths, on_answer, &heard), 0);
	assert_int_equal(world.log_count, 0);
	assert_int_equal(fake_unread(), 0);
	assert_int_equal(heard.count, 0);
	sa_world_pass(100);
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.status, 0);
	assert_int_equal(heard.records, 7);
	assert_true(heard.has_mad);
	sa_world_check_buffers();
}

/* Asks once more, and tries what no callback may. */
static void on_answer_that_asks(struct madring_sa_answer *answer)
{
	struct heard *heard = answer->user;
	struct madring_sa_answer other;

	if (heard->count++)
		return;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &other), -EBUSY);
	assert_int_equal(other.status, -EBUSY);
	assert_non_null(other.text);
	madring_sa_answer_put(world.sa, &other);
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_asks, heard), 0);
}

static void test_a_callback_may_ask(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	world.respond = answer_one_path;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_asks, &heard), 0);
	sa_world_pass(100);
	assert_int_equal(heard.count, 2);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_PATH_RECORD), 2);
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

	(void)state;
	world.respond = answer_one_path;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer_that_keeps, &kept), 0);
	sa_world_pass(100);
	assert_non_null(kept);
	assert_int_equal(madring_mad_header(kept)->method, MADRING_GET_RESP);
	madring_mad_put(world.ring, kept);
	sa_world_check_buffers();
}

static void on_no_answer(struct madring_sa_answer *answer)
{
	(void)answer;
	fail_msg("a query that was refused has no outcome");
}

/* Checks that a query is refused by both functions, and leaves nothing. */
static void check_refused(const struct madring_sa_request *query, int error)
{
	struct madring_sa_answer answer;
	long allocations = living_allocations;

	assert_int_equal(madring_sa_query(world.sa, query, on_no_answer, NULL), error);
	assert_int_equal(madring_sa_call(world.sa, query, &answer), error);
	assert_int_equal(answer.status, error);
	assert_non_null(answer.text);
	assert_null(answer.mad);
	assert_int_equal(answer.count, 0);
	madring_sa_answer_put(world.sa, &answer);
	assert_int_equal(living_allocations, allocations);
	sa_world_check_buffers();
	assert_int_equal(world.log_count, 0);
}

static void test_there_is_no_sm(void **state)
{
	struct madring_sa_answer answer;

	(void)state;
	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	check_refused(&get_path, -ENETUNREACH);
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ENETUNREACH);
	assert_string_equal(answer.text, "no subnet manager has been seen");
}

/* Checks that a query with this component is refused. */
static void check_component(uint16_t attr_id, const struct madring_sa_component *component,
			    int error)
{
	const struct madring_sa_component components[] = { to_77[0], *component };
	const struct madring_sa_request query = {
		.attr_id = attr_id,
		.components = attr_id == MADRING_PATH_RECORD ? components : component,
		.component_count = attr_id == MADRING_PATH_RECORD ? 2 : 1,
	};

	check_refused(&query, error);
}

static void test_a_component_may_be_wrong(void **state)
{
	static const uint8_t gid[17];
	const struct madring_sa_component unknown = { .name = "NoSuchComponent" };
	const struct madring_sa_component unknown_bytes = { .name = "NoSuchComponent",
							    .bytes = gid,
							    .size = 16 };
	const struct madring_sa_request query = { .attr_id = MADRING_PATH_RECORD,
						  .components = &unknown,
						  .component_count = 1 };
	struct madring_sa_answer answer;
	const struct madring_sa_component large = { .name = "DLID", .value = 0x10000 };
	const struct madring_sa_component needs_bytes = { .name = "DGID", .value = 1 };
	const struct madring_sa_component long_one = { .name = "DGID",
						       .bytes = gid,
						       .size = sizeof(gid) };

	(void)state;
	check_component(MADRING_PATH_RECORD, &unknown, -ENOENT);
	check_component(MADRING_PATH_RECORD, &unknown_bytes, -ENOENT);
	check_component(0xeeee, &to_77[0], -ENOENT);
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ENOENT);
	assert_string_equal(answer.text, "the attribute has no component of that name");
	check_component(MADRING_PATH_RECORD, &large, -ERANGE);
	check_component(MADRING_PATH_RECORD, &needs_bytes, -EINVAL);
	check_component(MADRING_PATH_RECORD, &long_one, -EINVAL);
}

static void test_a_field_of_a_query_may_be_wrong(void **state)
{
	static const uint8_t record[201];
	struct madring_sa_request query = get_path;

	(void)state;
	query.record = record;
	query.record_bytes = sizeof(record);
	check_refused(&query, -EINVAL);
	query = get_path;
	query.reserved[0] = 1;
	check_refused(&query, -EINVAL);
	query = get_path;
	query.reserved[1] = 1;
	check_refused(&query, -EINVAL);
	query = get_path;
	query.timeout_ms = -2;
	check_refused(&query, -EINVAL);
	query = get_path;
	query.retries = 255;
	check_refused(&query, -EINVAL);
}

static void test_a_record_may_fill_the_mad(void **state)
{
	uint8_t record[200];
	const struct madring_sa_request query = {
		.attr_id = 0xeeee,
		.method = MADRING_GET,
		.record = record,
		.record_bytes = sizeof(record),
	};
	struct madring_sa_answer answer;

	(void)state;
	world.respond = answer_one_path;
	memset(record, 0xa5, sizeof(record));
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	assert_memory_equal(sa_world_last(MADRING_GET, 0xeeee)->mad + MADRING_SA_DATA, record,
			    sizeof(record));
	madring_sa_answer_put(world.sa, &answer);
}

static void test_the_pool_may_be_empty(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	world.respond = answer_one_path;
	sa_world_take_buffers();
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_no_answer, NULL), -ENOBUFS);
	sa_world_give_buffers();
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_answer, &heard), 0);
	sa_world_pass(100);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.status, 0);
	sa_world_check_buffers();
}

static void test_the_ring_may_be_full(void **state)
{
	struct heard heard = { 0 };
	unsigned int count = 0;
	int error;

	(void)state;
	world.respond = answer_one_path;
	while (!(error = madring_sa_query(world.sa, &get_path, on_answer, &heard)))
		count++;
	assert_int_equal(error, -EAGAIN);
	assert_true(count > 0);
	sa_world_pass(1000);
	assert_int_equal(heard.count, count);
	assert_int_equal(heard.status, 0);
	sa_world_check_buffers();
}

static void test_memory_may_be_exhausted(void **state)
{
	struct madring_sa_answer answer;

	(void)state;
	fail_at = 1;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_no_answer, NULL), -ENOMEM);
	fail_at = 1;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ENOMEM);
	fail_at = 0;
	madring_sa_answer_put(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_signal_interrupts_a_call(void **state)
{
	struct madring_sa_answer answer;

	(void)state;
	world.respond = NULL;
	world.turn_error = -EINTR;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -EINTR);
	assert_int_equal(answer.status, -EINTR);
	assert_non_null(answer.text);
	madring_sa_answer_put(world.sa, &answer);
	/* The query was cancelled: nothing is sent any more, and nobody waits for its answer. */
	sa_world_pass(100);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_PATH_RECORD), 0);
	sa_world_check_buffers();
	world.respond = answer_one_path;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	madring_sa_answer_put(world.sa, &answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_query_is_a_mad_to_the_sa),
		SA_TEST(test_components_are_written_over_the_record),
		SA_TEST(test_a_table_is_the_callers_until_it_is_put),
		SA_TEST(test_an_answer_that_is_not_put_holds_its_buffer),
		SA_TEST(test_each_method_has_its_answer),
		SA_TEST(test_a_table_may_be_empty),
		SA_TEST(test_a_trace_table_is_a_table),
		SA_TEST(test_a_record_may_not_exist),
		SA_TEST(test_a_refusal_tells_its_status),
		SA_TEST(test_a_malformed_answer_has_no_records),
		SA_TEST(test_what_is_no_answer_is_ignored),
		SA_TEST(test_a_silent_sa_is_waited_for),
		SA_TEST(test_a_query_may_have_a_timeout_of_its_own),
		cmocka_unit_test(test_an_agent_may_be_tuned),
		SA_TEST(test_an_answer_after_the_timeout_is_ignored),
		SA_TEST(test_a_query_makes_no_system_call),
		SA_TEST(test_a_callback_may_ask),
		SA_TEST(test_a_callback_may_keep_the_answer),
		SA_TEST(test_there_is_no_sm),
		SA_TEST(test_a_component_may_be_wrong),
		SA_TEST(test_a_field_of_a_query_may_be_wrong),
		SA_TEST(test_a_record_may_fill_the_mad),
		SA_TEST(test_the_pool_may_be_empty),
		SA_TEST(test_the_ring_may_be_full),
		SA_TEST(test_memory_may_be_exhausted),
		SA_TEST(test_a_signal_interrupts_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
