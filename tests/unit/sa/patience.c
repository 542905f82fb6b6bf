/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a request without an answer takes by default, for each class (src/api/agent.c). */
#include "unit/sa/sa_world.h"

#include <errno.h>

#define VENDOR_CLASS 0x0a
#define CLASS_CM     0x07
#define SILENT_LID   0x0066

/* Returns the virtual time in ms that a request of a class takes to a node that is silent. */
static uint64_t time_of_silence(uint8_t mgmt_class)
{
	struct madring_completion completion;
	struct madring_agent *agent;
	struct madring_mad *mad;
	uint64_t began;

	assert_int_equal(madring_subnet_agent(world.subnet, mgmt_class, &agent), 0);
	mad = madring_mad_alloc(agent);
	assert_non_null(mad);
	if (mgmt_class == MADRING_CLASS_SMP)
		madring_smp_prepare(mad, SILENT_LID, MADRING_GET, MADRING_ATTR_NODE_INFO, 0);
	else
		madring_gmp_prepare(mad, SILENT_LID, MADRING_GET, MADRING_ATTR_CLASS_PORT_INFO, 0);
	began = sa_world_ms();
	assert_int_equal(madring_call(agent, mad, NULL, &completion), 0);
	assert_int_equal(completion.status, -ETIMEDOUT);
	madring_mad_free(world.ring, completion.request);
	return sa_world_ms() - began;
}

static void test_nodes_have_a_second_or_two(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		unsigned int ms;
	} classes[] = {
		{ MADRING_CLASS_SMP, 900 }, { MADRING_CLASS_PMA, 900 }, { MADRING_CLASS_BM, 2000 },
		{ MADRING_CLASS_DM, 2000 }, { MADRING_CLASS_CC, 2000 }, { VENDOR_CLASS, 2000 },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		assert_in_range(time_of_silence(classes[i].mgmt_class), classes[i].ms,
				classes[i].ms + 50);
}

static void test_services_have_all_attempts(void **state)
{
	world.respond = NULL;
	assert_in_range(time_of_silence(CLASS_CM), 5000, 7000);
	assert_in_range(time_of_silence(MADRING_CLASS_SA), 9000, 60000);
}

static const struct CMUnitTest tests[] = {
	AGENTS_TEST(test_nodes_have_a_second_or_two),
	AGENTS_TEST(test_services_have_all_attempts),
};

TEST_MAIN(tests, NULL, NULL)
