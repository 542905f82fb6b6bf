/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of attributes, against libibmad and against bytes by hand; records and structs. */
#include "cmocka_all.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>
#include <madring/attributes.h>
#include <madring/names.h>

#define BYTES 320u

static struct {
	struct ib_user_mad umad;
	uint8_t data[2048];
} buffer;

static struct madring_mad *new_mad(uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct madring_mad *mad = (struct madring_mad *)&buffer;
	struct madring_mad_hdr *header = madring_mad_header(mad);

	memset(&buffer, 0, sizeof(buffer));
	header->mgmt_class = mgmt_class;
	header->method = method;
	header->attr_id = htobe16(attr_id);
	return mad;
}

/* Returns whether libibmad 44 or 56 looks for the field at a wrong place. */
static int is_wrong_in_libibmad(int number)
{
	return number == IB_PC_QP1_DROP_F || (number >= IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F &&
					      number <= IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F);
}

/* Compares a field with libibmad's of the same number, on random bytes. */
static void compare_with_libibmad(const struct madring_field *field, int number)
{
	_Alignas(8) uint8_t bytes[BYTES];
	uint8_t ours[256], theirs[256];
	unsigned int bits = madring_field_bits(field);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rand();
	if (bits < 64)
		assert_int_equal(madring_field_get(field, bytes), mad_get_field(bytes, 0, number));
	else if (bits == 64)
		assert_int_equal(madring_field_get(field, bytes),
				 mad_get_field64(bytes, 0, number));
	if (bits <= 64)
		return;
	mad_get_array(bytes, 0, number, theirs);
	assert_int_equal(madring_field_get_bytes(field, bytes, ours, sizeof(ours)), bits / 8);
	assert_memory_equal(ours, theirs, bits / 8);
}

static void test_all_fields_of_libibmad(void **state)
{
	unsigned int compared = 0;

	for (int number = 1; number < IB_FIELD_LAST_; number++) {
		const struct madring_field *field = madring_field_by_number(number);

		/* libibmad has a number, but no field, at the end of each attribute. */
		if (!mad_field_name(number)[0]) {
			assert_true(!field || number > IB_PORT_EXT_NDR_FEC_MODE_LAST_F);
			continue;
		}
		if (!field)
			fail_msg("no field has number %d, %s", number, mad_field_name(number));
		if (is_wrong_in_libibmad(number))
			continue;
		compare_with_libibmad(field, number);
		compared++;
	}
	assert_true(compared > 500);
	assert_null(madring_field_by_number(0));
	assert_null(madring_field_by_number(-1));
	assert_null(madring_field_by_number(99999));
}

/* Sets all bits of a field, between bytes of @fill, and looks at each bit around it. */
static void touch(const struct madring_field *field, size_t size, uint8_t fill)
{
	unsigned int offset = madring_field_offset(field), bits = madring_field_bits(field);
	uint8_t *bytes = malloc(size);
	uint8_t ones[256];

	assert_non_null(bytes);
	memset(ones, 0xff, sizeof(ones));
	memset(bytes, fill, size);
	if (bits <= 64)
		assert_int_equal(madring_field_set(field, bytes, UINT64_MAX >> (64 - bits)), 0);
	else
		assert_int_equal(madring_field_set_bytes(field, bytes, ones, bits / 8), 0);
	assert_true(madring_field_get(field, bytes) == UINT64_MAX >> (bits < 64 ? 64 - bits : 0));
	for (unsigned int i = 0; i < 8 * size; i++) {
		unsigned int bit = bytes[i / 8] >> (7 - i % 8) & 1;

		assert_int_equal(bit, i >= offset && i < offset + bits ? 1 : fill & 1);
	}
	if (bits < 64) {
		assert_int_equal(madring_field_set(field, bytes, 1ull << bits), -ERANGE);
		assert_int_equal(madring_field_set(field, bytes, 0), 0);
		assert_int_equal(madring_field_get(field, bytes), 0);
	}
	free(bytes);
}

