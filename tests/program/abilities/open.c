/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening and closing ports of the one device, which has two: by name and number, by either, by
 * neither, as libibumad opens them; and what cannot be opened.
 */
#include "abilities_local.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct madring *ring;
static char device[1][MADRING_CA_NAME_BYTES];

static int find_device(void **state)
{
	assert_int_equal(madring_ca_names(device, 1), 1);
	return 0;
}

static int open_ring(void **state)
{
	const struct madring_config config = { .transactions = 64, .reads = 64 };

	assert_int_equal(madring_open(&ring, &config), 0);
	return 0;
}

static int close_ring(void **state)
{
	assert_int_equal(madring_close(ring), 0);
	return 0;
}

/* Requires that the port of the local node that asks is the one that was opened. */
static void expect_port(struct madring_port *port, const char *ca_name, int number)
{
	struct local local = { .ring = ring, .port = port };
	struct madring_agent *agent = local_agent(&local, CLASS_DIRECTED);
	uint8_t info[MADRING_SMP_DATA_BYTES];
	struct madring_mad *mad = local_mad(agent);

	assert_string_equal(madring_port_ca_name(port), ca_name);
	assert_int_equal(madring_port_number(port), number);
	assert_int_equal(madring_smp_dr_prepare(mad, NULL, 0, MADRING_GET, NODE_INFO, 0), 0);
	local_ask(&local, agent, mad, MADRING_SMP_DATA, info, sizeof(info));
	assert_int_equal(info[36], number); /* LocalPortNum */
}

static void test_by_name_and_number(void **state)
{
	const struct {
		const char *ca_name;
		int portnum, number;
	} cases[] = {
		{ *device, 1, 1 }, { *device, 2, 2 }, { *device, 0, 1 },
		{ NULL, 2, 2 },	   { NULL, 1, 1 },    { NULL, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct madring_port *port;
		umad_port_t umad = { 0 };

		assert_int_equal(
			madring_port_open(ring, cases[i].ca_name, cases[i].portnum, NULL, &port),
			0);
		expect_port(port, *device, cases[i].number);
		/* libibumad finds the same port. */
		assert_int_equal(umad_get_port(cases[i].ca_name, cases[i].portnum, &umad), 0);
		assert_int_equal(umad.portnum, cases[i].number);
		umad_release_port(&umad);
		assert_int_equal(madring_port_close(port), 0);
	}
	assert_int_equal(madring_port_close(NULL), 0);
}

static void test_missing_ports_are_not_opened(void **state)
{
	struct madring_port *port = NULL;

	assert_int_equal(madring_port_open(ring, "mlx5_0", 1, NULL, &port), -ENODEV);
	assert_int_equal(madring_port_open(ring, *device, 3, NULL, &port), -ENXIO);
	assert_int_equal(madring_port_open(ring, NULL, 3, NULL, &port), -ENXIO);
	assert_int_equal(madring_port_open(ring, *device, -1, NULL, &port), -EINVAL);
	assert_int_equal(madring_port_open(ring, "a_name_that_is_too_long", 1, NULL, &port),
			 -EINVAL);
	assert_null(port);
	if (local_has_driver())
		return;
	/* The program is on a machine that has no device at all. */
	setenv("SIM_HOST", "nobody", 1);
	assert_int_equal(madring_port_open(ring, NULL, 0, NULL, &port), -ENODEV);
	unsetenv("SIM_HOST");
	assert_null(port);
}

static void test_port_may_be_opened_often(void **state)
{
	struct madring_port *ports[4];

	for (unsigned int turn = 0; turn < 3; turn++) {
		for (unsigned int i = 0; i < 4; i++)
			assert_int_equal(
				madring_port_open(ring, NULL, (int)(i % 2) + 1,
						  &(struct madring_port_config){ .lanes = 2 },
						  &ports[i]),
				0);
		for (unsigned int i = 0; i < 4; i++)
			expect_port(ports[i], *device, (int)(i % 2) + 1);
		for (unsigned int i = 0; i < 4; i++)
			assert_int_equal(madring_port_close(ports[i]), 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_by_name_and_number, open_ring, close_ring),
	cmocka_unit_test_setup_teardown(test_missing_ports_are_not_opened, open_ring, close_ring),
	cmocka_unit_test_setup_teardown(test_port_may_be_opened_often, open_ring, close_ring),
};

TEST_MAIN(tests, find_device, NULL)
