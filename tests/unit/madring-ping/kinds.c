/* SPDX-License-Identifier: BSD-2-Clause */
/* Each kind's request as it is on the wire, and the replies that it takes. */
#include <string.h>

#include "cmocka_all.h"

#include <madring.h>

#include "madring-ping/kind.h"
#include "madring-ping/target.h"

#define QKEY 0x80010000u

static union {
	struct ib_user_mad umad;
	uint8_t bytes[sizeof(struct ib_user_mad) + MADRING_MAD_BYTES];
} buffer;

static struct madring_mad *const mad = (struct madring_mad *)&buffer;

/* Prepares a request in a buffer such as an agent of the kind returns. */
static const uint8_t *prepare(enum kind kind, const struct target *target)
{
	memset(&buffer, 0xa5, sizeof(buffer));
	madring_mad_header(mad)->base_version = 1;
	madring_mad_header(mad)->mgmt_class = kind_class(kind, target->by_route);
	madring_mad_header(mad)->class_version = kind_class_version(kind);
	kind_prepare(kind, mad, target, 0x123456, 3);
	return madring_mad_data(mad);
}

static void expect_header(const uint8_t *bytes, uint8_t mgmt_class, uint8_t version,
			  uint16_t attribute)
{
	assert_int_equal(bytes[0], 1);
	assert_int_equal(bytes[1], mgmt_class);
	assert_int_equal(bytes[2], version);
	assert_int_equal(bytes[3], MADRING_GET);
	assert_int_equal(bytes[16] << 8 | bytes[17], attribute);
}

static void expect_address(uint16_t lid, uint32_t qpn, uint32_t qkey, uint8_t sl)
{
	assert_int_equal(be16toh(buffer.umad.addr.lid), lid);
	assert_int_equal(be32toh(buffer.umad.addr.qpn), qpn);
	assert_int_equal(be32toh(buffer.umad.addr.qkey), qkey);
	assert_int_equal(buffer.umad.addr.sl, sl);
}

static void test_smp(void **state)
{
	struct target target = { .lid = 0x1234, .sl = 5, .global = true };

	expect_header(prepare(KIND_SMP, &target), 0x01, 1, 0x0011);
	/* SMPs have neither SL nor GRH. */
	expect_address(0x1234, 0, 0, 0);
	assert_false(buffer.umad.addr.grh_present);
	target = (struct target){ .by_route = true, .route = { .hops = 2, .port = { 0, 7, 9 } } };
	expect_header(prepare(KIND_SMP, &target), 0x81, 1, 0x0011);
	expect_address(0xffff, 0, 0, 0);
	assert_int_equal(((uint8_t *)madring_mad_data(mad))[7], 2);
}

static void test_gmps(void **state)
{
	struct target target = { .lid = 0x1234, .sl = 5 };

	expect_header(prepare(KIND_PMA, &target), 0x04, 1, 0x0001);
	expect_address(0x1234, 1, QKEY, 5);
	expect_header(prepare(KIND_SA, &target), 0x03, 2, 0x0001);
	expect_address(0x1234, 1, QKEY, 5);
	assert_false(buffer.umad.addr.grh_present);
}

static void test_ibping(void **state)
{
	const struct target target = { .lid = 2 };
	const uint8_t *bytes = prepare(KIND_IBPING, &target);

	expect_header(bytes, 0x32, 1, 0);
	expect_address(2, 1, QKEY, 0);
	assert_int_equal(bytes[37], 0x12);
	assert_int_equal(bytes[38], 0x34);
	assert_int_equal(bytes[39], 0x56);
	for (unsigned int i = IBPING_DATA; i < MADRING_MAD_BYTES; i++)
		assert_int_equal(bytes[i], 0);
}

static void test_grh(void **state)
{
	const struct target target = {
		.lid = 2, .global = true, .gid = { 0xfe, 0x80, [15] = 9 }, .hop_limit = 64
	};

	prepare(KIND_PMA, &target);
	assert_true(buffer.umad.addr.grh_present);
	assert_memory_equal(buffer.umad.addr.gid, target.gid, sizeof(target.gid));
	assert_int_equal(buffer.umad.addr.hop_limit, 64);
	assert_int_equal(buffer.umad.addr.gid_index, 3);
}

static void expect_replies(enum kind kind, bool by_route)
{
	const struct target target = { .lid = 1, .by_route = by_route };
	struct madring_mad_hdr *header = madring_mad_header(mad);

	prepare(kind, &target);
	header->method = MADRING_GET_RESP;
	assert_null(kind_check(kind, mad, MADRING_MAD_BYTES, by_route));
	for (size_t length = 0; length < MADRING_MAD_BYTES; length++)
		assert_non_null(kind_check(kind, mad, length, by_route));
	header->method = MADRING_GET;
	assert_non_null(kind_check(kind, mad, MADRING_MAD_BYTES, by_route));
	header->method = MADRING_GET_RESP;
	header->attr_id ^= htobe16(0x100);
	assert_non_null(kind_check(kind, mad, MADRING_MAD_BYTES, by_route));
	header->attr_id ^= htobe16(0x100);
	header->mgmt_class ^= 0x80;
	assert_non_null(kind_check(kind, mad, MADRING_MAD_BYTES, by_route));
}

static void test_replies(void **state)
{
	expect_replies(KIND_SMP, false);
	expect_replies(KIND_SMP, true);
	expect_replies(KIND_PMA, false);
	expect_replies(KIND_SA, false);
	expect_replies(KIND_IBPING, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_smp), cmocka_unit_test(test_gmps),    cmocka_unit_test(test_ibping),
	cmocka_unit_test(test_grh), cmocka_unit_test(test_replies),
};

TEST_MAIN(tests, NULL, NULL)
