/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries: what is sent, how long for, and what is refused (src/sa/sa_query.c). */
#include "unit/sa/sa_paths.h"

#include <errno.h>
#include <string.h>

#include "unit/failing.h"

#define SMKEY	     UINT64_C(0x0102030405060708)
#define SMKEY_OFFSET 36u
#define BIT_DLID     (UINT64_C(1) << 4)
#define BIT_SL	     (UINT64_C(1) << 15)

static void test_a_query_is_a_mad_to_the_sa(void **state)
{
	const struct madring_sa_config config = { .smkey = SMKEY };
	const uint64_t smkey = htobe64(SMKEY);
	struct madring_sa_answer answer;
	const struct sa_world_mad *asked;
	struct madring_path_record path;

	sa_world_open(&config);
	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	madring_sa_answer_release(world.sa, &answer);
	assert_int_equal(world.log_count, 1);
	asked = sa_world_last(MADRING_GET_TABLE, MADRING_ATTR_PATH_RECORD);
	assert_int_equal(asked->lid, SM_LID);
	assert_int_equal(asked->sl, SM_SL);
	assert_int_equal(asked->pkey_index, 1);
	assert_int_equal(asked->mad[1], MADRING_CLASS_SA);
	assert_int_equal(asked->mad[2], 2);
	assert_memory_equal(asked->mad + SMKEY_OFFSET, &smkey, sizeof(smkey));
	assert_int_equal(sa_world_mask(asked), BIT_DLID);
	madring_path_record_decode(&path, asked->mad + MADRING_SA_DATA);
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

	world.respond = paths_answer_one;
	madring_path_record_encode(record, &path);
	query.record = record;
	query.record_bytes = sizeof(record);
	query.component_mask = BIT_SL;
	query.attr_mod = 0x12345678;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	madring_sa_answer_release(world.sa, &answer);
	asked = sa_world_last(MADRING_GET, MADRING_ATTR_PATH_RECORD);
	madring_path_record_decode(&sent, asked->mad + MADRING_SA_DATA);
	assert_int_equal(sent.dlid, 77);
	assert_int_equal(sent.slid, 6);
	assert_int_equal(sent.sl, 7);
	assert_int_equal(sa_world_mask(asked), BIT_SL | BIT_DLID);
	assert_int_equal(asked->mad[20], 0x12);
	assert_int_equal(asked->mad[23], 0x78);
}

static void test_a_query_may_have_a_timeout_of_its_own(void **state)
{
	struct madring_sa_request query = get_path;
	struct madring_sa_answer answer;
	uint64_t began = sa_world_ms();

	world.respond = NULL;
	query.timeout_ms = 100;
	query.retries = MADRING_NO_RETRIES;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ETIMEDOUT);
	assert_in_range(sa_world_ms() - began, 100, 150);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_ATTR_PATH_RECORD), 1);
	query.retries = 2;
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ETIMEDOUT);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_ATTR_PATH_RECORD), 4);
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

	sa_world_open(&config);
	began = sa_world_ms();
	world.respond = NULL;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ETIMEDOUT);
	assert_in_range(sa_world_ms() - began, 50, 100);
	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_call(world.sa, &get_paths, &answer), 0);
	assert_int_equal(answer.count, 7);
	madring_sa_answer_release(world.sa, &answer);
	sa_world_close();
}

