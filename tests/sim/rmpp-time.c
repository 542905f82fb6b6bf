/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long RMPP waits for what, in a time that the test makes pass: one end of each transfer is
 * an agent of the device on the first port, the other is the test itself on the second.
 * The argument is a netlist.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/madring-sim/fabric/routing.h"
#include "../../tools/madring-sim/folder.h"
#include "rmpp.h"

#define HEADER_BYTES  56
#define SEGMENT_BYTES 200
#define CLASS_VERSION 2
#define GET_MULTI     0x14
#define RESPONSE      0x80
#define TID	      7
#define MESSAGE_MAX   (MAD_UMAD_HEADER + 100 * MAD_BYTES)
#define SEGMENTS_MAX  128

static const char *netlist;

/* What the test's end has received, and when. */
struct arrival {
	uint64_t ms;
	struct rmpp_header header;
	struct fabric_packet packet;
};

struct bench {
	char *folder;
	struct fabric *fabric;
	struct server *server;
	struct device_port *port;
	struct umad_file *file;
	int program; /* the program's end of the file */
	int peer;    /* the test's endpoint */
	uint16_t lid, peer_lid;
	struct arrival arrival[SEGMENTS_MAX];
	size_t arrived;
};

static int open_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct server_config config = { 0 };
	struct fabric_config plain = { 0 };
	struct sim_request asked = {
		.qpn = 1,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.rmpp_version = UMAD_RMPP_VERSION,
		.method_mask = { UINT64_C(1) << GET_MULTI },
	};
	struct topology_error error;
	struct topology *topology;
	char why[128];
	int ends[2];

	assert_non_null(bench);
	assert_int_equal(topology_read(&topology, netlist, &error), 0);
	config.node = topology_find(topology, "host1");
	assert_int_equal(fabric_open(&bench->fabric, topology, &plain), 0);
	assert_int_equal(fabric_route(bench->fabric, config.node, 1), 0);
	bench->folder = folder_create();
	config.loop.folder = bench->folder;
	config.loop.fabric = bench->fabric;
	assert_int_equal(server_open(&bench->server, &config, why, sizeof(why)), 0);

	bench->port = bench->server->hca[0]->port[0];
	bench->peer = bench->server->hca[0]->port[1]->endpoint;
	bench->lid = bench->port->state.lid;
	bench->peer_lid = bench->server->hca[0]->port[1]->state.lid;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	bench->program = ends[0];
	bench->file = umad_file_open(bench->server, bench->port, ends[1], 1);
	assert_non_null(bench->file);
	bench->file->has_pkey_index = true;
	assert_int_equal(agent_register(&bench->port->agents, bench->file, 0, &asked,
					&bench->file->agent[0]),
			 0);
	*state = bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	close(bench->program);
	loop_close(&bench->server->loop);
	fabric_close(bench->fabric);
	folder_remove(bench->folder);
	free(bench);
	return 0;
}

static void take_packets(struct bench *bench)
{
	struct fabric_packet packet;
	struct arrival *arrival;
	int endpoint;

	while (fabric_receive(bench->fabric, bench->server->loop.now, &endpoint, &packet)) {
		if (endpoint != bench->peer) {
			umad_received(bench->server, bench->port, &packet);
			continue;
		}
		assert_true(bench->arrived < SEGMENTS_MAX);
		arrival = &bench->arrival[bench->arrived++];
		arrival->ms = bench->server->loop.now / NS_PER_MS;
		arrival->header = rmpp_header(packet.mad);
		arrival->packet = packet;
	}
}

static void pass_time(struct bench *bench, unsigned int ms)
{
	for (take_packets(bench); ms; ms--) {
		bench->server->loop.now += NS_PER_MS;
		umad_expire(bench->server);
		take_packets(bench);
	}
	umad_file_flush(bench->server, bench->file);
}

