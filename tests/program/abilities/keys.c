/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * M_Keys, and the IsSM capability: a port that is protected shows itself to those who have its key,
 * and to no others; and it is a subnet manager's while a process has its issm device open.
 */
#include "abilities_local.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define KEY	   0x1122334455667788
#define OTHER_KEY  0x1122334455667789
#define FAR_PORT   3  /* of the switch: host2 is there */
#define CAPABILITY 20 /* offsets in a PortInfo (IBA 14.2.5.6) */
#define STATES	   32
#define PROTECTION 34
#define IS_SM	   0x2
#define NO_READING 0x80 /* without the key */

static struct local local;
static struct madring_agent *agent;

static int setup(void **state)
{
	local_open(&local);
	agent = local_agent(&local, CLASS_DIRECTED);
	return 0;
}

static int teardown(void **state)
{
	local_close(&local);
	return 0;
}

/* Prepares a MAD for the PortInfo of the far host. */
static struct madring_mad *port_info(uint8_t method, uint64_t key)
{
	const uint8_t path[] = { 0, 1, FAR_PORT };
	struct madring_mad *mad = local_mad(agent);

	assert_int_equal(madring_smp_dr_prepare(mad, path, 2, method, PORT_INFO, 1), 0);
	madring_smp_set_mkey(mad, key);
	return mad;
}

static void get(uint64_t key, uint8_t info[MADRING_SMP_DATA_BYTES])
{
	local_ask(&local, agent, port_info(MADRING_GET, key), MADRING_SMP_DATA, info,
		  MADRING_SMP_DATA_BYTES);
}

/* Sets its key, by the one that it has. */
static void set(uint64_t old_key, uint64_t key, uint8_t protection)
{
	struct madring_mad *mad = port_info(MADRING_SET, old_key);
	uint8_t *info = (uint8_t *)madring_mad_data(mad) + MADRING_SMP_DATA;
	uint8_t now[MADRING_SMP_DATA_BYTES];
	uint64_t wire = htobe64(key);

	get(old_key, info);
	memcpy(info, &wire, sizeof(wire));
	/* The states stay as they are. */
	info[STATES] &= 0xf0;
	info[STATES + 1] = 0;
	info[PROTECTION] = (uint8_t)((info[PROTECTION] & 0x3f) | protection);
	local_ask(&local, agent, mad, MADRING_SMP_DATA, now, sizeof(now));
}

static void test_mkey_protects_port_info(void **state)
{
	uint8_t info[MADRING_SMP_DATA_BYTES];
	uint64_t wire = htobe64(KEY);

	set(0, KEY, NO_READING);
	get(KEY, info);
	assert_memory_equal(info, &wire, sizeof(wire));
	local_ask_in_vain(&local, agent, port_info(MADRING_GET, 0), -ETIMEDOUT);
	local_ask_in_vain(&local, agent, port_info(MADRING_GET, OTHER_KEY), -ETIMEDOUT);
	set(KEY, 0, 0);
	get(0, info);
}

static bool is_sm(void)
{
	uint8_t info[MADRING_SMP_DATA_BYTES];
	struct madring_mad *mad = local_mad(agent);
	uint32_t capability;

	assert_int_equal(madring_smp_dr_prepare(mad, NULL, 0, MADRING_GET, PORT_INFO, 1), 0);
	local_ask(&local, agent, mad, MADRING_SMP_DATA, info, sizeof(info));
	memcpy(&capability, info + CAPABILITY, sizeof(capability));
	return be32toh(capability) & IS_SM;
}

/* Waits until the fabric shows the IsSM bit as expected: it learns of a change a moment later. */
static void expect_sm(bool expected)
{
	for (unsigned int i = 0; i < 1000 && is_sm() != expected; i++)
		usleep(10000);
	assert_int_equal(is_sm(), expected);
}

static void test_the_issm_device(void **state)
{
	char path[64];
	int fd;

	assert_int_equal(madring_ca_issm_path(NULL, 0, path, sizeof(path)), 0);
	expect_sm(false);
	fd = open(path, O_RDWR | O_NONBLOCK);
	assert_true(fd >= 0);
	expect_sm(true);
	close(fd);
	expect_sm(false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_mkey_protects_port_info),
	cmocka_unit_test(test_the_issm_device),
};

TEST_MAIN(tests, setup, teardown)