static void test_a_query_makes_no_system_call(void **state)
{
	struct paths_heard heard = { 0 };

	world.respond = paths_answer_seven;
	assert_int_equal(madring_sa_query(world.sa, &get_paths, paths_hear, &heard), 0);
	assert_int_equal(madring_sa_query(world.sa, &get_paths, paths_hear, &heard), 0);
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

static void on_no_answer(struct madring_sa_answer *answer)
{
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
	madring_sa_answer_release(world.sa, &answer);
	assert_int_equal(living_allocations, allocations);
	sa_world_check_buffers();
	assert_int_equal(world.log_count, 0);
}

static void test_query_without_sm_fails(void **state)
{
	struct madring_sa_answer answer;

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
	const struct madring_sa_component components[] = { to_77, *component };
	const struct madring_sa_request query = {
		.attr_id = attr_id,
		.components = attr_id == MADRING_ATTR_PATH_RECORD ? components : component,
		.component_count = attr_id == MADRING_ATTR_PATH_RECORD ? 2 : 1,
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
	const struct madring_sa_request query = { .attr_id = MADRING_ATTR_PATH_RECORD,
						  .components = &unknown,
						  .component_count = 1 };
	struct madring_sa_answer answer;
	const struct madring_sa_component large = { .name = "DLID", .value = 0x10000 };
	const struct madring_sa_component needs_bytes = { .name = "DGID", .value = 1 };
	const struct madring_sa_component long_one = { .name = "DGID",
						       .bytes = gid,
						       .size = sizeof(gid) };

	check_component(MADRING_ATTR_PATH_RECORD, &unknown, -ENOENT);
	check_component(MADRING_ATTR_PATH_RECORD, &unknown_bytes, -ENOENT);
	check_component(0xeeee, &to_77, -ENOENT);
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), -ENOENT);
	assert_string_equal(answer.text, "the attribute has no component of that name");
	check_component(MADRING_ATTR_PATH_RECORD, &large, -ERANGE);
	check_component(MADRING_ATTR_PATH_RECORD, &needs_bytes, -EINVAL);
	check_component(MADRING_ATTR_PATH_RECORD, &long_one, -EINVAL);
}

static void test_a_field_of_a_query_may_be_wrong(void **state)
{
	static const uint8_t record[201];
	struct madring_sa_request query = get_path;

	query.record = record;
	query.record_bytes = sizeof(record);
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

	world.respond = paths_answer_one;
	memset(record, 0xa5, sizeof(record));
	assert_int_equal(madring_sa_call(world.sa, &query, &answer), 0);
	assert_memory_equal(sa_world_last(MADRING_GET, 0xeeee)->mad + MADRING_SA_DATA, record,
			    sizeof(record));
	madring_sa_answer_release(world.sa, &answer);
}

static void test_the_pool_may_be_empty(void **state)
{
	struct paths_heard heard = { 0 };

	world.respond = paths_answer_one;
	sa_world_take_buffers();
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_no_answer, NULL), -ENOBUFS);
	sa_world_give_buffers();
	assert_int_equal(madring_sa_query(world.sa, &get_path, paths_hear, &heard), 0);
	sa_world_pass(100);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.status, 0);
	sa_world_check_buffers();
}

static void test_the_ring_may_be_full(void **state)
{
	struct paths_heard heard = { 0 };
	unsigned int count = 0;
	int error;

	world.respond = paths_answer_one;
	while (!(error = madring_sa_query(world.sa, &get_path, paths_hear, &heard)))
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

	fail_at = 1;
	assert_int_equal(madring_sa_query(world.sa, &get_path, on_no_answer, NULL), -ENOMEM);
	fail_at = 1;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -ENOMEM);
	fail_at = 0;
	madring_sa_answer_release(world.sa, &answer);
	sa_world_check_buffers();
}

static void test_a_signal_interrupts_a_call(void **state)
{
	struct madring_sa_answer answer;

	world.respond = NULL;
	world.turn_error = -EINTR;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), -EINTR);
	assert_int_equal(answer.status, -EINTR);
	assert_non_null(answer.text);
	madring_sa_answer_release(world.sa, &answer);
	/* The query was canceled: nothing is sent any more, and nobody waits for its answer. */
	sa_world_pass(100);
	assert_int_equal(sa_world_sent(MADRING_GET, MADRING_ATTR_PATH_RECORD), 0);
	sa_world_check_buffers();
	world.respond = paths_answer_one;
	assert_int_equal(madring_sa_call(world.sa, &get_path, &answer), 0);
	madring_sa_answer_release(world.sa, &answer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_query_is_a_mad_to_the_sa),
	SA_TEST(test_components_are_written_over_the_record),
	SA_TEST(test_a_query_may_have_a_timeout_of_its_own),
	cmocka_unit_test(test_an_agent_may_be_tuned),
	SA_TEST(test_a_query_makes_no_system_call),
	SA_TEST(test_query_without_sm_fails),
	SA_TEST(test_a_component_may_be_wrong),
	SA_TEST(test_a_field_of_a_query_may_be_wrong),
	SA_TEST(test_a_record_may_fill_the_mad),
	SA_TEST(test_the_pool_may_be_empty),
	SA_TEST(test_the_ring_may_be_full),
	SA_TEST(test_memory_may_be_exhausted),
	SA_TEST(test_a_signal_interrupts_a_call),
};

TEST_MAIN(tests, NULL, NULL)
