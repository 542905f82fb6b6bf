/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses and prepared MADs: what is written to the device, byte by byte. */
#include "library_fixture.h"

#include <errno.h>
#include <string.h>

#include <infiniband/umad_sa.h>
#include <infiniband/umad_sm.h>

static const uint8_t gid[16] = { 0xfe, 0x80, [8] = 1, 2, 3, 4, 5, 6, 7, 8 };

/* Sends a MAD that is prepared already. Returns the bytes written. */
static struct fake_umad written(struct fixture *fixture, struct madring_mad *mad)
{
	struct outcomes outcomes = { 0 };
	struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.no_reply = true,
	};
	struct fake_umad umad;

	assert_int_equal(madring_send(fixture->agent, mad, &send), 0);
	fixture_wait(fixture, &outcomes, 1);
	assert_true(fake_take(&umad));
	return umad;
}

static struct madring_mad *gmp(struct fixture *fixture)
{
	struct madring_mad *mad = madring_mad_alloc(fixture->agent);

	assert_non_null(mad);
	madring_gmp_prepare(mad, 7, MADRING_GET, 0x11, 0);
	return mad;
}

static void test_lid_qp_sl_and_qkey(void **state)
{
	struct fixture *fixture = *state;
	struct fake_umad umad;
	struct madring_mad *mad;

	mad = gmp(fixture);
	madring_mad_set_address(mad, 0x1234, 0x56789a, 5, 0x80010203);
	umad = written(fixture, mad);
	assert_int_equal(umad.umad.addr.lid, htobe16(0x1234));
	assert_int_equal(umad.umad.addr.qpn, htobe32(0x56789a));
	assert_int_equal(umad.umad.addr.sl, 5);
	assert_int_equal(umad.umad.addr.qkey, htobe32(0x80010203));

	mad = gmp(fixture);
	madring_mad_set_address_net(mad, htobe16(0x1234), htobe32(0x56789a), 5,
				    htobe32(0x80010203));
	assert_memory_equal(&umad.umad.addr, madring_mad_address(mad), sizeof(umad.umad.addr));
	madring_mad_free(fixture->ring, mad);
}

static void test_path_bits_and_pkey_index(void **state)
{
	struct fixture *fixture = *state;
	struct fake_umad umad;
	struct madring_mad *mad;

	mad = gmp(fixture);
	assert_int_equal(madring_mad_pkey_index(mad), 0);
	madring_mad_set_path_bits(mad, 3);
	madring_mad_set_pkey_index(mad, 0x0102);
	assert_int_equal(madring_mad_pkey_index(mad), 0x0102);
	umad = written(fixture, mad);
	assert_int_equal(umad.umad.addr.path_bits, 3);
	assert_int_equal(umad.umad.addr.pkey_index, 0x0102);
}

static void test_grh_in_host_order(void **state)
{
	struct madring_grh grh = {
		.flow_label = 0x12345,
		.traffic_class = 6,
		.hop_limit = 64,
		.gid_index = 2,
	};
	struct madring_grh found = { 0 };
	struct fixture fixture;
	struct fake_umad umad;
	struct madring_mad *mad;

	memcpy(grh.gid, gid, sizeof(gid));
	fixture_open(&fixture, NULL, NULL);
	mad = gmp(&fixture);
	assert_false(madring_mad_grh(mad, &found));
	madring_mad_set_grh(mad, &grh);
	assert_true(madring_mad_grh(mad, &found));
	assert_memory_equal(found.gid, gid, sizeof(gid));
	assert_int_equal(found.flow_label, 0x12345);
	assert_int_equal(found.traffic_class, 6);
	assert_int_equal(found.hop_limit, 64);
	assert_int_equal(found.gid_index, 2);
	umad = written(&fixture, mad);
	assert_int_equal(umad.umad.addr.grh_present, 1);
	assert_memory_equal(umad.umad.addr.gid, gid, sizeof(gid));
	assert_int_equal(umad.umad.addr.flow_label, htobe32(0x12345));
	assert_int_equal(umad.umad.addr.traffic_class, 6);
	assert_int_equal(umad.umad.addr.hop_limit, 64);
	assert_int_equal(umad.umad.addr.gid_index, 2);
	fixture_close(&fixture);
}

