/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that chooses its TIDs does not make the simulator slow. */
#include "cmocka_all.h"

#include <string.h>
#include <endian.h>

#include "server/agent.h"
#include "server/mad.h"
#include "server/outstanding.h"

#define REQUESTS      4000
#define LONGEST_CHAIN 24 /* a longer chain comes once in 10^19 runs */
#define MGMT_CLASS    0x04

static size_t longest_chain(const struct outstanding_table *table)
{
	size_t longest = 0;

	for (size_t b = 0; b < table->bucket_count; b++) {
		size_t length = 0;

		for (const struct outstanding *entry = table->bucket[b]; entry;
		     entry = entry->hash_next)
			length++;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Returns TIDs that differ in a few of their upper bits, which a product's lower half lacks. */
static uint64_t tid_of(uint64_t number)
{
	return htobe64(number << 52);
}

static void test_tids_do_not_collide(void **state)
{
	struct outstanding_table table;
	struct agent agent = { 0 };
	struct fabric_packet packet = { 0 };

	assert_int_equal(outstanding_open(&table), 0);
	packet.mad[1] = MGMT_CLASS;
	for (uint64_t i = 0; i < REQUESTS; i++) {
		uint64_t tid = tid_of(i);

		memcpy(packet.mad + 8, &tid, sizeof(tid));
		assert_non_null(outstanding_add(&table, &agent, &packet));
	}
	assert_in_range(longest_chain(&table), 1, LONGEST_CHAIN);
	for (uint64_t i = 0; i < REQUESTS; i++)
		assert_non_null(outstanding_request(&table, tid_of(i), MGMT_CLASS));
	outstanding_close(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tids_do_not_collide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
