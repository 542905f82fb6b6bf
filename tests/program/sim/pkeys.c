/* SPDX-License-Identifier: BSD-2-Clause */
/* The P_Key table, as libibumad reads it, after a manager has set it. Runs under madring-sim. */
#include "cmocka_all.h"

#include <string.h>
#include <unistd.h>

#include "sim_client.h"

#define PKEY_TABLE   0x0016
#define DEFAULT_PKEY 0xffff
#define TABLE_SIZE   64
#define BLOCK	     32

/* Requires these P_Keys of libibumad, which gives them in network order. */
static void expect_pkeys(const uint16_t *first_block, const uint16_t *second_block)
{
	umad_port_t port;
	unsigned int i;

	assert_int_equal(umad_get_port(NULL, 1, &port), 0);
	assert_int_equal(port.pkeys_size, TABLE_SIZE);
	for (i = 0; i < BLOCK; i++) {
		assert_int_equal(port.pkeys[i], first_block[i]);
		assert_int_equal(port.pkeys[BLOCK + i], second_block[i]);
	}
	assert_int_equal(umad_release_port(&port), 0);
}

static void set_block(int fd, uint32_t agent, uint32_t block, const uint16_t *pkeys)
{
	struct message message = client_request(agent, block + 1, HERE, PATIENCE_MS);
	unsigned int i;

	message.smp.method = UMAD_METHOD_SET;
	message.smp.attr_id = htobe16(PKEY_TABLE);
	message.smp.attr_mod = htobe32(block);
	for (i = 0; i < BLOCK; i++) {
		message.smp.data[2 * i] = (uint8_t)(pkeys[i] >> 8);
		message.smp.data[2 * i + 1] = (uint8_t)pkeys[i];
	}
	client_write(fd, &message);
	client_expect_reply(fd, block + 1);
}

static void what_a_manager_sets(void **state)
{
	const uint16_t none[BLOCK] = { 0 }, as_it_came[BLOCK] = { DEFAULT_PKEY };
	const uint16_t first[BLOCK] = { DEFAULT_PKEY, 0x8001, [31] = 0x0002 };
	const uint16_t second[BLOCK] = { [5] = 0x8003 };
	int fd = client_open();
	uint32_t agent = client_agent(fd);

	expect_pkeys(as_it_came, none);
	set_block(fd, agent, 0, first);
	expect_pkeys(first, none);
	set_block(fd, agent, 1, second);
	expect_pkeys(first, second);
	set_block(fd, agent, 0, as_it_came);
	set_block(fd, agent, 1, none);
	expect_pkeys(as_it_came, none);
	umad_close_port(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_a_manager_sets),
};

TEST_MAIN(tests, NULL, NULL)