static void test_each_field_touches_its_bits_only(void **state)
{
	unsigned int count = 0;

	for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
		for (unsigned int id = 0; id < 0x10000; id++) {
			size_t size = madring_attribute_bytes((uint8_t)mgmt_class, (uint16_t)id);
			const struct madring_field *field = NULL;

			if (mgmt_class > 0x05 && mgmt_class != 0x21)
				break;
			while ((field = madring_field_each((uint8_t)mgmt_class, (uint16_t)id,
							   field))) {
				assert_true(madring_field_offset(field) % 8 +
							    madring_field_bits(field) <=
						    64 ||
					    madring_field_bits(field) > 64);
				assert_true(size <= (mgmt_class == 0x01 ? 64 : 224));
				touch(field, size, 0x00);
				touch(field, size, 0xff);
				assert_ptr_equal(madring_field_find((uint8_t)mgmt_class,
								    (uint16_t)id,
								    madring_field_name(field)),
						 field);
				count++;
			}
		}
	}
	assert_true(count > 600);
}

static void test_names(void **state)
{
	const struct madring_field *state_field =
		madring_field_find(MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, "PortState");

	assert_non_null(state_field);
	assert_ptr_equal(state_field, madring_field_find(MADRING_CLASS_SMP_DIRECTED,
							 MADRING_ATTR_PORT_INFO, "LinkState"));
	assert_ptr_equal(state_field, madring_field_by_number(IB_PORT_STATE_F));
	assert_non_null(madring_field_find(MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, "mkey"));
	assert_non_null(madring_field_find(MADRING_CLASS_SA, MADRING_ATTR_INFORM_INFO, "DeviceID"));
	assert_non_null(
		madring_field_find(MADRING_CLASS_SA, MADRING_ATTR_INFORM_INFO, "trapnumber"));
	assert_null(madring_field_find(MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, ""));
	assert_null(madring_field_find(MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, "PortStat"));
	assert_null(madring_field_find(MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, "PortStates"));
	assert_null(madring_field_find(MADRING_CLASS_SMP, 0x7777, "PortState"));
	assert_int_equal(madring_field_kind(madring_field_find(MADRING_CLASS_SA,
							       MADRING_ATTR_PATH_RECORD, "SGID")),
			 MADRING_FIELD_GID);
}

/*
 * A constant is the name of one field of its attribute: of a simple one, of half a name with a
 * slash, of one with an underscore, and of two attributes that share a number.
 */
static void test_constants(void **state)
{
	static const struct {
		const char *name;
		unsigned int offset;
		uint16_t attr_id;
		uint8_t mgmt_class;
	} constants[] = {
		{ MADRING_FIELD_PORT_INFO_LINK_WIDTH_ACTIVE, 248, MADRING_ATTR_PORT_INFO,
		  MADRING_CLASS_SMP },
		{ MADRING_FIELD_NOTICE_DEVICE_ID, 32, MADRING_ATTR_NOTICE, MADRING_CLASS_SMP },
		{ MADRING_FIELD_PORT_INFO_M_KEY, 0, MADRING_ATTR_PORT_INFO, MADRING_CLASS_SMP },
		{ MADRING_FIELD_NODE_INFO_NODE_GUID, 96, MADRING_ATTR_NODE_INFO,
		  MADRING_CLASS_SMP },
		{ MADRING_FIELD_NODE_RECORD_LID, 0, MADRING_ATTR_NODE_RECORD, MADRING_CLASS_SA },
	};

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		const struct madring_field *field = madring_field_find(
			constants[i].mgmt_class, constants[i].attr_id, constants[i].name);

		assert_non_null(field);
		assert_int_equal(madring_field_offset(field), constants[i].offset);
	}
}

