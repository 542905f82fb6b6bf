/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_order.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/umad_sa.h>
#include <infiniband/umad_types.h>

#define MAD_BYTES   256u
#define DATA_AT	    56u
#define ATTRIBUTE   0xff10
#define RMPP_ACTIVE 1

/* The data begins with the order itself, in network order. */
struct wire {
	uint32_t number, request_bytes, reply_bytes, delay_ms;
};

size_t order_length(uint32_t data_bytes)
{
	return data_bytes ? DATA_AT + data_bytes : MAD_BYTES;
}

static uint8_t byte_at(uint32_t seed, size_t i)
{
	return (uint8_t)(i * 31 + (i >> 8) + seed);
}

/* Returns the seed of a message's data, which differs between a request and its reply. */
static uint32_t seed_of(const struct order *order, bool reply)
{
	return reply ? ~order->number * 97 : order->number * 89;
}

static void fill(uint8_t *mad, const struct order *order, bool reply)
{
	uint32_t bytes = reply ? order->reply_bytes : order->request_bytes;
	struct umad_rmpp_hdr rmpp = { 0 };
	size_t length = order_length(bytes);
	uint32_t seed = seed_of(order, reply);
	const struct wire wire = {
		.number = htobe32(order->number),
		.request_bytes = htobe32(order->request_bytes),
		.reply_bytes = htobe32(order->reply_bytes),
		.delay_ms = htobe32(order->delay_ms),
	};

	for (size_t i = sizeof(struct umad_hdr); i < length; i++)
		mad[i] = byte_at(seed, i);
	if (bytes) {
		rmpp.rmpp_version = UMAD_RMPP_VERSION;
		rmpp.rmpp_type = 1;
		rmpp.rmpp_rtime_flags = RMPP_ACTIVE;
	}
	memcpy(mad + sizeof(struct umad_hdr), &rmpp, sizeof(rmpp));
	memcpy(mad + DATA_AT, &wire, sizeof(wire));
}

static uint8_t method_of(const struct order *order)
{
	if (order->request_bytes)
		return UMAD_SA_METHOD_GET_MULTI;
	return order->reply_bytes ? UMAD_SA_METHOD_GET_TABLE : UMAD_METHOD_GET;
}

void order_ask(uint8_t *mad, const struct order *order)
{
	const struct umad_hdr header = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = ORDER_CLASS,
		.class_version = ORDER_CLASS_VERSION,
		.method = method_of(order),
		.tid = htobe64(order->number),
		.attr_id = htobe16(ATTRIBUTE),
		.attr_mod = htobe32(order->number),
	};

	memcpy(mad, &header, sizeof(header));
	fill(mad, order, false);
}

/* Says on stderr what is wrong. */
static bool is_right(const uint8_t *mad, size_t length, const struct order *order, bool reply)
{
	size_t expected = order_length(reply ? order->reply_bytes : order->request_bytes);
	uint32_t seed = seed_of(order, reply);

	if (length != expected) {
		fprintf(stderr, "message %u: %zu bytes in place of %zu\n", order->number, length,
			expected);
		return false;
	}
	for (size_t i = DATA_AT + sizeof(struct wire); i < length; i++) {
		if (mad[i] != byte_at(seed, i)) {
			fprintf(stderr, "message %u: byte %zu of %zu is another\n", order->number,
				i, length);
			return false;
		}
	}
	return true;
}

static struct order order_in(const uint8_t *mad)
{
	struct wire wire;

	memcpy(&wire, mad + DATA_AT, sizeof(wire));
	return (struct order){
		.number = be32toh(wire.number),
		.request_bytes = be32toh(wire.request_bytes),
		.reply_bytes = be32toh(wire.reply_bytes),
		.delay_ms = be32toh(wire.delay_ms),
	};
}

bool order_read(const uint8_t *mad, size_t length, struct order *order)
{
	if (length < DATA_AT + sizeof(struct wire))
		return false;
	*order = order_in(mad);
	return order->reply_bytes <= ORDER_MOST_BYTES && is_right(mad, length, order, false);
}

void order_answer(uint8_t *mad, const uint8_t *request, const struct order *order)
{
	struct umad_hdr header;

	memcpy(&header, request, sizeof(header));
	header.method |= UMAD_METHOD_RESP_MASK;
	memcpy(mad, &header, sizeof(header));
	fill(mad, order, true);
}

bool order_is_answered(const uint8_t *mad, size_t length, const struct order *order)
{
	struct order found;
	struct umad_hdr header;

	if (length < DATA_AT + sizeof(struct wire))
		return false;
	found = order_in(mad);
	memcpy(&header, mad, sizeof(header));
	if (memcmp(&found, order, sizeof(found)) != 0 ||
	    header.method != (method_of(order) | UMAD_METHOD_RESP_MASK)) {
		fprintf(stderr, "message %u: not its own reply\n", order->number);
		return false;
	}
	return is_right(mad, length, order, true);
}