static void test_grh_in_network_order(void **state)
{
	struct ib_mad_addr from = {
		.flow_label = htobe32(0xfedcb),
		.traffic_class = 1,
		.hop_limit = 2,
		.gid_index = 3,
	};
	struct fixture fixture;
	struct fake_umad umad;
	struct madring_mad *mad;

	memcpy(from.gid, gid, sizeof(gid));
	fixture_open(&fixture, NULL, NULL);
	mad = gmp(&fixture);
	madring_mad_set_grh_net(mad, &from);
	assert_int_equal(madring_mad_address(mad)->flow_label, htobe32(0xfedcb));
	umad = written(&fixture, mad);
	from.lid = htobe16(7);
	from.qpn = htobe32(1);
	from.qkey = htobe32(0x80010000);
	from.grh_present = 1;
	assert_memory_equal(&umad.umad.addr, &from, sizeof(from));
	fixture_close(&fixture);
}

static void test_no_grh_when_null(void **state)
{
	struct madring_grh grh = { .hop_limit = 1 };
	struct fixture *fixture = *state;
	struct fake_umad umad;
	struct madring_mad *mad;

	mad = gmp(fixture);
	madring_mad_set_grh(mad, &grh);
	madring_mad_set_grh(mad, NULL);
	assert_false(madring_mad_grh(mad, &grh));
	madring_mad_set_grh(mad, &grh);
	madring_mad_set_grh_net(mad, NULL);
	umad = written(fixture, mad);
	assert_int_equal(umad.umad.addr.grh_present, 0);
}

/* Prepares a directed route from this end. Returns its SMP. */
static struct umad_smp *route(struct fixture *fixture, struct madring_mad **mad)
{
	const uint8_t path[] = { 0, 3, 1 };

	*mad = madring_mad_alloc(fixture->agent);
	assert_non_null(*mad);
	assert_int_equal(madring_smp_dr_prepare(*mad, path, 2, MADRING_GET, 0x11, 0), 0);
	return madring_mad_data(*mad);
}

static void test_a_directed_route_with_lid_routed_parts(void **state)
{
	struct fixture *fixture = *state;
	struct madring_mad *mad;
	struct umad_smp *smp;

	smp = route(fixture, &mad);
	assert_int_equal(smp->dr_slid, 0xffff);
	assert_int_equal(smp->dr_dlid, 0xffff);
	assert_int_equal(madring_mad_address(mad)->lid, 0xffff);
	assert_int_equal(madring_mad_address(mad)->qpn, 0);

	assert_int_equal(madring_smp_dr_to(mad, 0x0506), 0);
	assert_int_equal(smp->dr_slid, 0xffff);
	assert_int_equal(smp->dr_dlid, htobe16(0x0506));
	assert_int_equal(madring_mad_address(mad)->lid, 0xffff);

	assert_int_equal(madring_smp_dr_from(mad, 0x0102, 0x0304), 0);
	assert_int_equal(smp->dr_slid, htobe16(0x0304));
	assert_int_equal(smp->dr_dlid, htobe16(0x0506));
	assert_int_equal(madring_mad_address(mad)->lid, htobe16(0x0102));
	assert_int_equal(smp->hop_cnt, 2);
	assert_int_equal(smp->hop_ptr, 0);
	assert_int_equal(smp->initial_path[1], 3);
	assert_int_equal(smp->initial_path[2], 1);
	madring_mad_free(fixture->ring, mad);
}

static void test_lids_that_are_not_unicast_are_refused(void **state)
{
	const uint16_t bad[] = { 0, 0xc000, 0xfffe, 0xffff };
	struct fixture *fixture = *state;
	struct madring_mad *mad;
	struct umad_smp *smp;

	smp = route(fixture, &mad);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(madring_smp_dr_from(mad, bad[i], 1), -EINVAL);
		assert_int_equal(madring_smp_dr_from(mad, 1, bad[i]), -EINVAL);
		assert_int_equal(madring_smp_dr_to(mad, bad[i]), -EINVAL);
	}
	assert_int_equal(smp->dr_slid, 0xffff);
	assert_int_equal(smp->dr_dlid, 0xffff);
	assert_int_equal(madring_mad_address(mad)->lid, 0xffff);
	assert_int_equal(madring_smp_dr_from(mad, 1, 0xbfff), 0);
	madring_mad_free(fixture->ring, mad);
}

