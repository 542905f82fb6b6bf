/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that /dev/vhca must refuse, and what it does with those around them. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fabric/vhca_hca.h"

#define PAGE 4096

static struct vhca_create good_create(void)
{
	return (struct vhca_create){
		.head = hca_head(VHCA_CREATE, sizeof(struct vhca_create), 0),
		.version = VHCA_ABI_VERSION,
		.ports = 1,
		.node_guid = 1,
	};
}

static struct vhca_port_record good_port(void)
{
	return (struct vhca_port_record){
		.head = hca_head(VHCA_PORT, sizeof(struct vhca_port_record), 1),
		.lid = 5,
		.speed = 1,
		.width = 2,
		.state = 4,
		.phys_state = 5,
	};
}

static struct vhca_mad good_mad(void)
{
	return (struct vhca_mad){
		.head = hca_head(VHCA_MAD, sizeof(struct vhca_mad), 1),
		.dqp = 1,
		.qkey = 0x80010000,
	};
}

static int open_device(void)
{
	int fd = open(HCA_DEVICE, O_RDWR | O_NONBLOCK);

	assert_true(fd >= 0);
	return fd;
}

static int open_hca(void)
{
	struct vhca_create create = good_create();
	int fd = open_device();

	assert_int_equal(write(fd, &create, sizeof(create)), sizeof(create));
	return fd;
}

static void expect_refused(int fd, const void *record, size_t length, int error)
{
	assert_int_equal(write(fd, record, length), -1);
	assert_int_equal(errno, error);
}

static void test_records_before_the_hca_exists(void **state)
{
	struct vhca_port_record port = good_port();
	struct vhca_mad mad = good_mad();
	int fd = open_device();
	uint8_t buffer[PAGE];

	expect_refused(fd, &port, sizeof(port), ENOTCONN);
	expect_refused(fd, &mad, sizeof(mad), ENOTCONN);
	assert_int_equal(read(fd, buffer, sizeof(buffer)), -1);
	assert_int_equal(errno, ENOTCONN);
	assert_int_equal(write(fd, buffer, 0), 0);
	close(fd);
}

static void test_creation(void **state)
{
	struct vhca_create create = good_create();
	int fd = open_device();

	create.version++;
	expect_refused(fd, &create, sizeof(create), EPROTO);
	create = good_create();
	create.ports = 0;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create.ports = VHCA_MAX_PORTS + 1;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create = good_create();
	create.planes = 1;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create.planes = VHCA_MAX_PLANES + 1;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create.planes = 2;
	create.ports = 2;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create = good_create();
	create.reserved[1] = 1;
	expect_refused(fd, &create, sizeof(create), EINVAL);
	create = good_create();
	assert_int_equal(write(fd, &create, sizeof(create)), sizeof(create));
	expect_refused(fd, &create, sizeof(create), EEXIST);
	close(fd);
}

static void test_lengths_and_types(void **state)
{
	struct vhca_mad mad = good_mad();
	int fd = open_hca();
	const uint32_t lengths[] = { 0, 1, 7, 8, sizeof(mad) - 1, sizeof(mad) + 8, UINT32_MAX };

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		mad.head.length = lengths[i];
		expect_refused(fd, &mad, sizeof(mad), EINVAL);
	}
	mad = good_mad();
	for (size_t length = 1; length < sizeof(mad); length++)
		expect_refused(fd, &mad, length, EINVAL);
	for (unsigned int type = 0; type <= UINT16_MAX; type++) {
		mad.head.type = (uint16_t)type;
		if (type != VHCA_MAD)
			expect_refused(fd, &mad, sizeof(mad), EINVAL);
	}
	mad = good_mad();
	mad.head.reserved = 1;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	close(fd);
}

static void test_fields_of_a_mad(void **state)
{
	int fd = open_hca();
	struct vhca_mad mad;

	mad = good_mad();
	mad.head.port = 0;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad.head.port = 2;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad = good_mad();
	mad.dqp = 2;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad = good_mad();
	mad.sqp = 1u << 24;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad = good_mad();
	mad.pkey_index = VHCA_PKEYS;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad = good_mad();
	mad.sl = 16;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	mad = good_mad();
	mad.flags = 2;
	expect_refused(fd, &mad, sizeof(mad), EINVAL);
	close(fd);
}

