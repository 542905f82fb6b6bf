/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the forwarding tables of switches (src/fabric/ask_tables.c, forwarding_table.c). */
#include "unit/failing.h"
#include "unit/sa/sa_world.h"
#include "unit/saved_fabric.h"

#include <errno.h>
#include <string.h>

#include <madring/structs.h>
#include <madring/sweep.h>
#include <madring/tables.h>

#define PORTS 36 /* of each switch */

#define SWITCH(guid, lid)                                                                          \
	"{\"guid\": \"" guid "\", \"type\": \"switch\", \"port_count\": 36, \"path\": [0, 1], "    \
	"\"ports\": [{\"port\": 0, \"lid\": " lid ", \"state\": 4, \"physical_state\": 5, "        \
	"\"peer\": null}]}"

/* The second switch has no LID. */
static const char two_switches[] =
	"{\"local\": {\"node_guid\": \"0x1\", \"port\": 1}, \"nodes\": ["
	"{\"guid\": \"0x1\", \"type\": \"ca\", \"port_count\": 1, \"path\": [0], \"ports\": ["
	"{\"port\": 1, \"lid\": 9, \"state\": 4, \"physical_state\": 5, \"peer\": null}]}," SWITCH(
		"0x2", "2") "," SWITCH("0x3", "0") "]}";

/* The answers of the switches. */
static struct {
	struct madring_switch_info info;
	uint16_t status; /* of the blocks with .wrong_modifier */
	uint32_t wrong_modifier;
	bool is_silent; /* at these, instead */
	bool is_dead;	/* the switch with a LID answers nothing */
	size_t length;	/* of replies to these; 0: all */
	uint8_t block[64];
} switches;

/* The tables that the program got. */
static struct {
	struct madring_table *table[4];
	unsigned int count;
} got;

static struct madring_fabric *load_fabric(void)
{
	char text[MADRING_LOAD_TEXT_BYTES];
	struct madring_fabric *fabric;

	assert_int_equal(saved_fabric_load(two_switches, &fabric, text), 0);
	return fabric;
}

static void answer(struct fake_umad *request)
{
	struct madring_mad_hdr *header = mad_header_of(request->mad);
	uint8_t *attribute = request->mad + MADRING_SMP_DATA;
	bool is_info = be16toh(header->attr_id) == MADRING_ATTR_SWITCH_INFO;
	bool is_wrong = !is_info && be32toh(header->attr_mod) == switches.wrong_modifier;

	if (switches.is_dead && header->mgmt_class == MADRING_CLASS_SMP)
		return;
	if (is_wrong && switches.is_silent)
		return;
	fake_make_reply(request);
	if (is_info)
		madring_switch_info_encode(attribute, &switches.info);
	else
		memcpy(attribute, switches.block, sizeof(switches.block));
	if (is_wrong && switches.status)
		header->status |= htobe16(switches.status);
	if (is_wrong && switches.length)
		request->length = sizeof(struct ib_user_mad) + switches.length;
	fake_send(request);
}

static void take_table(void *user, struct madring_table *table)
{
	assert_true(got.count < 4);
	got.table[got.count++] = table;
}

static struct madring_ask_tables_config config_of(enum madring_table_kind kind)
{
	return (struct madring_ask_tables_config){
		.kind = kind, .done = take_table, .timeout_ms = 50, .retries = MADRING_NO_RETRIES
	};
}

static void free_tables(void)
{
	for (unsigned int i = 0; i < got.count; i++)
		madring_table_free(got.table[i]);
	got.count = 0;
}

/* Reads the tables of both switches. */
static void ask(const struct madring_fabric *fabric, enum madring_table_kind kind)
{
	const struct madring_ask_tables_config config = config_of(kind);

	free_tables();
	world.log_count = 0;
	assert_int_equal(madring_ask_tables(world.subnet, fabric, &config), 0);
	assert_int_equal(got.count, 2);
}