/* The reply to a route with LID-routed parts must repeat its LIDs, too. */
static void test_lid_routed_parts_must_be_repeated(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.timeout_ms = MADRING_FOREVER,
	};
	struct madring_stats stats;
	struct fixture *fixture = *state;
	struct fake_umad umad, other;
	struct madring_mad *mad;

	route(fixture, &mad);
	assert_int_equal(madring_smp_dr_from(mad, 1, 2), 0);
	assert_int_equal(madring_smp_dr_to(mad, 3), 0);
	assert_int_equal(madring_send(fixture->agent, mad, &send), 0);
	assert_int_equal(madring_submit(fixture->ring), 1);
	assert_true(fake_take(&umad));
	fake_make_reply(&umad);
	/* The loop changes each byte of DrSLID and DrDLID. */
	for (unsigned int i = 0; i < 4; i++) {
		other = umad;
		other.mad[32 + i] ^= 1;
		fake_send(&other);
	}
	for (unsigned int turn = 0; turn < 10; turn++)
		assert_int_equal(madring_step(fixture->ring), 0);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.unmatched, 4);
	/* The node that passes the SMP on by LID at the end is not its destination. */
	umad.umad.addr.lid = htobe16(77);
	fake_send(&umad);
	fixture_wait(fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, 0);
}

static void test_an_smp_by_lid(void **state)
{
	struct fixture *fixture = *state;
	struct fake_umad umad;
	struct madring_mad *mad;
	struct umad_smp smp;

	mad = madring_mad_alloc(fixture->agent);
	madring_smp_prepare(mad, 0x0102, MADRING_SET, 0x0015, 0x01020304);
	madring_smp_set_mkey(mad, 0x1122334455667788);
	umad = written(fixture, mad);
	memcpy(&smp, umad.mad, sizeof(smp));
	assert_int_equal(smp.base_version, 1);
	assert_int_equal(smp.mgmt_class, UMAD_CLASS_SUBN_LID_ROUTED);
	assert_int_equal(smp.class_version, 1);
	assert_int_equal(smp.method, UMAD_METHOD_SET);
	assert_int_equal(smp.attr_id, htobe16(UMAD_SM_ATTR_PORT_INFO));
	assert_int_equal(smp.attr_mod, htobe32(0x01020304));
	assert_int_equal(smp.mkey, htobe64(0x1122334455667788));
	assert_int_equal(umad.umad.addr.lid, htobe16(0x0102));
	assert_int_equal(umad.umad.addr.qpn, 0);
}

static void test_an_sa_query(void **state)
{
	struct umad_sa_packet sa;
	struct fixture *fixture = *state;
	struct fake_umad umad;
	struct madring_mad *mad;

	mad = madring_mad_alloc(fixture->agent);
	madring_sa_prepare(mad, 0x0102, 3, MADRING_GET_TABLE, UMAD_SA_ATTR_PATH_REC, 9,
			   0x800000000000000c);
	madring_sa_set_smkey(mad, 0x1122334455667788);
	umad = written(fixture, mad);
	memcpy(&sa, umad.mad, sizeof(sa));
	assert_int_equal(sa.mad_hdr.base_version, 1);
	assert_int_equal(sa.mad_hdr.mgmt_class, UMAD_CLASS_SUBN_ADM);
	assert_int_equal(sa.mad_hdr.class_version, UMAD_SA_CLASS_VERSION);
	assert_int_equal(sa.mad_hdr.method, UMAD_SA_METHOD_GET_TABLE);
	assert_int_equal(sa.mad_hdr.attr_id, htobe16(UMAD_SA_ATTR_PATH_REC));
	assert_int_equal(sa.mad_hdr.attr_mod, htobe32(9));
	memcpy(&sa.comp_mask, umad.mad + 48, sizeof(sa.comp_mask));
	assert_int_equal(sa.comp_mask, htobe64(0x800000000000000c));
	assert_memory_equal(umad.mad + 36, "\x11\x22\x33\x44\x55\x66\x77\x88", 8);
	assert_int_equal(umad.umad.addr.lid, htobe16(0x0102));
	assert_int_equal(umad.umad.addr.qpn, htobe32(1));
	assert_int_equal(umad.umad.addr.qkey, htobe32(0x80010000));
	assert_int_equal(umad.umad.addr.sl, 3);
}