/* libibmad reads both from the bytes of VL15Dropped. */
static void test_qp1_dropped(void **state)
{
	struct madring_mad *mad =
		new_mad(MADRING_CLASS_PMA, MADRING_GET_RESP, MADRING_ATTR_PORT_COUNTERS);
	struct madring_port_counters counters;
	uint64_t value;

	memcpy(buffer.data + 64 + 20, "\x12\x34\x56\x78", 4);
	assert_int_equal(madring_mad_get_field(mad, "QP1Dropped", &value), 0);
	assert_int_equal(value, 0x1234);
	assert_int_equal(madring_mad_get_field(mad, "VL15Dropped", &value), 0);
	assert_int_equal(value, 0x5678);
	madring_port_counters_decode(&counters, buffer.data + 64);
	assert_int_equal(counters.qp1_dropped, 0x1234);
	assert_int_equal(counters.vl15_dropped, 0x5678);
	assert_int_equal(madring_mad_get_field(mad, "Nothing", &value), -ENOENT);
}

static void test_congestion_log(void **state)
{
	struct madring_mad *mad =
		new_mad(MADRING_CLASS_CC, MADRING_GET_RESP, MADRING_ATTR_CONGESTION_LOG);
	static const uint8_t bytes[] = { 0x01, 0x80, 0x12, 0x34, 0x00, 0x00, 0x56, 0x78 };
	uint8_t *log = buffer.data + MADRING_CC_LOG_DATA;
	uint64_t value;

	memcpy(log, bytes, sizeof(bytes));
	assert_int_equal(madring_mad_get_field(mad, "LogType", &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(madring_mad_get_field(mad, "LogEventsCounter", &value), 0);
	assert_int_equal(value, 0x1234);
	assert_int_equal(madring_mad_get_field(mad, "SwitchCurrentTimeStamp", &value), 0);
	assert_int_equal(value, 0x5678);
	assert_int_equal(buffer.data[24 + 8], 1); /* after the header and the CC_Key */
}

static void test_components(void **state)
{
	assert_int_equal(madring_component(MADRING_ATTR_PATH_RECORD, "ServiceID"), 0x3);
	assert_int_equal(madring_component(MADRING_ATTR_PATH_RECORD, "DGID"), 1 << 2);
	assert_int_equal(madring_component(MADRING_ATTR_PATH_RECORD, "PacketLifeTime"), 1 << 21);
	assert_int_equal(madring_component(MADRING_ATTR_NODE_RECORD, "NodeString"), 1 << 14);
	assert_int_equal(madring_component(MADRING_ATTR_NODE_RECORD, "NodeGUID"), 1 << 7);
	assert_true(madring_component(MADRING_ATTR_PORT_INFO_RECORD, "LinkSpeedExtEnabled") ==
		    1ull << 57);
	assert_true(madring_component(MADRING_ATTR_PORT_INFO_RECORD, "PortState") == 1u << 15);
	assert_int_equal(madring_component(MADRING_ATTR_MC_MEMBER_RECORD, "ProxyJoin"), 1 << 17);
	assert_int_equal(madring_component(MADRING_ATTR_INFORM_INFO_RECORD, "VendorID"), 1 << 15);
	assert_int_equal(madring_component(MADRING_ATTR_LINK_RECORD, "ToLID"), 1 << 3);
	assert_int_equal(madring_component(MADRING_ATTR_SM_INFO_RECORD, "SMState"), 1 << 6);
	assert_int_equal(madring_component(MADRING_ATTR_GUID_INFO_RECORD, "GUID7"), 1 << 11);
	assert_true(madring_component(MADRING_ATTR_SERVICE_RECORD, "ServiceData64") == 3ull << 35);
	assert_int_equal(madring_component(MADRING_ATTR_PATH_RECORD, "Nothing"), 0);
	assert_int_equal(madring_component(0x7777, "LID"), 0);
}

static void test_a_query(void **state)
{
	struct madring_mad *mad = new_mad(MADRING_CLASS_SA, MADRING_GET, MADRING_ATTR_PATH_RECORD);
	const uint8_t gid[16] = { 0xfe, 0x80, [15] = 7 };
	struct madring_path_record path;

	assert_int_equal(madring_sa_set(mad, "NumbPath", 127), 0);
	assert_int_equal(madring_sa_set_bytes(mad, "DGID", gid, sizeof(gid)), 0);
	assert_int_equal(madring_sa_set(mad, "NumbPath", 128), -ERANGE);
	assert_int_equal(madring_sa_set(mad, "Nothing", 1), -ENOENT);
	assert_int_equal(madring_sa_set(mad, "SGID", 1), -EINVAL);
	assert_int_equal(madring_sa_set_bytes(mad, "SGID", gid, 15), -EINVAL);
	assert_int_equal(madring_sa_set_bytes(mad, "SGID", gid, 17), -ENOSPC);
	assert_memory_equal(buffer.data + 48, "\0\0\0\0\0\0\x10\x04", 8);
	madring_path_record_decode(&path, buffer.data + 56);
	assert_memory_equal(path.dgid.raw, gid, sizeof(gid));
	assert_int_equal(path.path_count, 127);
	assert_int_equal(path.reversible, 0);
	mad = new_mad(MADRING_CLASS_PMA, MADRING_GET, MADRING_ATTR_PATH_RECORD);
	assert_int_equal(madring_sa_set(mad, "NumbPath", 1), -EPFNOSUPPORT);
}

static int begin(struct madring_records *records, uint8_t method, uint16_t words, size_t length)
{
	struct madring_mad *mad = new_mad(MADRING_CLASS_SA, method, MADRING_ATTR_PATH_RECORD);

	buffer.data[44] = (uint8_t)(words >> 8);
	buffer.data[45] = (uint8_t)words;
	return madring_records_begin(records, mad, length);
}

static void test_records(void **state)
{
	struct madring_records records;

	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 9, 56 + 2 * 72), 2);
	assert_ptr_equal(madring_records_next(&records), buffer.data + 56);
	assert_ptr_equal(madring_records_next(&records), buffer.data + 56 + 72);
	assert_null(madring_records_next(&records));
	assert_null(madring_records_next(&records));
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 0, 56), 0);
	assert_null(madring_records_next(&records));
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 8, 56), 0);
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 0, 120), -EBADMSG);
	assert_null(madring_records_next(&records));
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 7, 56 + 2 * 56), -EBADMSG);
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 8, 56 + 64 + 8), -EBADMSG);
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 0xffff, 256), -EBADMSG);
	assert_int_equal(begin(&records, MADRING_GET_TABLE_RESP, 8, 55), -EBADMSG);
	assert_int_equal(begin(&records, MADRING_GET_RESP, 0, 256), 1);
	assert_int_equal(begin(&records, MADRING_GET_RESP, 0, 56), -EBADMSG);
	assert_int_equal(begin(&records, MADRING_GET_RESP, 0, 56 + 63), -EBADMSG);
	/* A GetMultiResp has PathRecords. */
	new_mad(MADRING_CLASS_SA, MADRING_GET_MULTI_RESP, MADRING_ATTR_MULTI_PATH_RECORD);
	buffer.data[45] = 8;
	assert_int_equal(madring_records_begin(&records, (struct madring_mad *)&buffer, 56 + 64),
			 1);
	/* An answer with an error has no records. */
	buffer.data[4] = 3;
	assert_int_equal(madring_records_begin(&records, (struct madring_mad *)&buffer, 56 + 64),
			 0);
	new_mad(MADRING_CLASS_PMA, MADRING_GET_TABLE_RESP, MADRING_ATTR_PATH_RECORD);
	assert_int_equal(madring_records_begin(&records, (struct madring_mad *)&buffer, 256),
			 -EPFNOSUPPORT);
}