/* The program sends a message of so many segments. */
static void write_message(struct bench *bench, uint8_t method, size_t segments, uint32_t timeout_ms,
			  uint32_t retries)
{
	static uint8_t message[MESSAGE_MAX];
	struct ib_user_mad header = { .timeout_ms = timeout_ms, .retries = retries };
	struct umad_hdr mad = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.method = method,
		.tid = htobe64(TID),
	};

	header.addr.lid = htobe16(bench->peer_lid);
	header.addr.qpn = htobe32(1);
	memcpy(message, &header, sizeof(header));
	memcpy(message + MAD_UMAD_HEADER, &mad, sizeof(mad));
	message[MAD_UMAD_HEADER + MAD_RMPP_FLAGS] = UMAD_RMPP_FLAG_ACTIVE;
	umad_written(bench->server, bench->file, message,
		     MAD_UMAD_HEADER + HEADER_BYTES + segments * SEGMENT_BYTES);
	pass_time(bench, 0);
}

/* The test sends one MAD. */
static void send_header(struct bench *bench, uint8_t method, uint64_t tid,
			const struct rmpp_header *header)
{
	struct umad_hdr mad = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.method = method,
		.tid = tid,
	};
	struct fabric_packet packet = { .dlid = bench->lid, .sqp = 1, .dqp = 1 };

	memcpy(packet.mad, &mad, sizeof(mad));
	rmpp_set_header(packet.mad, header);
	fabric_send(bench->fabric, bench->peer, &packet, bench->server->loop.now);
	pass_time(bench, 0);
}

static void send_ack(struct bench *bench, const struct arrival *to, uint32_t segment,
		     uint32_t window)
{
	send_header(
		bench, mad_method(to->packet.mad) ^ RESPONSE, mad_tid(to->packet.mad),
		&(struct rmpp_header){ 1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, segment, window });
}

static void send_segment(struct bench *bench, uint8_t method, uint32_t segment, uint8_t flags)
{
	send_header(bench, method, htobe64(TID),
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | flags, 0, segment,
					   MAD_RMPP_DATA });
}

/* That the @number-th arrival was such a MAD; @segment is 0 for what has none. */
static void expect(const struct bench *bench, size_t number, uint64_t ms, enum rmpp_type type,
		   uint32_t segment)
{
	assert_true(number < bench->arrived);
	assert_int_equal(bench->arrival[number].ms, ms);
	assert_int_equal(bench->arrival[number].header.type, type);
	assert_int_equal(bench->arrival[number].header.segment, segment);
}

static void expect_notice(const struct bench *bench)
{
	uint8_t message[MESSAGE_MAX];
	struct ib_user_mad header;

	assert_int_equal(read(bench->program, message, sizeof(message)),
			 MAD_UMAD_HEADER + MAD_HEADER_BYTES);
	memcpy(&header, message, sizeof(header));
	assert_int_equal(header.status, ETIMEDOUT);
}

static void expect_message(const struct bench *bench, size_t segments)
{
	uint8_t message[MESSAGE_MAX];

	assert_int_equal(read(bench->program, message, sizeof(message)),
			 MAD_UMAD_HEADER + HEADER_BYTES + segments * SEGMENT_BYTES);
}

static void expect_nothing(const struct bench *bench)
{
	uint8_t byte;

	assert_int_equal(read(bench->program, &byte, sizeof(byte)), -1);
	assert_int_equal(errno, EAGAIN);
}

/* Each wait is the timeout, or 2 s if that is less. */
static void check_silence(struct bench *bench, uint8_t method, uint32_t timeout_ms, uint64_t wait)
{
	write_message(bench, method, 3, timeout_ms, 2);
	pass_time(bench, (unsigned int)(3 * wait - 1));
	assert_int_equal(bench->arrived, 3);
	expect(bench, 0, 0, RMPP_DATA, 1);
	expect(bench, 1, wait, RMPP_DATA, 1);
	expect(bench, 2, 2 * wait, RMPP_DATA, 1);
	expect_nothing(bench);
	pass_time(bench, 1);
	expect_notice(bench);
	pass_time(bench, 10000);
	assert_int_equal(bench->arrived, 3);
}

static void test_no_ack(void **state)
{
	check_silence(*state, GET_MULTI, 500, 500);
}