/* A short message is prepared without a write behind its end. */
static void test_a_short_message_can_be_prepared(void **state)
{
	const struct madring_config config = { .message_bytes = 1 << 20 };
	struct madring_mad *mad, *next;
	struct fixture fixture;

	fixture_open(&fixture, &config, NULL);
	assert_null(madring_mad_alloc_message(fixture.agent, 23));
	mad = madring_mad_alloc_message(fixture.agent, 24);
	next = madring_mad_alloc_message(fixture.agent, 24);
	assert_true(madring_mad_room(fixture.ring, mad) >= MADRING_MAD_BYTES);
	memset(madring_mad_data(next), 0xff, 24);
	madring_smp_prepare(mad, 1, MADRING_GET, 0x11, 0);
	for (unsigned int i = 0; i < 24; i++)
		assert_int_equal(((uint8_t *)madring_mad_data(next))[i], 0xff);
	madring_mad_free(fixture.ring, mad);
	madring_mad_free(fixture.ring, next);
	fixture_close(&fixture);
}

/* Asks LID 0x48 by a port whose LMC is @lmc, and replies from @lid. Returns the replies. */
static unsigned int replies_from(struct fixture *fixture, uint8_t lmc, uint16_t lid)
{
	const struct madring_agent_config config = {
		.mgmt_class = MADRING_CLASS_PMA,
		.class_version = 1,
		.timeout_ms = MADRING_FOREVER,
	};
	const struct madring_port_config one_lane = { .lanes = 1 };
	struct outcomes outcomes = { 0 };
	struct fixture other = *fixture;
	struct madring_mad *mad;
	struct fake_umad umad;
	unsigned int count;
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
	};

	fake_port()->lmc = lmc;
	assert_int_equal(madring_port_open(other.ring, NULL, 0, &one_lane, &other.port), 0);
	assert_int_equal(madring_agent_open(other.port, &config, &other.agent), 0);
	mad = gmp(&other);
	madring_mad_set_address(mad, 0x48, 1, 0, 0x80010000);
	assert_int_equal(madring_send(other.agent, mad, &send), 0);
	fixture_take(&other, &umad);
	fake_make_reply(&umad);
	umad.umad.addr.lid = htobe16(lid);
	fake_send(&umad);
	while (fake_unread())
		assert_true(madring_step(other.ring) >= 0);
	assert_true(madring_step(other.ring) >= 0);
	count = outcomes.count;
	assert_int_equal(madring_port_close(other.port), 0);
	assert_true(madring_dispatch(other.ring, 0) >= 0);
	return count;
}

/* A port with an LMC replies from any of its LIDs. The LMC is that of the ring's port. */
static void test_replies_from_other_lids(void **state)
{
	assert_int_equal(replies_from(*state, 0, 0x48), 1);
	assert_int_equal(replies_from(*state, 0, 0x49), 0);
	assert_int_equal(replies_from(*state, 2, 0x4b), 1);
	assert_int_equal(replies_from(*state, 2, 0x4c), 0);
}

static const struct CMUnitTest tests[] = {
	FIXTURE_TEST(test_lid_qp_sl_and_qkey),
	FIXTURE_TEST(test_path_bits_and_pkey_index),
	cmocka_unit_test(test_grh_in_host_order),
	cmocka_unit_test(test_grh_in_network_order),
	FIXTURE_TEST(test_no_grh_when_null),
	FIXTURE_TEST(test_a_directed_route_with_lid_routed_parts),
	FIXTURE_TEST(test_lids_that_are_not_unicast_are_refused),
	SMP_TEST(test_lid_routed_parts_must_be_repeated),
	SMP_TEST(test_an_smp_by_lid),
	FIXTURE_TEST(test_an_sa_query),
	FIXTURE_TEST(test_replies_from_other_lids),
	cmocka_unit_test(test_a_short_message_can_be_prepared),
};

TEST_MAIN(tests, NULL, NULL)
