/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking all ports of a fabric for an attribute (src/fabric/ask_ports.c). */
#include "unit/sa/sa_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static struct madring_fabric *load_fabric(const char *json)
{
	char path[] = "/tmp/madring-ask-ports-XXXXXX";
	struct madring_fabric *fabric;
	char text[MADRING_LOAD_TEXT_BYTES];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), strlen(json));
	close(fd);
	assert_int_equal(madring_fabric_load(path, &fabric, text), 0);
	unlink(path);
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
	struct madring_fabric *fabric = load_fabric(two_hosts);
	unsigned int count = 0, attempts = 0;

	world.log_count = 0;
	assert_int_equal(madring_ask_ports(world.subnet, fabric, mgmt_class,
					   MADRING_PORT_COUNTERS_EXTENDED, on_outcome, &count),
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
	(void)state;
	check_requests(MADRING_CLASS_PMA, PKEY_INDEX);
}

static void test_smps_have_none(void **state)
{
	(void)state;
	check_requests(MADRING_CLASS_SMP, 0);
}

static int open_world(void **state)
{
	const struct madring_sa_config defaults = { 0 };

	(void)state;
	sa_world_open(&defaults);
	return 0;
}

/* The subnet keeps the agent of a class. */
static int close_world(void **state)
{
	(void)state;
	assert_int_equal(madring_sa_close(world.sa), 0);
	assert_int_equal(madring_subnet_close(world.subnet), 0);
	fake_reset(0, 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_gmps_have_the_pkey_index_of_the_subnet,
						open_world, close_world),
		cmocka_unit_test_setup_teardown(test_smps_have_none, open_world, close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