static void test_a_linear_table(void **state)
{
	struct madring_fabric *fabric = load_fabric();
	unsigned int directed = 0;

	switches.info.linear_fdb_cap = 0xc000;
	switches.info.linear_fdb_top = 130;
	memset(switches.block, 255, sizeof(switches.block));
	switches.block[1] = 0;
	switches.block[2] = PORTS;
	switches.block[3] = PORTS + 1;
	ask(fabric, MADRING_TABLE_LINEAR);
	for (unsigned int i = 0; i < world.log_count; i++)
		directed += world.log[i].mad[1] == MADRING_CLASS_SMP_DIRECTED;
	/* SwitchInfo and three blocks each. */
	assert_int_equal(world.log_count, 8);
	assert_int_equal(directed, 4);
	for (unsigned int i = 0; i < got.count; i++) {
		const struct madring_table *table = got.table[i];

		assert_int_equal(madring_table_kind(table), MADRING_TABLE_LINEAR);
		assert_int_equal(madring_table_error(table), 0);
		assert_int_equal(madring_table_last_lid(table), 130);
		assert_int_equal(madring_table_block_count(table), 3);
		assert_int_equal(madring_table_position_count(table), 1);
		assert_int_equal(madring_table_port(table, 64 + 1), 0);
		assert_int_equal(madring_table_port(table, 128 + 2), PORTS);
		assert_int_equal(madring_table_port(table, 3), -EBADMSG);
		assert_int_equal(madring_table_port(table, 4), -ENOENT);
		assert_int_equal(madring_table_port(table, 131), -ENOENT);
		assert_int_equal(madring_table_ports(table, 0xc000, NULL), -EINVAL);
	}
	assert_ptr_not_equal(madring_table_node(got.table[0]), madring_table_node(got.table[1]));
	madring_fabric_free(fabric);
}

/* SwitchInfo may say anything: no more is asked for than there can be. */
static void test_impossible_sizes_are_capped(void **state)
{
	static const struct {
		enum madring_table_kind kind;
		uint16_t cap, top;
		unsigned int blocks;
		uint16_t last;
	} cases[] = {
		{ MADRING_TABLE_LINEAR, 0, 0xffff, 0, 0 },
		{ MADRING_TABLE_LINEAR, 64, 0xffff, 1, 63 },
		{ MADRING_TABLE_LINEAR, 0xffff, 65, 2, 65 },
		{ MADRING_TABLE_MULTICAST, 0, 0xc001, 0, 0 },
		{ MADRING_TABLE_MULTICAST, 33, 0, 2, 0xc020 },
		{ MADRING_TABLE_MULTICAST, 33, 0xffff, 2, 0xc020 },
		{ MADRING_TABLE_MULTICAST, 33, 0xbfff, 0, 0 },
		{ MADRING_TABLE_MULTICAST, 33, 0xbffe, 2, 0xc020 },
		{ MADRING_TABLE_MULTICAST, 0xffff, 0xc01f, 1, 0xc01f },
	};
	struct madring_fabric *fabric = load_fabric();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		switches.info.linear_fdb_cap = switches.info.multicast_fdb_cap = cases[i].cap;
		switches.info.linear_fdb_top = switches.info.multicast_fdb_top = cases[i].top;
		ask(fabric, cases[i].kind);
		assert_int_equal(madring_table_error(got.table[0]), 0);
		assert_int_equal(madring_table_block_count(got.table[0]), cases[i].blocks);
		assert_int_equal(madring_table_last_lid(got.table[0]), cases[i].last);
	}
	madring_fabric_free(fabric);
}

/* The longest tables that there can be. */
static void test_the_longest_tables(void **state)
{
	struct madring_fabric *fabric = load_fabric();
	const struct madring_node *node = madring_fabric_node(fabric, 1);
	struct madring_ask_tables_config config = config_of(MADRING_TABLE_LINEAR);

	config.nodes = &node;
	config.node_count = 1;
	world.is_log_full = true;
	memset(&switches.info, 255, sizeof(switches.info));
	assert_int_equal(madring_ask_tables(world.subnet, fabric, &config), 0);
	config.kind = MADRING_TABLE_MULTICAST;
	assert_int_equal(madring_ask_tables(world.subnet, fabric, &config), 0);
	assert_int_equal(got.count, 2);
	assert_int_equal(madring_table_error(got.table[0]), 0);
	assert_int_equal(madring_table_last_lid(got.table[0]), 0xbfff);
	assert_int_equal(madring_table_block_count(got.table[0]), 768);
	assert_int_equal(madring_table_error(got.table[1]), 0);
	assert_int_equal(madring_table_last_lid(got.table[1]), 0xfffe);
	assert_int_equal(madring_table_block_count(got.table[1]), 512);
	assert_int_equal(madring_table_position_count(got.table[1]), 3);
	madring_fabric_free(fabric);
}

