/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of RMPP segments in each kind of class. The argument is a netlist. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "rmpp_bench.h"

#define OUI	0x001405
#define PADDING 10 /* bytes, of the second segment */

/* Sends a message of two segments from an agent of the class; stores it in @message. */
static void send_two_segments(struct bench *bench, uint8_t mgmt_class, uint8_t *message)
{
	const size_t segment_bytes = MAD_BYTES - mad_class_header_bytes(mgmt_class);
	const size_t length = MAD_UMAD_BYTES + segment_bytes - PADDING;
	const struct sim_request asked = {
		.qpn = 1,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.rmpp_version = UMAD_RMPP_VERSION,
		.oui = OUI,
	};
	const struct umad_hdr mad = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = UMAD_METHOD_SET,
	};
	struct ib_user_mad header = { .agent_id = 1 };

	assert_int_equal(agent_register(&bench->port->agents, bench->file, 1, &asked,
					&bench->file->agent[1]),
			 0);
	header.addr.lid = htobe16(bench->peer_lid);
	header.addr.qpn = htobe32(1);
	for (size_t i = 0; i < length; i++)
		message[i] = (uint8_t)(i * 7);
	memcpy(message, &header, sizeof(header));
	memcpy(message + MAD_UMAD_HEADER, &mad, sizeof(mad));
	message[MAD_UMAD_HEADER + MAD_RMPP_FLAGS] = UMAD_RMPP_FLAG_ACTIVE;
	umad_written(bench->server, bench->file, message, length);
	pass_time(bench, 0);
	send_ack(bench, &bench->arrival[0], 1, 2);
}

/* Checks both segments: their payload lengths, their class header, and the place of their data. */
static void check_layout(struct bench *bench, uint8_t mgmt_class, size_t header_bytes)
{
	const struct fabric_packet *first = &bench->arrival[0].packet;
	const struct fabric_packet *second = &bench->arrival[1].packet;
	const uint8_t padding[PADDING] = { 0 };
	uint8_t message[MESSAGE_MAX];
	const uint8_t *mad = message + MAD_UMAD_HEADER;

	send_two_segments(bench, mgmt_class, message);
	assert_int_equal(bench->arrived, 2);
	assert_int_equal(bench->arrival[0].header.length, 2 * MAD_RMPP_DATA - PADDING);
	assert_int_equal(bench->arrival[1].header.length, MAD_RMPP_DATA - PADDING);
	assert_memory_equal(first->mad + MAD_RMPP_BYTES, mad + MAD_RMPP_BYTES,
			    MAD_BYTES - MAD_RMPP_BYTES);
	assert_memory_equal(second->mad + MAD_RMPP_BYTES, mad + MAD_RMPP_BYTES,
			    header_bytes - MAD_RMPP_BYTES);
	assert_memory_equal(second->mad + header_bytes, mad + MAD_BYTES,
			    MAD_BYTES - header_bytes - PADDING);
	assert_memory_equal(second->mad + MAD_BYTES - PADDING, padding, PADDING);
}

static void test_subnet_administration(void **state)
{
	check_layout(*state, UMAD_CLASS_SUBN_ADM, 56);
}

static void test_device_management(void **state)
{
	check_layout(*state, UMAD_CLASS_DEVICE_MGMT, 64);
}

static void test_vendor_class(void **state)
{
	check_layout(*state, UMAD_CLASS_VENDOR_RANGE2_START, 40);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_subnet_administration),
		BENCH_TEST(test_device_management),
		BENCH_TEST(test_vendor_class),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	bench_netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
