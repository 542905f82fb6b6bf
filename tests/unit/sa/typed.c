/* SPDX-License-Identifier: BSD-2-Clause */
/* The questions that programs ask most: paths and nodes (src/sa/sa_typed.c). */
#include "unit/sa/sa_paths.h"

#include <errno.h>
#include <string.h>

#define NODE_BYTES 108u
#define NODE_STEP  112u /* a NodeRecord, as the SA rounds it up to words of 8 bytes */
#define NODES	   3u

#define BIT_DGID       (UINT64_C(1) << 2)
#define BIT_SGID       (UINT64_C(1) << 3)
#define BIT_DLID       (UINT64_C(1) << 4)
#define BIT_SLID       (UINT64_C(1) << 5)
#define BIT_PATH_COUNT (UINT64_C(1) << 12)

static const struct madring_gid far_gid = { { 0xfe, 0x80, [15] = 0x77 } };
static const struct madring_gid third_gid = { { 0xfe, 0x80, [15] = 0x33 } };

/* Answers with the path that was asked for, as the SA knows it. */
static void answer_path(struct fake_umad *request)
{
	uint8_t record[PATH_BYTES];
	struct madring_path_record path;

	madring_path_record_decode(&path, request->mad + MADRING_SA_DATA);
	path.sl = 5;
	path.mtu = 4;
	madring_path_record_encode(record, &path);
	sa_world_answer(request, 0, record, sizeof(record));
}

/* Checks the components of the last question, and returns its PathRecord. */
static struct madring_path_record asked_path(uint64_t components)
{
	const struct sa_world_mad *asked = sa_world_last(MADRING_GET, MADRING_ATTR_PATH_RECORD);
	struct madring_path_record path;

	assert_int_equal(sa_world_mask(asked), components);
	madring_path_record_decode(&path, asked->mad + MADRING_SA_DATA);
	assert_int_equal(path.path_count, 1);
	return path;
}

static void test_a_path_by_lid_begins_at_the_local_port(void **state)
{
	struct madring_path_record path, asked;

	world.respond = answer_path;
	assert_int_equal(madring_sa_path_by_lid(world.sa, 0, 77, &path), 0);
	asked = asked_path(BIT_SLID | BIT_DLID | BIT_PATH_COUNT);
	assert_int_equal(asked.slid, FAKE_LID);
	assert_int_equal(asked.dlid, 77);
	assert_int_equal(path.dlid, 77);
	assert_int_equal(path.sl, 5);
	assert_int_equal(path.mtu, 4);
	sa_world_check_buffers();
}

static void test_path_by_lid_begins_at_the_given_lid(void **state)
{
	struct madring_path_record path;

	world.respond = answer_path;
	assert_int_equal(madring_sa_path_by_lid(world.sa, 33, 77, &path), 0);
	assert_int_equal(asked_path(BIT_SLID | BIT_DLID | BIT_PATH_COUNT).slid, 33);
	assert_int_equal(path.slid, 33);
}

static void test_a_path_by_gid_begins_at_the_local_port(void **state)
{
	struct madring_path_record path, asked;
	struct madring_sa_state here;

	world.respond = answer_path;
	madring_sa_get_state(world.sa, &here);
	assert_int_equal(madring_sa_path_by_gid(world.sa, NULL, &far_gid, &path), 0);
	asked = asked_path(BIT_SGID | BIT_DGID | BIT_PATH_COUNT);
	assert_memory_equal(&asked.sgid, &here.gid, sizeof(here.gid));
	assert_memory_equal(&asked.dgid, &far_gid, sizeof(far_gid));
	assert_memory_equal(&path.dgid, &far_gid, sizeof(far_gid));
	assert_int_equal(path.sl, 5);
	sa_world_check_buffers();
}

static void test_path_by_gid_begins_at_the_given_gid(void **state)
{
	struct madring_path_record path;

	world.respond = answer_path;
	assert_int_equal(madring_sa_path_by_gid(world.sa, &third_gid, &far_gid, &path), 0);
	assert_memory_equal(&path.sgid, &third_gid, sizeof(third_gid));
}

static void answer_no_records(struct fake_umad *request)
{
	sa_world_answer(request, 0x0300, NULL, 0);
}

#define REFUSAL 0x0200 /* ERR_REQ_INVALID, IBA 15.2.1.1 */

static void answer_refusal(struct fake_umad *request)
{
	sa_world_answer(request, REFUSAL, NULL, 0);
}

static void on_no_node(void *user, const struct madring_node_record *record)
{
	fail_msg("there is no node");
}

