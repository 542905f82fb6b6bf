/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages. A message's number and method determine all of it. */
#include <string.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

static uint8_t content(uint32_t number, uint8_t method, size_t at)
{
	uint64_t value = (at + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)(256 * number + method) << 20;

	return (uint8_t)(value >> 29 ^ value >> 47);
}

uint32_t message_number(const uint8_t *mad)
{
	return (uint32_t)mad[20] << 24 | (uint32_t)mad[21] << 16 | (uint32_t)mad[22] << 8 | mad[23];
}

struct ib_user_mad *message_make(uint8_t mgmt_class, uint8_t method, uint32_t number, size_t length,
				 bool in_segments)
{
	struct ib_user_mad *umad = must_alloc(sizeof(*umad) + length);
	uint8_t *mad = umad->data;

	umad->addr.qpn = htobe32(1);
	for (size_t i = 36; i < length; i++)
		mad[i] = content(number, method, i);
	mad[0] = 1;
	mad[1] = mgmt_class;
	mad[2] = 2;
	mad[3] = method;
	mad[17] = 0x35;
	for (int i = 0; i < 4; i++)
		mad[20 + i] = (uint8_t)(number >> (24 - 8 * i));
	mad[24] = 1;
	mad[25] = 1;
	mad[26] = in_segments;
	return umad;
}

/* `message_check` compares all but the TID and the RMPP header. */
void message_check(const struct world *world, const struct ib_user_mad *umad, size_t length,
		   const struct ib_user_mad *expected, size_t expected_length)
{
	if (length != expected_length)
		fail(world, "a message of %zu bytes has come with %zu", expected_length, length);
	if (umad->length && umad->length != sizeof(*umad) + length)
		fail(world, "the umad header of %zu bytes says %u", length, umad->length);
	if (memcmp(umad->data, expected->data, 8) != 0 ||
	    memcmp(umad->data + 16, expected->data + 16, 8) != 0 ||
	    memcmp(umad->data + 36, expected->data + 36, length - 36) != 0)
		fail(world, "message %u is not what was sent", message_number(expected->data));
}
