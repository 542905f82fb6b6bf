/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 2 KiB MAD to a port of an InfiniBand device, which has none but of 256 bytes (Omni-Path has
 * the others): the driver refuses to send it, the simulated one loses it. What is in flight beside
 * it does not suffer.
 */
#include "abilities_local.h"

#include <errno.h>

static void on_small(const struct madring_completion *completion)
{
	unsigned int *answered = completion->user;

	assert_int_equal(completion->status, 0);
	(*answered)++;
}

static void test_large_mad_to_a_small_port_fails(void **state)
{
	static const uint8_t path[] = { 0, 1 };
	const struct madring_config config = { .transactions = 64,
					       .reads = 64,
					       .large_buffers = 4 };
	unsigned int answered = 0;
	const struct madring_send_options send = { .callback = on_small, .user = &answered };
	struct madring_agent *smi, *perf;
	struct madring_mad *mad;
	struct local local;

	assert_int_equal(madring_open(&local.ring, &config), 0);
	assert_int_equal(madring_port_open(local.ring, NULL, 0, NULL, &local.port), 0);
	smi = local_agent(&local, CLASS_DIRECTED);
	perf = local_agent(&local, CLASS_PERF);
	for (unsigned int i = 0; i < 10; i++) {
		mad = local_mad(smi);
		assert_int_equal(madring_smp_dr_prepare(mad, path, 1, MADRING_GET, NODE_INFO, 0),
				 0);
		assert_int_equal(madring_send(smi, mad, &send), 0);
	}
	mad = madring_mad_alloc_large(perf);
	assert_non_null(mad);
	madring_gmp_prepare(mad, 1, MADRING_GET, 0x12, 0);
	local_ask_in_vain(&local, perf, mad, local_has_driver() ? -EINVAL : -ETIMEDOUT);
	while (madring_outstanding(local.ring))
		assert_true(madring_run(local.ring, -1) >= 0);
	assert_int_equal(answered, 10);
	local_close(&local);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_large_mad_to_a_small_port_fails),
};

TEST_MAIN(tests, NULL, NULL)
