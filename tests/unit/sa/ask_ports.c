/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking all ports of a fabric for an attribute (src/fabric/ask_ports.c). */
#include "unit/sa/sa_world.h"
#include "unit/saved_fabric.h"

#include <errno.h>
#include <string.h>

#include <madring/sweep.h>

#define PKEY_INDEX  1 /* of the world's subnet */
#define PORT_SELECT (MADRING_PMA_DATA + 1u)

static const char two_hosts[] =
	"{\"local\": {\"node_guid\": \"0x1\", \"port\": 1}, \"nodes\": ["
	"{\"guid\": \"0x1\", \"type\": \"ca\", \"port_count\": 2, \"path\": [0], \"ports\": ["
	"{\"port\": 1, \"lid\": 3, \"state\": 4, \"physical_state\": 5, \"peer\": null},"
	"{\"port\": 2, \"lid\": 4, \"state\": 4, \"physical_state\": 5, \"peer\": null}]},"
	"{\"guid\": \"0x2\", \"type\": \"ca\", \"port_count\": 1, \"path\": [0, 1], \"ports\": ["
	"{\"port\": 1, \"lid\": 0, \"state\": 2, \"physical_state\": 5, \"peer\": null}]}]}";

static struct madring_fabric *load_fabric(void)
{
	char text[MADRING_LOAD_TEXT_BYTES];
	struct madring_fabric *fabric;

	assert_int_equal(saved_fabric_load(two_hosts, &fabric, text), 0);
	return fabric;
}

static void on_outcome(void *user, const struct madring_completion *completion)
{
	unsigned int *count = user;

	assert_non_null(completion->user);
	++*count;
}

/* Checks what two requests of a class have asked. */
static void check_requests(uint8_t mgmt_class, uint16_t pkey_index)
{
	struct madring_fabric *fabric = load_fabric();
	unsigned int count = 0, attempts = 0;

	world.log_count = 0;
	assert_int_equal(madring_ask_ports(world.subnet, fabric, mgmt_class,
					   MADRING_ATTR_PORT_COUNTERS_EXTENDED, on_outcome, &count),
			 0);
	/* A port without a LID is not asked. */
	assert_int_equal(count, 2);
	for (unsigned int i = 0; i < world.log_count; i++) {
		const struct sa_world_mad *asked = &world.log[i];

		if (asked->mad[1] != mgmt_class)
			continue;
		attempts++;
		assert_int_equal(asked->pkey_index, pkey_index);
		if (mgmt_class == MADRING_CLASS_PMA)
			assert_int_equal(asked->mad[PORT_SELECT], asked->lid == 3 ? 1 : 2);
		else
			assert_int_equal(asked->mad[23], asked->lid == 3 ? 1 : 2);
	}
	assert_true(attempts >= 2);
	madring_fabric_free(fabric);
}

static void test_gmps_have_the_pkey_index_of_the_subnet(void **state)
{
	check_requests(MADRING_CLASS_PMA, PKEY_INDEX);
}

static void test_smps_have_none(void **state)
{
	check_requests(MADRING_CLASS_SMP, 0);
}

static void test_ports_are_asked_with_options(void **state)
{
	static const uint16_t attributes[] = { MADRING_ATTR_PORT_COUNTERS,
					       MADRING_ATTR_PORT_COUNTERS_EXTENDED };
	struct madring_fabric *fabric = load_fabric();
	unsigned int count = 0;
	struct madring_ask_ports_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
		.attributes = attributes,
		.attribute_count = 2,
		.counter_select = 0x1234,
		.timeout_ms = 50,
		.retries = MADRING_NO_RETRIES,
		.done = on_outcome,
		.user = &count,
	};
	struct madring_questions *questions;

	for (unsigned int all = 0; all < 2; all++) {
		world.log_count = count = 0;
		config.all_ports = all;
		assert_int_equal(madring_ask_ports_start(world.subnet, fabric, &config, &questions),
				 0);
		assert_int_equal(madring_batch_run(madring_ask_ports_requests(questions)), 0);
		assert_int_equal(madring_ask_ports_end(questions), 0);
		/* Two ports of one node have LIDs. */
		assert_int_equal(count, all ? 2 : 4);
		assert_int_equal(world.log_count, count);
		for (unsigned int i = 0; i < count; i++) {
			const uint8_t *mad = world.log[i].mad;

			assert_int_equal(mad[17], attributes[i % 2]);
			assert_int_equal(mad[PORT_SELECT], all ? 255 : world.log[i].lid - 2);
			assert_int_equal(mad[PORT_SELECT + 1], 0x12);
			assert_int_equal(mad[PORT_SELECT + 2], 0x34);
		}
	}
	madring_fabric_free(fabric);
}

static void test_asking_is_canceled_and_bounded(void **state)
{
	static const uint16_t attribute = MADRING_ATTR_PORT_COUNTERS;
	struct madring_fabric *fabric = load_fabric();
	unsigned int count = 0;
	struct madring_ask_ports_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
		.attributes = &attribute,
		.attribute_count = 1,
		.most = 1,
		.deadline_ms = 20,
		.done = on_outcome,
		.user = &count,
	};
	struct madring_questions *questions;
	struct madring_batch_state how;

	assert_int_equal(madring_ask_ports_start(world.subnet, fabric, &config, &questions), 0);
	assert_int_equal(madring_batch_run(madring_ask_ports_requests(questions)), 0);
	madring_batch_get_state(madring_ask_ports_requests(questions), &how);
	assert_true(how.deadline_reached);
	/* One was in flight, and the other was not asked. */
	assert_int_equal(count, 1);
	assert_int_equal(madring_ask_ports_end(questions), 0);
	assert_int_equal(madring_ask_ports_end(NULL), 0);

	config.deadline_ms = 0;
	assert_int_equal(madring_ask_ports_start(world.subnet, fabric, &config, &questions), 0);
	sa_world_pass(5);
	assert_int_equal(madring_batch_cancel(madring_ask_ports_requests(questions)), 1);
	assert_int_equal(madring_batch_run(madring_ask_ports_requests(questions)), 0);
	assert_int_equal(count, 2);
	assert_int_equal(madring_ask_ports_end(questions), 0);
	madring_fabric_free(fabric);
}

static void test_wrong_options_are_refused(void **state)
{
	static const uint16_t attribute = MADRING_ATTR_PORT_COUNTERS;
	const struct madring_ask_ports_config good = {
		.mgmt_class = MADRING_CLASS_PMA,
		.attributes = &attribute,
		.attribute_count = 1,
		.done = on_outcome,
	};
	struct madring_ask_ports_config bad[5] = { good, good, good, good, good };
	struct madring_fabric *fabric = load_fabric();
	struct madring_questions *questions;

	bad[0].mgmt_class = MADRING_CLASS_SA;
	bad[1].attribute_count = 0;
	bad[2].done = NULL;
	bad[3].mgmt_class = MADRING_CLASS_SMP;
	bad[3].all_ports = true;
	bad[4].deadline_ms = -1;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(madring_ask_ports_start(world.subnet, fabric, &bad[i], &questions),
				 -EINVAL);
	madring_fabric_free(fabric);
}

static const struct CMUnitTest tests[] = {
	AGENTS_TEST(test_gmps_have_the_pkey_index_of_the_subnet),
	AGENTS_TEST(test_smps_have_none),
	AGENTS_TEST(test_ports_are_asked_with_options),
	AGENTS_TEST(test_asking_is_canceled_and_bounded),
	AGENTS_TEST(test_wrong_options_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
