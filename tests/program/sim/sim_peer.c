/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_client.h"
#include "sim_peer.h"
#include "sim_subnet.h"

#define CLASS_VERSION 2
#define MASK_LONGS    (16 / sizeof(long))
#define TID_OFFSET    8

struct peer peer_open(int port, enum peer_rmpp rmpp, bool serves)
{
	struct peer peer = {
		.fd = umad_open_port(NULL, port),
		.other_lid = port == 1 ? LID_OF_PORT2 : LID_OF_PORT1,
	};
	struct umad_reg_attr attr = {
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.mgmt_class_version = CLASS_VERSION,
		.rmpp_version = UMAD_RMPP_VERSION,
		.flags = rmpp == RMPP_BY_US ? UMAD_USER_RMPP : 0,
	};

	if (serves)
		attr.method_mask[0] = 1u << GET | 1u << GET_TABLE | 1u << GET_MULTI;
	assert_true(peer.fd >= 0);
	assert_int_equal(umad_register2(peer.fd, &attr, &peer.agent), 0);
	return peer;
}

void peer_close(struct peer *peer)
{
	umad_close_port(peer->fd);
}

struct ib_user_mad *peer_header(const struct peer_message *message)
{
	return (struct ib_user_mad *)(void *)message->umad;
}

uint8_t *peer_mad(const struct peer_message *message)
{
	return message->umad + UMAD_BYTES;
}

static uint8_t byte_at(uint32_t tid, size_t position)
{
	return (uint8_t)((position + tid) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

struct peer_message peer_message(const struct peer *peer, uint8_t method, uint32_t tid,
				 size_t data_bytes)
{
	struct peer_message message = { .bytes = UMAD_BYTES + HEADER_BYTES + data_bytes };
	struct umad_hdr header = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.class_version = CLASS_VERSION,
		.method = method,
		.tid = htobe64(tid),
	};
	size_t i;

	message.umad = calloc(1, message.bytes);
	assert_non_null(message.umad);
	peer_header(&message)->agent_id = peer->agent;
	peer_header(&message)->addr.qpn = htobe32(1);
	peer_header(&message)->addr.lid = htobe16(peer->other_lid);
	memcpy(peer_mad(&message), &header, sizeof(header));
	for (i = 0; i < data_bytes; i++)
		peer_mad(&message)[HEADER_BYTES + i] = byte_at(tid, i);
	if (data_bytes > SEGMENT_BYTES)
		peer_set_active(&message);
	return message;
}

void peer_set_active(const struct peer_message *message)
{
	peer_mad(message)[RMPP_FLAGS] |= UMAD_RMPP_FLAG_ACTIVE;
}

void peer_send(const struct peer *peer, const struct peer_message *message)
{
	assert_int_equal(write(peer->fd, message->umad, message->bytes), message->bytes);
}

void peer_free(struct peer_message *message)
{
	free(message->umad);
	message->umad = NULL;
}

bool peer_wait(const struct peer *peer, int timeout_ms)
{
	struct pollfd readable = { .fd = peer->fd, .events = POLLIN };

	return poll(&readable, 1, timeout_ms) == 1;
}

struct peer_message peer_receive(const struct peer *peer)
{
	struct peer_message message = { .umad = malloc(UMAD_BYTES + MAD_BYTES) };
	int length = MAD_BYTES;

	assert_non_null(message.umad);
	assert_true(peer_wait(peer, PATIENCE_MS));
	while (umad_recv(peer->fd, message.umad, &length, 0) < 0) {
		void *longer;

		assert_int_equal(errno, ENOSPC);
		assert_int_equal(length, peer_header(&message)->length - UMAD_BYTES);
		longer = realloc(message.umad, UMAD_BYTES + (size_t)length);
		assert_non_null(longer);
		message.umad = longer;
	}
	message.bytes = UMAD_BYTES + (size_t)length;
	return message;
}

void peer_check(const struct peer_message *message, uint8_t method, uint32_t tid, size_t data_bytes)
{
	const uint8_t *mad = peer_mad(message);
	struct umad_hdr header;
	size_t i;

	memcpy(&header, mad, sizeof(header));
	assert_int_equal(peer_header(message)->status, 0);
	assert_int_equal(peer_header(message)->length, message->bytes);
	assert_int_equal(message->bytes, UMAD_BYTES + HEADER_BYTES + data_bytes);
	assert_int_equal(header.method, method);
	assert_int_equal(peer_low_tid(message), tid);
	for (i = 0; i < data_bytes && mad[HEADER_BYTES + i] == byte_at(tid, i); i++)
		;
	assert_int_equal(i, data_bytes);
}

uint32_t peer_low_tid(const struct peer_message *message)
{
	uint64_t tid;

	memcpy(&tid, peer_mad(message) + TID_OFFSET, sizeof(tid));
	return (uint32_t)be64toh(tid);
}