/* Decodes all ones and encodes them again. Reserved bits become 0; the fields are all ones. */
#define ROUND_TRIP(name, mgmt_class, id, size)                                                     \
	do {                                                                                       \
		struct madring_##name value;                                                       \
		uint8_t *bytes = malloc(size), *again = malloc(64 + (size));                       \
		const struct madring_field *field = NULL;                                          \
		assert_true(bytes &&again);                                                        \
		assert_int_equal(madring_attribute_bytes(mgmt_class, id), size);                   \
		memset(bytes, 0xff, size);                                                         \
		madring_##name##_decode(&value, bytes);                                            \
		madring_##name##_encode(again, &value);                                            \
		while ((field = madring_field_each(mgmt_class, id, field)))                        \
			if (madring_field_kind(field) != MADRING_FIELD_TEXT)                       \
				assert_true(madring_field_get(field, bytes) ==                     \
					    madring_field_get(field, again));                      \
		free(bytes);                                                                       \
		free(again);                                                                       \
	} while (0)

static void test_structs(void **state)
{
	ROUND_TRIP(node_info, MADRING_CLASS_SMP, MADRING_ATTR_NODE_INFO, 40);
	ROUND_TRIP(port_info, MADRING_CLASS_SMP, MADRING_ATTR_PORT_INFO, 64);
	ROUND_TRIP(switch_info, MADRING_CLASS_SMP, MADRING_ATTR_SWITCH_INFO, 20);
	ROUND_TRIP(port_counters, MADRING_CLASS_PMA, MADRING_ATTR_PORT_COUNTERS, 44);
	ROUND_TRIP(port_counters_extended, MADRING_CLASS_PMA, MADRING_ATTR_PORT_COUNTERS_EXTENDED,
		   184);
	ROUND_TRIP(path_record, MADRING_CLASS_SA, MADRING_ATTR_PATH_RECORD, 64);
	ROUND_TRIP(node_record, MADRING_CLASS_SA, MADRING_ATTR_NODE_RECORD, 108);
	ROUND_TRIP(inform_info, MADRING_CLASS_SA, MADRING_ATTR_INFORM_INFO, 36);
	/* Reserved bits and entries after the last field are of the attribute, too. */
	assert_int_equal(madring_attribute_bytes(MADRING_CLASS_SA, MADRING_ATTR_MC_MEMBER_RECORD),
			 52);
	assert_int_equal(madring_attribute_bytes(MADRING_CLASS_CC, MADRING_ATTR_CONGESTION_LOG),
			 220);
	assert_int_equal(madring_attribute_bytes(MADRING_CLASS_SA, 0x7777), 0);
}