/* Asks all questions, each of which has the same outcome. A path is not written to then. */
static void check_paths_fail(int error)
{
	struct madring_path_record path, before;

	memset(&path, 0x5a, sizeof(path));
	before = path;
	assert_int_equal(madring_sa_path_by_lid(world.sa, 0, 77, &path), error);
	assert_int_equal(madring_sa_path_by_gid(world.sa, NULL, &far_gid, &path), error);
	assert_memory_equal(&path, &before, sizeof(path));
	sa_world_check_buffers();
}

static void test_missing_path_is_an_error(void **state)
{
	world.respond = answer_no_records;
	check_paths_fail(-ENOENT);
	assert_int_equal(madring_sa_nodes(world.sa, on_no_node, NULL), 0);
	sa_world_check_buffers();
}

static void test_the_sa_refuses(void **state)
{
	world.respond = answer_refusal;
	assert_int_equal(madring_sa_mad_status(world.sa), 0);
	check_paths_fail(-EREMOTEIO);
	assert_int_equal(madring_sa_mad_status(world.sa), REFUSAL);
	assert_int_equal(madring_sa_nodes(world.sa, on_no_node, NULL), -EREMOTEIO);
	assert_int_equal(madring_sa_mad_status(world.sa), REFUSAL);
	sa_world_check_buffers();
}

static void test_the_sa_is_silent(void **state)
{
	world.respond = NULL;
	check_paths_fail(-ETIMEDOUT);
	assert_int_equal(madring_sa_mad_status(world.sa), 0);
	assert_int_equal(madring_sa_nodes(world.sa, on_no_node, NULL), -ETIMEDOUT);
	sa_world_check_buffers();
}

static void test_path_without_sm_fails(void **state)
{
	fake_port()->sm_lid = 0;
	assert_int_equal(madring_sa_refresh(world.sa), 0);
	check_paths_fail(-ENETUNREACH);
	assert_int_equal(madring_sa_nodes(world.sa, on_no_node, NULL), -ENETUNREACH);
	assert_int_equal(world.log_count, 0);
}

static void answer_nodes(struct fake_umad *request)
{
	uint8_t records[NODES * NODE_STEP] = { 0 };

	for (unsigned int i = 0; i < NODES; i++) {
		struct madring_node_record node = {
			.lid = (uint16_t)(10 + i),
			.type = 1,
			.node_guid = 100 + i,
		};

		memcpy(node.description, "node", 4);
		node.description[4] = (char)('0' + i);
		madring_node_record_encode(records + (size_t)i * NODE_STEP, &node);
	}
	sa_world_answer_table(request, MADRING_GET_TABLE_RESP, records, sizeof(records), NODE_STEP);
}

static void on_node(void *user, const struct madring_node_record *record)
{
	unsigned int *count = user;

	assert_int_equal(record->lid, 10 + *count);
	assert_int_equal(record->node_guid, 100 + *count);
	assert_int_equal(record->description[4], '0' + (int)*count);
	++*count;
}

static void test_nodes_come_in_order(void **state)
{
	const struct sa_world_mad *asked;
	unsigned int count = 0;

	world.respond = answer_nodes;
	assert_int_equal(madring_sa_nodes(world.sa, on_node, &count), NODES);
	assert_int_equal(count, NODES);
	asked = sa_world_last(MADRING_GET_TABLE, MADRING_ATTR_NODE_RECORD);
	assert_int_equal(sa_world_mask(asked), 0);
	sa_world_check_buffers();
}

static void answer_short_nodes(struct fake_umad *request)
{
	static const uint8_t records[2 * (NODE_BYTES - 4)];

	/* Records of 104 bytes, which is less than a NodeRecord. */
	sa_world_answer_table(request, MADRING_GET_TABLE_RESP, records, sizeof(records),
			      NODE_BYTES - 4);
}

static void test_malformed_nodes_are_not_handed_out(void **state)
{
	world.respond = answer_short_nodes;
	assert_int_equal(madring_sa_nodes(world.sa, on_no_node, NULL), -EBADMSG);
	sa_world_check_buffers();
}

static const struct CMUnitTest tests[] = {
	SA_TEST(test_a_path_by_lid_begins_at_the_local_port),
	SA_TEST(test_path_by_lid_begins_at_the_given_lid),
	SA_TEST(test_a_path_by_gid_begins_at_the_local_port),
	SA_TEST(test_path_by_gid_begins_at_the_given_gid),
	SA_TEST(test_missing_path_is_an_error),
	SA_TEST(test_the_sa_refuses),
	SA_TEST(test_the_sa_is_silent),
	SA_TEST(test_path_without_sm_fails),
	SA_TEST(test_nodes_come_in_order),
	SA_TEST(test_malformed_nodes_are_not_handed_out),
};

TEST_MAIN(tests, NULL, NULL)