static void test_no_ack_of_a_patient_request(void **state)
{
	check_silence(*state, GET_MULTI, 60000, 2000);
}

static void test_no_ack_of_a_response(void **state)
{
	check_silence(*state, GET_MULTI | RESPONSE, 0, 2000);
}

/* An ACK of something new gives all the retries back; what has its ACK isn't sent again. */
static void test_progress(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 5, 100, 1);
	send_ack(bench, &bench->arrival[0], 1, 3);
	expect(bench, 1, 0, RMPP_DATA, 2);
	expect(bench, 2, 0, RMPP_DATA, 3);
	pass_time(bench, 150);
	expect(bench, 3, 100, RMPP_DATA, 2);
	expect(bench, 4, 100, RMPP_DATA, 3);
	send_ack(bench, &bench->arrival[0], 2, 3); /* nothing more to send: the time runs on */
	pass_time(bench, 50);
	expect(bench, 5, 200, RMPP_DATA, 3);
	send_ack(bench, &bench->arrival[0], 1, 100); /* an old one */
	pass_time(bench, 50);
	assert_int_equal(bench->arrived, 6);
	send_ack(bench, &bench->arrival[0], 3, 6);
	expect(bench, 6, 250, RMPP_DATA, 4);
	expect(bench, 7, 250, RMPP_DATA, 5);
	assert_int_equal(bench->arrival[7].header.flags, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_LAST);
	pass_time(bench, 200);
	expect(bench, 9, 350, RMPP_DATA, 5);
	assert_int_equal(bench->arrived, 10);
	expect_notice(bench);
}

/* The whole request has its ACK, and the ACK has one; then the response has its time, once. */
static void test_no_response(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 1, 300, 5);
	pass_time(bench, 200);
	send_ack(bench, &bench->arrival[0], 1, 1);
	expect(bench, 1, 200, RMPP_ACK, 0);
	assert_int_equal(bench->arrival[1].header.length, 1);
	send_ack(bench, &bench->arrival[0], 1, 1);
	expect(bench, 2, 200, RMPP_ACK, 0);
	pass_time(bench, 299);
	expect_nothing(bench);
	pass_time(bench, 1);
	expect_notice(bench);
	assert_int_equal(bench->arrived, 3);
}

static void test_response_in_segments(void **state)
{
	struct bench *bench = *state;
	uint64_t tid;

	write_message(bench, GET_MULTI, 1, 300, 0);
	send_ack(bench, &bench->arrival[0], 1, 1);
	tid = mad_tid(bench->arrival[0].packet.mad);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST, 0,
					   1, 2 * MAD_RMPP_DATA });
	expect(bench, 2, 0, RMPP_ACK, 1);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_LAST, 0,
					   2, MAD_RMPP_DATA });
	expect(bench, 3, 0, RMPP_ACK, 2);
	expect_message(bench, 2);
	pass_time(bench, 1000);
	expect_nothing(bench);
}

/* As above; but its last segment comes when nobody waits for it any more. */
static void test_late_response(void **state)
{
	struct bench *bench = *state;
	uint64_t tid;

	write_message(bench, GET_MULTI, 1, 300, 0);
	send_ack(bench, &bench->arrival[0], 1, 1);
	tid = mad_tid(bench->arrival[0].packet.mad);
	pass_time(bench, 300);
	expect_notice(bench);
	send_header(bench, GET_MULTI | RESPONSE, tid,
		    &(struct rmpp_header){ 1, RMPP_DATA,
					   UMAD_RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST | RMPP_FLAG_LAST,
					   0, 1, MAD_RMPP_DATA });
	expect(bench, 2, 300, RMPP_ACK, 1);
	expect_nothing(bench);
	assert_int_equal(bench->server->counts.unmatched, 1);
}