static void test_a_multicast_table(void **state)
{
	struct madring_fabric *fabric = load_fabric();
	uint8_t mask[MADRING_PORT_MASK_BYTES];
	unsigned int seen = 0;

	switches.info.multicast_fdb_cap = 1024;
	switches.info.multicast_fdb_top = 0xc021;
	memset(switches.block, 0, sizeof(switches.block));
	/* The second LID of each block: ports 0 and 9 of each position. */
	switches.block[2] = 0x02;
	switches.block[3] = 0x01;
	ask(fabric, MADRING_TABLE_MULTICAST);
	assert_int_equal(world.log_count, 2 * (1 + 2 * 3));
	for (unsigned int i = 0; i < world.log_count; i++) {
		const struct madring_mad_hdr *header = mad_header_of(world.log[i].mad);
		uint32_t modifier = be32toh(header->attr_mod);

		if (be16toh(header->attr_id) == MADRING_ATTR_SWITCH_INFO)
			continue;
		assert_true((modifier & 0xfffffff) < 2 && modifier >> 28 < 3);
		seen |= 1u << (3 * (modifier & 1) + (modifier >> 28));
	}
	assert_int_equal(seen, 0x3f);
	assert_int_equal(madring_table_position_count(got.table[0]), 3);
	assert_int_equal(madring_table_ports(got.table[0], 0xc021, mask), 0);
	for (unsigned int port = 0; port < 256; port++)
		assert_int_equal(mask[port / 8] >> port % 8 & 1,
				 port <= PORTS && (port % 16 == 0 || port % 16 == 9));
	assert_int_equal(madring_table_ports(got.table[0], 0xc020, mask), 0);
	assert_int_equal(mask[0], 0);
	assert_int_equal(madring_table_ports(got.table[0], 0xc022, mask), -ENOENT);
	assert_int_equal(madring_table_ports(got.table[0], 0xbfff, mask), -ENOENT);
	assert_int_equal(madring_table_port(got.table[0], 1), -EINVAL);

	/* Without one position, the other ports are known. */
	switches.wrong_modifier = 1u << 28 | 1;
	switches.status = 0x1c;
	ask(fabric, MADRING_TABLE_MULTICAST);
	assert_int_equal(madring_table_error(got.table[0]), -EREMOTEIO);
	assert_int_equal(madring_table_block_error(got.table[0], 1, 1), -EREMOTEIO);
	assert_int_equal(madring_table_block_error(got.table[0], 1, 0), 0);
	assert_int_equal(madring_table_block_error(got.table[0], 0, 1), 0);
	assert_int_equal(madring_table_block_error(got.table[0], 1, 3), -ENOENT);
	assert_int_equal(madring_table_ports(got.table[0], 0xc021, mask), -ENODATA);
	assert_int_equal(mask[0], 1);
	assert_int_equal(mask[2], 0);
	assert_int_equal(mask[4], 1);
	madring_fabric_free(fabric);
}

static void test_blocks_that_do_not_arrive(void **state)
{
	struct madring_fabric *fabric = load_fabric();

	switches.info.linear_fdb_cap = 0xc000;
	switches.info.linear_fdb_top = 255;
	switches.wrong_modifier = 2;
	switches.is_silent = true;
	ask(fabric, MADRING_TABLE_LINEAR);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(madring_table_error(got.table[i]), -ETIMEDOUT);
		assert_int_equal(madring_table_block_error(got.table[i], 2, 0), -ETIMEDOUT);
		assert_int_equal(madring_table_block_error(got.table[i], 3, 0), 0);
		assert_int_equal(madring_table_block_error(got.table[i], 4, 0), -ENOENT);
		assert_int_equal(madring_table_port(got.table[i], 128), -ENODATA);
		assert_int_equal(madring_table_port(got.table[i], 127), 0);
	}

	switches.is_silent = false;
	switches.length = MADRING_SMP_DATA + 63;
	ask(fabric, MADRING_TABLE_LINEAR);
	/* It is no reply to madring. */
	assert_int_equal(madring_table_error(got.table[0]), -ETIMEDOUT);
	assert_int_equal(madring_table_port(got.table[0], 128), -ENODATA);

	switches.length = 0;
	switches.is_dead = true;
	ask(fabric, MADRING_TABLE_LINEAR);
	for (unsigned int i = 0; i < 2; i++) {
		bool is_dead = madring_table_node(got.table[i])->guid == 2;

		assert_int_equal(madring_table_error(got.table[i]), is_dead ? -ETIMEDOUT : 0);
		assert_int_equal(madring_table_block_count(got.table[i]), is_dead ? 0 : 4);
		assert_int_equal(madring_table_port(got.table[i], 1), is_dead ? -ENOENT : 0);
	}
	madring_fabric_free(fabric);
}