static void test_fields_of_a_port(void **state)
{
	int fd = open_hca();
	struct vhca_port_record port;

	port = good_port();
	assert_int_equal(write(fd, &port, sizeof(port)), sizeof(port));
	port.head.port = 2;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.state = 0;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port.state = 5;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.phys_state = 8;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.width = 3;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.speed = 512;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.lmc = 8;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.lid = 0xc000;
	expect_refused(fd, &port, sizeof(port), EINVAL);
	port = good_port();
	port.lmc = 1; /* and the LID is odd */
	expect_refused(fd, &port, sizeof(port), EINVAL);
	close(fd);
}

static void test_answers_to_nothing(void **state)
{
	struct vhca_answer answer = {
		.head = hca_head(VHCA_ANSWER, sizeof(answer), 0),
		.id = 12345,
		.result = VHCA_REPLY,
	};
	int fd = open_hca();

	assert_int_equal(write(fd, &answer, sizeof(answer)), sizeof(answer));
	answer.result = VHCA_PASS + 1;
	expect_refused(fd, &answer, sizeof(answer), EINVAL);
	close(fd);
}

/* The records before a bad one are taken, the others not; a bad one that comes first fails. */
static void test_a_bad_record_among_good_ones(void **state)
{
	struct vhca_port_record ports[3];
	int fd = open_hca();

	for (unsigned int i = 0; i < 3; i++)
		ports[i] = good_port();
	ports[1].state = 0;
	assert_int_equal(write(fd, ports, sizeof(ports)), sizeof(*ports));
	expect_refused(fd, ports + 1, 2 * sizeof(*ports), EINVAL);
	assert_int_equal(write(fd, ports + 2, sizeof(*ports)), sizeof(*ports));
	close(fd);
}

/* A record ends outside the process' memory, and reads go to where there is none. */
static void test_bad_addresses(void **state)
{
	uint8_t *page =
		mmap(NULL, PAGE * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vhca_mad mad = good_mad();
	int fd = open_hca();

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(munmap(page + PAGE, PAGE), 0);
	memcpy(page + PAGE - 100, &mad, 100);
	expect_refused(fd, page + PAGE - 100, sizeof(mad), EFAULT);
	expect_refused(fd, page + PAGE, sizeof(mad), EFAULT);
	assert_int_equal(read(fd, page + PAGE, PAGE), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(read(fd, page, sizeof(mad) - 1), -1);
	assert_int_equal(errno, EINVAL);
	/* The greeting is not lost by that. */
	assert_int_equal(read(fd, page, PAGE), sizeof(struct vhca_created));
	assert_int_equal(read(fd, page, PAGE), -1);
	assert_int_equal(errno, EAGAIN);
	munmap(page, PAGE);
	close(fd);
}

/* A random record is refused or taken; nothing breaks by it. */
static void test_chance(void **state)
{
	uint8_t record[sizeof(struct vhca_mad)];
	int fd = open_hca();

	srandom(1);
	for (unsigned int i = 0; i < 50000; i++) {
		static const uint16_t types[] = { VHCA_PORT, VHCA_ANSWER, VHCA_MAD };
		static const size_t lengths[] = { sizeof(struct vhca_port_record),
						  sizeof(struct vhca_answer),
						  sizeof(struct vhca_mad) };
		unsigned int kind = (unsigned int)random() % 3;
		struct vhca_record head = hca_head(types[kind], lengths[kind], 1);

		for (size_t byte = 0; byte < sizeof(record); byte++)
			record[byte] = random() % 4 ? 0 : (uint8_t)random();
		memcpy(record, &head, sizeof(head));
		if (write(fd, record, lengths[kind]) < 0)
			assert_true(errno == EINVAL || errno == EAGAIN);
	}
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_records_before_the_hca_exists),
	cmocka_unit_test(test_creation),
	cmocka_unit_test(test_lengths_and_types),
	cmocka_unit_test(test_fields_of_a_mad),
	cmocka_unit_test(test_fields_of_a_port),
	cmocka_unit_test(test_answers_to_nothing),
	cmocka_unit_test(test_a_bad_record_among_good_ones),
	cmocka_unit_test(test_bad_addresses),
	cmocka_unit_test(test_chance),
};

TEST_MAIN(tests, NULL, NULL)