static void test_first_windows(void **state)
{
	struct bench *bench = *state;

	/* The request, the ACK of its ACK with a window, and the response in that window. */
	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST | RMPP_FLAG_LAST);
	expect(bench, 0, 0, RMPP_ACK, 1);
	expect_message(bench, 1);
	send_header(bench, GET_MULTI, htobe64(TID),
		    &(struct rmpp_header){ 1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, 0, 4 });
	send_header(bench, GET_MULTI, htobe64(TID), /* no window at all is none */
		    &(struct rmpp_header){ 1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, 0, 0 });
	write_message(bench, GET_MULTI | RESPONSE, 9, 0, 0);
	assert_int_equal(bench->arrived, 5);
	expect(bench, 4, 0, RMPP_DATA, 4);
	send_ack(bench, &bench->arrival[1], 4, 100);
	assert_int_equal(bench->arrived, 10);
	send_ack(bench, &bench->arrival[1], 9, 100);
	pass_time(bench, 10000);
	assert_int_equal(bench->arrived, 10);
	expect_nothing(bench);
}

/* A message has 40 s to come in. */
static void test_unfinished(void **state)
{
	struct bench *bench = *state;

	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	expect(bench, 0, 0, RMPP_ACK, 1);
	assert_int_equal(bench->arrival[0].header.length, 65);
	pass_time(bench, 39000);
	send_segment(bench, GET_MULTI, 2, 0);
	assert_int_equal(bench->arrived, 1);
	pass_time(bench, 2000);
	assert_int_equal(bench->arrived, 2);
	expect(bench, 1, 40000, RMPP_ABORT, 0);
	assert_int_equal(bench->arrival[1].header.status, RMPP_TOO_LATE);
	send_segment(bench, GET_MULTI, 3, RMPP_FLAG_LAST);
	assert_int_equal(bench->arrived, 2);
	expect_nothing(bench);
	assert_int_equal(bench->port->receives.unfinished_count, 0);
	assert_int_equal(bench->port->receives.bytes, 0);
}

/* For 10 s a repeated segment still gets its ACK, and is no new message. */
static void test_repeated_last_segment(void **state)
{
	struct bench *bench = *state;

	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	expect(bench, 1, 0, RMPP_ACK, 2);
	expect_message(bench, 2);
	pass_time(bench, 9999);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	expect(bench, 2, 9999, RMPP_ACK, 2);
	pass_time(bench, 10);
	send_segment(bench, GET_MULTI, 2, RMPP_FLAG_LAST);
	assert_int_equal(bench->arrived, 3);
	expect_nothing(bench);
	assert_int_equal(bench->port->receives.finished_count, 0);
}

/* More is not taken than there is memory set aside for. */
static void test_too_much_to_send(void **state)
{
	struct bench *bench = *state;
	const size_t others = FILE_SENDING - HEADER_BYTES - 2 * SEGMENT_BYTES;

	bench->file->sending = others;
	write_message(bench, GET_MULTI, 3, 100, 0);
	assert_int_equal(bench->server->counts.rejected[REJECT_LIMIT], 1);
	write_message(bench, GET_MULTI, 2, 100, 0);
	assert_int_equal(bench->arrived, 1);
	pass_time(bench, 100);
	expect_notice(bench);
	assert_int_equal(bench->file->sending, others);
}

/* What is under way goes with its agent. */
static void test_agent_goes(void **state)
{
	struct bench *bench = *state;

	write_message(bench, GET_MULTI, 3, 100, 3);
	send_segment(bench, GET_MULTI, 1, RMPP_FLAG_FIRST);
	umad_file_drop_agent(bench->server, bench->file, 0);
	pass_time(bench, 60000);
	assert_int_equal(bench->arrived, 2);
	assert_int_equal(bench->port->receives.unfinished_count, 0);
	assert_int_equal(bench->port->outstanding.count, 0);
	expect_nothing(bench);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_ack),
		TEST(test_no_ack_of_a_patient_request),
		TEST(test_no_ack_of_a_response),
		TEST(test_progress),
		TEST(test_no_response),
		TEST(test_response_in_segments),
		TEST(test_late_response),
		TEST(test_first_windows),
		TEST(test_unfinished),
		TEST(test_repeated_last_segment),
		TEST(test_too_much_to_send),
		TEST(test_agent_goes),
	};

	if (argc != 2)
		return EXIT_FAILURE;
	netlist = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