/* Each switch still has a table, which says what is missing. */
static void test_reading_is_canceled_and_bounded(void **state)
{
	struct madring_ask_tables_config config = config_of(MADRING_TABLE_LINEAR);
	struct madring_fabric *fabric = load_fabric();
	struct madring_reading *reading;
	struct madring_batch_state how;

	switches.info.linear_fdb_cap = 0xc000;
	switches.info.linear_fdb_top = 640;
	switches.wrong_modifier = 0;
	switches.is_silent = true;
	config.most = 1;
	config.timeout_ms = MADRING_FOREVER;
	config.deadline_ms = 20;
	assert_int_equal(madring_ask_tables_start(world.subnet, fabric, &config, &reading), 0);
	assert_int_equal(madring_batch_run(madring_ask_tables_requests(reading)), 0);
	madring_batch_get_state(madring_ask_tables_requests(reading), &how);
	assert_true(how.deadline_reached);
	assert_int_equal(madring_ask_tables_end(reading), 0);
	assert_int_equal(got.count, 2);
	assert_int_equal(madring_table_block_count(got.table[0]), 11);
	assert_int_equal(madring_table_block_count(got.table[1]), 0);
	assert_int_equal(madring_table_error(got.table[0]), -ECANCELED);
	assert_int_equal(madring_table_error(got.table[1]), -ECANCELED);

	free_tables();
	config.deadline_ms = 0;
	config.most = 0;
	assert_int_equal(madring_ask_tables_start(world.subnet, fabric, &config, &reading), 0);
	sa_world_pass(5);
	assert_int_equal(madring_batch_cancel(madring_ask_tables_requests(reading)), 2);
	assert_int_equal(madring_batch_run(madring_ask_tables_requests(reading)), 0);
	assert_int_equal(got.count, 2);
	assert_int_equal(madring_table_block_error(got.table[0], 0, 0), -ECANCELED);
	assert_int_equal(madring_table_block_error(got.table[0], 1, 0), 0);
	assert_int_equal(madring_ask_tables_end(reading), 0);

	/* Tables that the program has not got are freed. */
	free_tables();
	assert_int_equal(madring_ask_tables_start(world.subnet, fabric, &config, &reading), 0);
	sa_world_pass(5);
	assert_int_equal(madring_ask_tables_end(reading), 0);
	assert_int_equal(madring_ask_tables_end(NULL), 0);
	assert_int_equal(got.count, 0);
	madring_fabric_free(fabric);
}

static void test_wrong_options_are_refused(void **state)
{
	const struct madring_ask_tables_config good = config_of(MADRING_TABLE_LINEAR);
	struct madring_ask_tables_config bad[6] = { good, good, good, good, good, good };
	struct madring_fabric *fabric = load_fabric();
	const struct madring_node *host = madring_fabric_node(fabric, 0), *none = NULL;
	struct madring_reading *reading;

	bad[0].kind = (enum madring_table_kind)3;
	bad[1].done = NULL;
	bad[2].nodes = &host;
	bad[2].node_count = 1;
	bad[3].nodes = &none;
	bad[3].node_count = 1;
	bad[4].node_count = 1;
	bad[5].deadline_ms = -1;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(madring_ask_tables_start(world.subnet, fabric, &bad[i], &reading),
				 -EINVAL);
	madring_fabric_free(fabric);
}

/* Without memory there is a table that says so, or the batch ends. */
static void test_memory_is_exhausted(void **state)
{
	const struct madring_ask_tables_config config = config_of(MADRING_TABLE_LINEAR);
	struct madring_fabric *fabric = load_fabric();
	unsigned int failed = 0;
	int error = -ENOMEM;

	switches.info.linear_fdb_cap = 0xc000;
	switches.info.linear_fdb_top = 64;
	ask(fabric, MADRING_TABLE_LINEAR);
	for (unsigned int i = 1; i < 100 && (error || failed); i++) {
		free_tables();
		failed = 0;
		fail_at = i;
		error = madring_ask_tables(world.subnet, fabric, &config);
		fail_at = 0;
		assert_true(!error || error == -ENOMEM);
		for (unsigned int t = 0; t < got.count; t++)
			failed += madring_table_error(got.table[t]) != 0;
	}
	assert_int_equal(error, 0);
	assert_int_equal(got.count, 2);
	madring_fabric_free(fabric);
}

static int open_world(void **state)
{
	memset(&switches, 0, sizeof(switches));
	switches.wrong_modifier = UINT32_MAX;
	sa_world_setup(state);
	world.respond_smp = answer;
	return 0;
}

static int close_world(void **state)
{
	free_tables();
	return sa_world_teardown_agents(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

static const struct CMUnitTest tests[] = {
	TEST(test_a_linear_table),
	TEST(test_impossible_sizes_are_capped),
	TEST(test_the_longest_tables),
	TEST(test_a_multicast_table),
	TEST(test_blocks_that_do_not_arrive),
	TEST(test_reading_is_canceled_and_bounded),
	TEST(test_wrong_options_are_refused),
	TEST(test_memory_is_exhausted),
};

TEST_MAIN(tests, NULL, NULL)