static void test_values_by_hand(void **state)
{
	const uint8_t end[] = { 0x00, 0x20, 0xd2, 0xf0, 0, 0, 0, 0xa0, 0x21, 0x00, 0x02, 0xc9 };
	uint8_t bytes[64] = { 1, 1, 2, 36, [11] = 5, [19] = 6, [27] = 7 };
	struct madring_node_info info;
	struct madring_port_info port;
	static const uint8_t of_four_bytes[] = { 0xf0, 0x9f, 0x98, 0x80 };
	static const uint8_t of_three_bytes[] = { 'x', 0xe6, 0xbc, 0xa2 };
	char text[MADRING_DESCRIPTION_BYTES + 1];

	memcpy(bytes + 28, end, sizeof(end));
	madring_node_info_decode(&info, bytes);
	assert_int_equal(info.type, 2);
	assert_int_equal(info.port_count, 36);
	assert_int_equal(info.system_guid, 5);
	assert_int_equal(info.node_guid, 6);
	assert_int_equal(info.port_guid, 7);
	assert_int_equal(info.partition_cap, 32);
	assert_int_equal(info.device_id, 0xd2f0);
	assert_int_equal(info.revision, 0xa0);
	assert_int_equal(info.local_port, 0x21);
	assert_int_equal(info.vendor_id, 0x2c9);
	memset(bytes, 0, sizeof(bytes));
	bytes[32] = 0x74; /* LinkSpeedSupported, PortState */
	bytes[56] = 0x29; /* LinkSpeedExtActive2, LinkSpeedExtSupported2, LinkSpeedExtEnabled2 */
	bytes[62] = 0x8f; /* LinkSpeedExtActive, LinkSpeedExtSupported */
	madring_port_info_decode(&port, bytes);
	assert_int_equal(port.link_speed_supported, 7);
	assert_int_equal(port.state, 4);
	assert_int_equal(port.link_speed_ext_active2, 1);
	assert_int_equal(port.link_speed_ext_supported2, 1);
	assert_int_equal(port.link_speed_ext_enabled2, 1);
	assert_int_equal(port.link_speed_ext_active, 8);
	assert_int_equal(port.link_speed_ext_supported, 15);
	memset(bytes, 'x', sizeof(bytes));
	bytes[1] = '\n';
	madring_description_decode(text, bytes);
	assert_int_equal(strlen(text), 64);
	assert_memory_equal(text, "x xx", 4);
	memcpy(&bytes[60], of_four_bytes, 4);
	madring_description_decode(text, bytes);
	assert_string_equal(&text[60], "\xf0\x9f\x98\x80");
	bytes[59] = 0xc3; /* begins a character that does not follow */
	memcpy(&bytes[60], of_three_bytes, 4);
	madring_description_decode(text, bytes);
	assert_string_equal(&text[58], "x x\xe6\xbc\xa2");
	memmove(&bytes[62], &bytes[61], 2); /* the 65th byte would have been the character's last */
	madring_description_decode(text, bytes);
	assert_string_equal(&text[58], "x x   ");
	madring_description_encode(bytes, "host");
	madring_description_decode(text, bytes);
	assert_string_equal(text, "host");
}

