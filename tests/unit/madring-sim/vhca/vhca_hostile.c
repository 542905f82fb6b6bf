/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices that are none, that send what no vhca sends, or that go away. The argument is a netlist.
 */
#include <errno.h>
#include <unistd.h>

#include "vhca_kernel.h"

static void expect_refusal(struct kernel *kernel, int ret, int error, const char *text)
{
	assert_int_equal(ret, error);
	assert_non_null(strstr(kernel->why, text));
}

static void test_no_greeting(void **state)
{
	expect_refusal(*state, kernel_add_greeting(*state, 0, "host1", 0, NULL, 0), -EBADMSG,
		       "does not answer");
}

static void test_wrong_greeting(void **state)
{
	struct vhca_created created = { .head = kernel_head(VHCA_CREATED, sizeof(created), 0) };
	struct kernel *kernel = *state;

	expect_refusal(kernel,
		       kernel_add_greeting(kernel, 0, "host1", 0, &created, sizeof(created) - 1),
		       -EBADMSG, "does not answer");
	close(kernel->end[0].fd);
	memset(created.name, 'v', sizeof(created.name));
	expect_refusal(kernel,
		       kernel_add_greeting(kernel, 0, "host1", 0, &created, sizeof(created)),
		       -EBADMSG, "does not answer");
	close(kernel->end[0].fd);
	created.head.type = VHCA_NODE_DESC;
	expect_refusal(kernel,
		       kernel_add_greeting(kernel, 0, "host1", 0, &created, sizeof(created)),
		       -EBADMSG, "does not answer");
}

/* Bytes that come behind the greeting in one read count, too. */
static void test_greeting_with_more(void **state)
{
	struct {
		struct vhca_created created;
		struct vhca_port_caps caps;
	} greeting = {
		.created = { .head = kernel_head(VHCA_CREATED, sizeof(greeting.created), 0),
			     .name = "vhca7" },
		.caps = { .head = kernel_head(VHCA_PORT_CAPS, sizeof(greeting.caps), 1),
			  .capability_mask = MASTER_BIT },
	};
	struct kernel *kernel = *state;

	assert_int_equal(kernel_add_greeting(kernel, 0, "host1", 0, &greeting, sizeof(greeting)),
			 0);
	kernel_read(kernel, 0, VHCA_CREATE);
	assert_true(kernel_read(kernel, 0, VHCA_PORT).port.capability_mask & MASTER_BIT);
}

static void test_records_without_an_hca(void **state)
{
	struct kernel *kernel = *state;

	expect_refusal(kernel, kernel_add(kernel, 0, "switch1", 0), -EINVAL, "switch");
	close(kernel->end[0].fd);
	expect_refusal(kernel, kernel_add(kernel, 0, "host2", 2), -EINVAL, "port");
}

/* Checks that the loop ends with this error when the kernel has written these bytes. */
static void expect_end(void **state, const void *bytes, size_t length, int error)
{
	struct kernel *kernel = *state;

	kernel_start(kernel);
	kernel_write(kernel, 0, bytes, length);
	assert_int_equal(kernel_wait(kernel), error);
	kernel_close(state);
	kernel_open(state);
}

static void test_malformed(void **state)
{
	struct vhca_mad two[2] = {
		{ .head = kernel_head(VHCA_MAD, sizeof(two[0]), 1) },
		{ .head = kernel_head(VHCA_MAD, sizeof(two[0]), 1) },
	};
	struct vhca_mad bad = two[0];

	for (size_t length = 1; length < sizeof(bad); length += 37)
		expect_end(state, two, length, -EBADMSG);
	expect_end(state, two, sizeof(two) - 1, -EBADMSG);
	expect_end(state, two, sizeof(two[0]) + 3, -EBADMSG);
	bad.head.length = 0;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
	bad.head.length = sizeof(bad) + 1;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
	bad.head.length = UINT32_MAX;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
	bad = two[0];
	bad.head.port = 0;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
	bad.head.port = 3;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
	bad.head.port = 255;
	expect_end(state, &bad, sizeof(bad), -EBADMSG);
}

static void test_types_that_are_not_read(void **state)
{
	struct vhca_created created = { .head = kernel_head(VHCA_CREATED, sizeof(created), 0),
					.name = "vhca0" };
	struct vhca_answer answer = { .head = kernel_head(VHCA_ANSWER, sizeof(answer), 0) };
	struct vhca_node_desc desc = { .head = kernel_head(VHCA_NODE_DESC, sizeof(desc), 1) };
	struct vhca_upcall_record upcall = { .head = kernel_head(VHCA_UPCALL, sizeof(upcall), 0) };

	expect_end(state, &created, sizeof(created), -EBADMSG);
	expect_end(state, &answer, sizeof(answer), -EBADMSG);
	expect_end(state, &desc, sizeof(desc), -EBADMSG);
	expect_end(state, &upcall, sizeof(upcall), -EBADMSG);
	answer.head.type = UINT16_MAX;
	expect_end(state, &answer, sizeof(answer), -EBADMSG);
}

/* MADs that mean nothing are lost in the fabric, and nothing else happens. */
static void test_wild_mads(void **state)
{
	static const uint8_t path = 1;
	struct vhca_mad mad = { .head = kernel_head(VHCA_MAD, sizeof(mad), 1) };
	struct umad_smp smp = kernel_get(0x11, 1, &path);
	struct kernel *kernel = *state;
	uint32_t random = 1;

	kernel_start(kernel);
	for (unsigned int i = 0; i < 2000; i++) {
		for (size_t at = sizeof(mad.head); at < sizeof(mad); at++) {
			random = random * 1664525 + 1013904223;
			((uint8_t *)&mad)[at] = (uint8_t)(random >> 24);
		}
		/* Half of them go where an SMP goes. */
		if (i % 2) {
			mad.dlid = PERMISSIVE;
			mad.sqp = 0;
			mad.dqp = 0;
			memcpy(mad.mad, &smp, 4);
		}
		kernel_write(kernel, 0, &mad, sizeof(mad));
	}
	smp.tid = htobe64(0xaffe);
	kernel_send_smp(kernel, 0, 1, &smp);
	while (kernel_smp(kernel_find(kernel, 0, VHCA_MAD).mad.mad).tid != smp.tid)
		;
}

static void test_gone(void **state)
{
	struct kernel *kernel = *state;

	kernel_start(kernel);
	close(kernel->end[0].fd);
	kernel->end[0].fd = -1;
	assert_int_equal(kernel_wait(kernel), -ENODEV);
}

static void test_not_a_device(void **state)
{
	const struct attachment place = {
		.node = topology_find(((struct kernel *)*state)->topology, "host1"),
	};
	struct kernel *kernel = *state;

	assert_int_equal(
		vhca_add(kernel->face, "/dev/null", &place, kernel->why, sizeof(kernel->why)),
		-ENOTTY);
	assert_string_equal(kernel->why, "/dev/null: not the device of the module vhca");
	assert_int_equal(
		vhca_add(kernel->face, "/nowhere/vhca", &place, kernel->why, sizeof(kernel->why)),
		-ENOENT);
	assert_non_null(strstr(kernel->why, "is the module vhca loaded?"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, kernel_open, kernel_close)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(no_greeting),	  TEST(wrong_greeting),
		TEST(greeting_with_more), TEST(records_without_an_hca),
		TEST(malformed),	  TEST(types_that_are_not_read),
		TEST(wild_mads),	  TEST(gone),
		TEST(not_a_device),
	};

	if (argc != 2)
		return 2;
	kernel_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
