/* SPDX-License-Identifier: BSD-2-Clause */
/* Records by themselves: what is taken for one, and how packets and ports become some. */
#include "cmocka_all.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad_sm.h>

#include "vhca/record.h"

#define PORTS	   2
#define PERMISSIVE 0xffff
#define RETURNS	   0x8000
#define LID	   0x21

/* Takes a record of which only the first @length bytes exist. Returns the result. */
static size_t take(const union record *record, size_t length)
{
	uint8_t *bytes = malloc(length ? length : 1);
	union record taken;
	size_t ret;

	assert_non_null(bytes);
	memcpy(bytes, record, length);
	ret = record_take(bytes, length, PORTS, &taken);
	if (ret)
		assert_memory_equal(&taken, record, ret);
	free(bytes);
	return ret;
}

static void test_lengths(void **state)
{
	static const struct {
		size_t length;
		enum vhca_record_type type;
		unsigned int port;
	} good[] = {
		{ sizeof(struct vhca_mad), VHCA_MAD, 1 },
		{ sizeof(struct vhca_created), VHCA_CREATED, 0 },
		{ sizeof(struct vhca_upcall_record), VHCA_UPCALL, PORTS },
		{ sizeof(struct vhca_port_caps), VHCA_PORT_CAPS, 1 },
		{ sizeof(struct vhca_node_desc), VHCA_NODE_DESC, 0 },
	};
	union record record = { 0 };
	size_t length;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		record.head = record_head(good[i].type, good[i].length, good[i].port);
		for (length = 0; length < good[i].length; length++)
			assert_int_equal(take(&record, length), 0);
		assert_int_equal(take(&record, good[i].length), good[i].length);
		record.head.length--;
		assert_int_equal(take(&record, good[i].length), 0);
		record.head.length += 2;
		assert_int_equal(take(&record, good[i].length), 0);
		record.head = record_head(good[i].type, good[i].length, good[i].port ? 0 : 1);
		assert_int_equal(take(&record, good[i].length), 0);
		record.head.port = PORTS + 1;
		assert_int_equal(take(&record, good[i].length), 0);
	}
}

/* Returns a directed-route SMP over two links. */
static struct umad_smp smp_of(bool returns, uint8_t hop_ptr, uint16_t slid, uint16_t dlid)
{
	return (struct umad_smp){
		.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE,
		.status = htobe16(returns ? RETURNS : 0),
		.hop_ptr = hop_ptr,
		.hop_cnt = 2,
		.dr_slid = htobe16(slid),
		.dr_dlid = htobe16(dlid),
	};
}

static unsigned int sent(struct umad_smp smp)
{
	struct fabric_packet packet;
	struct vhca_mad record = { 0 };

	memcpy(record.mad, &smp, sizeof(smp));
	record_to_packet(&record, &packet);
	memcpy(&smp, packet.mad, sizeof(smp));
	return smp.hop_ptr;
}

static unsigned int received(struct umad_smp smp)
{
	struct fabric_packet packet = { 0 };
	struct vhca_mad record;

	memcpy(packet.mad, &smp, sizeof(smp));
	record_from_packet(&packet, 1, &record);
	memcpy(&smp, record.mad, sizeof(smp));
	return smp.hop_ptr;
}

static void test_hop_pointers(void **state)
{
	struct umad_smp routed = smp_of(false, 1, PERMISSIVE, PERMISSIVE);

	assert_int_equal(sent(smp_of(false, 1, PERMISSIVE, PERMISSIVE)), 0);
	assert_int_equal(sent(smp_of(true, 2, PERMISSIVE, PERMISSIVE)), 3);
	assert_int_equal(received(smp_of(true, 0, PERMISSIVE, PERMISSIVE)), 1);
	assert_int_equal(received(smp_of(false, 3, PERMISSIVE, PERMISSIVE)), 2);
	/* No SMI steps where the route begins or ends by LID. */
	assert_int_equal(sent(smp_of(false, 1, LID, PERMISSIVE)), 1);
	assert_int_equal(sent(smp_of(true, 2, PERMISSIVE, LID)), 2);
	assert_int_equal(received(smp_of(true, 0, LID, PERMISSIVE)), 0);
	assert_int_equal(received(smp_of(false, 3, PERMISSIVE, LID)), 3);
	/* Other classes have no such pointer. */
	routed.mgmt_class = UMAD_CLASS_SUBN_LID_ROUTED;
	assert_int_equal(sent(routed), 1);
	routed.hop_ptr = 3;
	assert_int_equal(received(routed), 3);
}

static void test_addresses(void **state)
{
	struct vhca_mad record = { .slid = 3, .dlid = 4, .sqp = 1, .dqp = 0xabcdef, .sl = 5 };
	const uint8_t grh[VHCA_GRH_BYTES] = { 0x60, [VHCA_GRH_BYTES - 1] = 7 };
	struct fabric_packet packet;

	record_to_packet(&record, &packet);
	assert_int_equal(packet.slid, 3);
	assert_int_equal(packet.dlid, 4);
	assert_int_equal(packet.sqp, 1);
	assert_int_equal(packet.dqp, 0xabcdef);
	assert_int_equal(packet.sl, 5);
	packet.dqp = 1;
	record_from_packet(&packet, 2, &record);
	assert_int_equal(record.head.port, 2);
	assert_int_equal(record.slid, 3);
	assert_int_equal(record.dlid, 4);
	assert_int_equal(record.qkey, 0x80010000);
	packet.dqp = 0;
	record_from_packet(&packet, 2, &record);
	assert_int_equal(record.qkey, 0);
	assert_int_equal(record.flags, 0);

	record.flags = VHCA_GRH_PRESENT;
	memcpy(record.grh, grh, sizeof(grh));
	record_to_packet(&record, &packet);
	assert_true(packet.has_grh);
	memset(&record, 0, sizeof(record));
	record_from_packet(&packet, 1, &record);
	assert_int_equal(record.flags, VHCA_GRH_PRESENT);
	assert_memory_equal(record.grh, grh, sizeof(grh));
}

static void test_speeds_and_widths(void **state)
{
	static const uint16_t pkeys[FABRIC_PKEYS] = { 0xffff, 0x8001 };
	static const struct {
		uint8_t speed, speed_ext, width;
		uint16_t shown;
	} cases[] = {
		{ 1, 0, 1, 1 },	 { 2, 0, 2, 2 },  { 4, 0, 4, 4 },    { 4, 1, 8, 16 },
		{ 4, 2, 2, 32 }, { 4, 4, 2, 64 }, { 4, 8, 16, 128 }, { 4, 32, 2, 256 },
	};
	struct fabric_port_state port = { .lid = 9, .sm_lid = 1, .lmc = 0, .state = 4 };
	struct vhca_port_record record;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		port.speed = cases[i].speed;
		port.speed_ext = cases[i].speed_ext;
		port.width = cases[i].width;
		record_from_port(&port, pkeys, 1, &record);
		assert_int_equal(record.speed, cases[i].shown);
		assert_int_equal(record.width, cases[i].width);
		assert_int_equal(record.lid, 9);
		assert_int_equal(record.sm_lid, 1);
		assert_int_equal(record.pkeys[1], 0x8001);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_hop_pointers),
	cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_speeds_and_widths),
};

TEST_MAIN(tests, NULL, NULL)