static void test_notices(void **state)
{
	uint8_t bytes[MADRING_NOTICE_GID_BYTES] = { 0x83, 0, 0, 4, 0, 64, 0x12, 0x34 };
	struct madring_notice notice;
	struct madring_notice_details details;

	bytes[16] = 0xfe;
	bytes[31] = 9;
	bytes[79] = 8;
	assert_int_equal(madring_notice_decode(&notice, bytes, 63), -EBADMSG);
	assert_int_equal(madring_notice_decode(&notice, bytes, 64), 0);
	assert_int_equal(notice.issuer_gid.raw[15], 0);
	assert_int_equal(madring_notice_decode(&notice, bytes, 80), 0);
	assert_int_equal(notice.is_generic, 1);
	assert_int_equal(notice.type, 3);
	assert_int_equal(notice.producer_type, 4);
	assert_int_equal(notice.trap_number, 64);
	assert_int_equal(notice.issuer_lid, 0x1234);
	assert_int_equal(notice.issuer_gid.raw[15], 8);
	assert_int_equal(madring_notice_details_decode(&details, &notice), 0);
	assert_int_equal(details.gid.raw[0], 0xfe);
	assert_int_equal(details.gid.raw[15], 9);
	notice.trap_number = 128;
	memcpy(notice.data, "\x00\x07", 2);
	assert_int_equal(madring_notice_details_decode(&details, &notice), 0);
	assert_int_equal(details.lid, 7);
	notice.trap_number = 144;
	memcpy(notice.data, "\0\0\0\x05\0\x01\x12\x34\x56\x78\0\x20\0\x02", 14);
	assert_int_equal(madring_notice_details_decode(&details, &notice), 0);
	assert_int_equal(details.lid, 5);
	assert_int_equal(details.local_changes, 1);
	assert_int_equal(details.capability_mask, 0x12345678);
	assert_int_equal(details.change_flags, 0x20);
	assert_int_equal(details.capability_mask2, 2);
	notice.trap_number = 256;
	memset(notice.data, 0xff, sizeof(notice.data));
	assert_int_equal(madring_notice_details_decode(&details, &notice), 0);
	assert_int_equal(details.hops, 63);
	assert_int_equal(details.return_path[29], 0xff);
	notice.trap_number = 1;
	assert_int_equal(madring_notice_details_decode(&details, &notice), -ENOENT);
	notice.is_generic = 0;
	assert_int_equal(madring_notice_details_decode(&details, &notice), -ENOENT);
	assert_int_equal(madring_notice_encode(bytes, 63, &notice), -EINVAL);
	assert_int_equal(madring_notice_encode(bytes, 80, &notice), 0);
	assert_int_equal(bytes[0], 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_fields_of_libibmad),
	cmocka_unit_test(test_each_field_touches_its_bits_only),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_constants),
	cmocka_unit_test(test_qp1_dropped),
	cmocka_unit_test(test_components),
	cmocka_unit_test(test_a_query),
	cmocka_unit_test(test_congestion_log),
	cmocka_unit_test(test_records),
	cmocka_unit_test(test_structs),
	cmocka_unit_test(test_values_by_hand),
	cmocka_unit_test(test_notices),
};

TEST_MAIN(tests, NULL, NULL)
