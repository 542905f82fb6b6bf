/* SPDX-License-Identifier: BSD-2-Clause */
/* SwitchInfo is kept in the graph, and in a file. */
#include "fake_fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>

#include "unit/saved_fabric.h"

#define HEAD                                                                                       \
	"{\"local\": {\"node_guid\": \"0x1\", \"port\": 0}, \"nodes\": [{\"guid\": \"0x1\", "      \
	"\"port_count\": 1, \"path\": [0], \"ports\": [], "

/* Loads a fabric from a text. Returns the error. */
static size_t refuse_at_one(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (query->attribute == IB_ATTR_SWITCH_INFO &&
	    query->node->public.guid == fake_leaf(fake, 1)->info.node_guid)
		mad[5] = 0x0c;
	return FAKE_MAD_BYTES;
}

/* Checks what a fabric has of the fake's nodes, of which the second leaf refused. */
static void check_fabric(struct fake *fake, const struct madring_fabric *fabric)
{
	for (unsigned int i = 0; i < fake->count; i++) {
		const struct madring_node_info *real = &fake->node[i].info;
		const struct madring_node *node =
			madring_fabric_node_by_guid(fabric, real->node_guid);
		struct madring_switch_info info = { .life_time_value = 99 };

		assert_non_null(node);
		if (real->type != MADRING_NODE_SWITCH || &fake->node[i] == fake_leaf(fake, 1)) {
			assert_int_equal(madring_node_get_switch_info(node, &info), -ENODATA);
			assert_int_equal(info.life_time_value, 99);
			continue;
		}
		assert_int_equal(madring_node_get_switch_info(node, &info), 0);
		assert_int_equal(info.linear_fdb_cap, 0xc000);
		assert_int_equal(info.linear_fdb_top, 0xfffe);
		assert_int_equal(info.default_multicast_not_primary_port, 255);
		assert_int_equal(info.multicast_fdb_top, 0xc00f);
		assert_int_equal(info.enhanced_port0, 1);
		assert_int_equal(info.life_time_value, 0);
	}
}

static void test_switch_info_is_kept(void **state)
{
	char text[MADRING_LOAD_TEXT_BYTES], *saved;
	struct discovery discovery;
	struct madring_fabric *loaded;
	struct fake fake;
	size_t size;
	FILE *out;

	fake_fat_tree(&fake, 1, 3, 2);
	fake.spoil = refuse_at_one;
	fake_discover(&fake, &discovery);
	check_fabric(&fake, discovery.fabric);
	out = open_memstream(&saved, &size);
	assert_int_equal(madring_fabric_save(discovery.fabric, out), 0);
	fclose(out);
	assert_int_equal(saved_fabric_load(saved, &loaded, text), 0);
	check_fabric(&fake, loaded);
	madring_fabric_free(loaded);
	free(saved);
	fake_close(&discovery);
}

/* An older version saved no SwitchInfo. A later one may save more of it than this one knows. */
static void test_files_of_other_versions_load(void **state)
{
	static const char older[] = HEAD "\"type\": \"switch\", \"enhanced_port0\": true}]}";
	static const char later[] = HEAD "\"type\": \"switch\", \"switch_info\": {\"news\": [1], "
					 "\"multicast_fdb_top\": 65535}}]}";
	struct madring_switch_info info;
	struct madring_fabric *fabric;

	assert_int_equal(saved_fabric_load(older, &fabric, NULL), 0);
	assert_true(madring_fabric_node(fabric, 0)->enhanced_port0);
	assert_int_equal(madring_node_get_switch_info(madring_fabric_node(fabric, 0), &info),
			 -ENODATA);
	madring_fabric_free(fabric);

	assert_int_equal(saved_fabric_load(later, &fabric, NULL), 0);
	assert_int_equal(madring_node_get_switch_info(madring_fabric_node(fabric, 0), &info), 0);
	assert_int_equal(info.multicast_fdb_top, 65535);
	assert_int_equal(info.linear_fdb_cap, 0);
	madring_fabric_free(fabric);
}

static void test_impossible_values_are_refused(void **state)
{
	static const char *const wrong[] = {
		HEAD "\"type\": \"switch\", \"switch_info\": {\"linear_fdb_cap\": 65536}}]}",
		HEAD "\"type\": \"switch\", \"switch_info\": {\"default_port\": 256}}]}",
		HEAD "\"type\": \"switch\", \"switch_info\": {\"default_port\": -1}}]}",
		HEAD "\"type\": \"switch\", \"switch_info\": {\"default_port\": \"1\"}}]}",
	};
	char text[MADRING_LOAD_TEXT_BYTES];
	struct madring_fabric *fabric;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(saved_fabric_load(wrong[i], &fabric, text), -EINVAL);
		assert_non_null(strstr(text, "SwitchInfo"));
	}
	assert_int_equal(
		saved_fabric_load("{\"local\": {\"node_guid\": \"0x1\", \"port\": 1}, \"nodes\": ["
				  "{\"guid\": \"0x1\", \"type\": \"ca\", \"port_count\": 1, "
				  "\"path\": [0], \"ports\": [], \"switch_info\": {}}]}",
				  &fabric, text),
		-EINVAL);
	assert_non_null(strstr(text, "no switch's"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_switch_info_is_kept),
	cmocka_unit_test(test_files_of_other_versions_load),
	cmocka_unit_test(test_impossible_values_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
