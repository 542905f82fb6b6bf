/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fabric/routing.h"
#include "folder.h"
#include "rmpp_bench.h"
#include "server/server.h"

const char *bench_netlist;
struct kernel bench_kernel;

void bench_open_file(struct bench *bench)
{
	const struct sim_request asked = {
		.qpn = 1,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.rmpp_version = UMAD_RMPP_VERSION,
		.method_mask = { UINT64_C(1) << GET_MULTI },
	};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	bench->program = ends[0];
	bench->file = umad_file_open(bench->server, bench->port, ends[1], 1);
	assert_non_null(bench->file);
	bench->file->has_pkey_index = true;
	assert_int_equal(agent_register(&bench->port->agents, bench->file, 0, &asked,
					&bench->file->agent[0]),
			 0);
}

int bench_open(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct server_config config = { .kernel = bench_kernel };
	struct fabric_config plain = { 0 };
	struct topology_error error;
	struct topology *topology;
	char why[128];

	assert_non_null(bench);
	assert_int_equal(topology_read(&topology, bench_netlist, &error), 0);
	config.place.node = topology_find(topology, "host1");
	assert_int_equal(fabric_open(&bench->fabric, topology, &plain), 0);
	assert_int_equal(fabric_route(bench->fabric, config.place.node, 1), 0);
	bench->folder = folder_create();
	config.loop.folder = bench->folder;
	config.loop.fabric = bench->fabric;
	assert_int_equal(server_open(&bench->server, &config, why, sizeof(why)), 0);

	bench->port = bench->server->hca[0]->port[0];
	bench->peer = bench->server->hca[0]->port[1]->endpoint;
	bench->lid = bench->port->state.lid;
	bench->peer_lid = bench->server->hca[0]->port[1]->state.lid;
	bench_open_file(bench);
	*state = bench;
	return 0;
}

int bench_close(void **state)
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

void pass_time(struct bench *bench, unsigned int ms)
{
	for (take_packets(bench); ms; ms--) {
		bench->server->loop.now += NS_PER_MS;
		umad_expire(bench->server);
		take_packets(bench);
	}
	umad_file_flush(bench->server, bench->file);
}

void write_message(struct bench *bench, uint8_t method, size_t segments, uint32_t timeout_ms,
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

void send_header(struct bench *bench, uint8_t method, uint64_t tid,
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

void send_ack(struct bench *bench, const struct arrival *to, uint32_t segment, uint32_t window)
{
	const struct rmpp_header header = {
		1, RMPP_ACK, UMAD_RMPP_FLAG_ACTIVE, 0, segment, window
	};
	struct fabric_packet packet = { .dlid = bench->lid, .sqp = 1, .dqp = 1 };

	memcpy(packet.mad, to->packet.mad, MAD_BYTES);
	mad_set_method(packet.mad, mad_method(to->packet.mad) ^ RESPONSE);
	rmpp_set_header(packet.mad, &header);
	fabric_send(bench->fabric, bench->peer, &packet, bench->server->loop.now);
	pass_time(bench, 0);
}

void send_segment(struct bench *bench, uint8_t method, uint32_t segment, uint8_t flags)
{
	send_header(bench, method, htobe64(TID),
		    &(struct rmpp_header){ 1, RMPP_DATA, UMAD_RMPP_FLAG_ACTIVE | flags, 0, segment,
					   MAD_RMPP_DATA });
}

void expect(const struct bench *bench, size_t number, uint64_t ms, enum rmpp_type type,
	    uint32_t segment)
{
	assert_true(number < bench->arrived);
	assert_int_equal(bench->arrival[number].ms, ms);
	assert_int_equal(bench->arrival[number].header.type, type);
	assert_int_equal(bench->arrival[number].header.segment, segment);
}

void expect_notice(const struct bench *bench)
{
	uint8_t message[MESSAGE_MAX];
	struct ib_user_mad header;

	assert_int_equal(read(bench->program, message, sizeof(message)),
			 MAD_UMAD_HEADER + MAD_HEADER_BYTES);
	memcpy(&header, message, sizeof(header));
	assert_int_equal(header.status, ETIMEDOUT);
}

void expect_message(struct bench *bench, size_t segments)
{
	size_t bytes = MAD_UMAD_HEADER + HEADER_BYTES + segments * SEGMENT_BYTES;
	const struct message *begun = message_queue_begun(&bench->file->queue);
	uint8_t message[MESSAGE_MAX];
	struct ib_user_mad header;

	assert_int_equal(read(bench->program, message, sizeof(message)),
			 segments > 1 ? SIM_MESSAGE_BEGINNING : bytes);
	memcpy(&header, message, sizeof(header));
	assert_int_equal(header.length, bytes);
	assert_int_equal(begun ? begun->length : 0, segments > 1 ? bytes : 0);
	if (begun)
		message_queue_fetched(&bench->file->queue);
	umad_file_flush(bench->server, bench->file);
}

void expect_nothing(const struct bench *bench)
{
	uint8_t byte;

	assert_int_equal(read(bench->program, &byte, sizeof(byte)), -1);
	assert_int_equal(errno, EAGAIN);
}
