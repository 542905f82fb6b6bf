/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents on the virtual HCA's QP0 and QP1, as ib_umad gives and refuses them. */
#include "cmocka_all.h"

#include <errno.h>

#include <infiniband/umad.h>

#include "program/sim/sim_client.h"
#include "program/sim/raw_agent.h"

#define MOST_AGENTS  32
#define VENDOR_CLASS 0x32
#define OUI	     0x001405

static int register_class(int fd, uint8_t mgmt_class, long methods)
{
	long mask[16 / sizeof(long)] = { methods };

	return umad_register(fd, mgmt_class, 1, 0, methods ? mask : NULL);
}

static void test_classes_of_both_queue_pairs(void **state)
{
	const uint8_t classes[] = { 0x01, 0x81, 0x03, 0x04 };
	uint8_t oui[3] = { OUI >> 16, (OUI >> 8) & 0xff, OUI & 0xff };
	int fd = client_open();

	for (unsigned int i = 0; i < sizeof(classes); i++)
		assert_true(register_class(fd, classes[i], 0) >= 0);
	assert_true(umad_register_oui(fd, VENDOR_CLASS, 0, oui, NULL) >= 0);
	umad_close_port(fd);
}

static void test_one_agent_too_many(void **state)
{
	struct raw_agent agent = { .qpn = 1, .mgmt_class = UMAD_CLASS_PERF_MGMT };
	int fd = client_open();

	for (int i = 0; i < MOST_AGENTS; i++)
		assert_int_equal(raw_register(fd, &agent), 0);
	assert_int_equal(raw_register(fd, &agent), ENOMEM);
	umad_close_port(fd);
}

static void test_a_class_that_is_taken(void **state)
{
	int fd = client_open(), other = client_open();

	assert_true(register_class(fd, UMAD_CLASS_SUBN_ADM, 1L << UMAD_METHOD_GET) >= 0);
	assert_true(register_class(other, UMAD_CLASS_SUBN_ADM, 1L << UMAD_METHOD_GET) < 0);
	assert_true(register_class(other, UMAD_CLASS_SUBN_ADM, 0) >= 0);
	umad_close_port(fd);
	umad_close_port(other);
}

static void test_unknown_flags_are_refused(void **state)
{
	struct raw_agent agent = { .qpn = 1, .mgmt_class = UMAD_CLASS_PERF_MGMT, .flags = 2 };
	int fd = client_open();

	assert_int_equal(raw_register2(fd, &agent), EINVAL);
	assert_int_equal(agent.flags, 1);
	umad_close_port(fd);
}

static void test_the_local_node_answers(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	client_send(fd, agent, 1, HERE, PATIENCE_MS);
	client_expect_reply(fd, 1);
	umad_close_port(fd);
}

/* The request goes to a port of the switch that has no cable. */
static void test_unanswered_request_ends_in_a_notice(void **state)
{
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	client_send(fd, agent, 2, 200, SHORT_MS);
	client_expect_notice(fd, 2);
	client_send(fd, agent, 3, PORT_TO_HOST2, PATIENCE_MS);
	client_expect_reply(fd, 3);
	umad_close_port(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_classes_of_both_queue_pairs),
	cmocka_unit_test(test_one_agent_too_many),
	cmocka_unit_test(test_a_class_that_is_taken),
	cmocka_unit_test(test_unknown_flags_are_refused),
	cmocka_unit_test(test_the_local_node_answers),
	cmocka_unit_test(test_unanswered_request_ends_in_a_notice),
};

TEST_MAIN(tests, NULL, NULL)
