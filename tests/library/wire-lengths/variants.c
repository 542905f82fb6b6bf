/* SPDX-License-Identifier: BSD-2-Clause */
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#include "rmpp/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HOP_POINTER  6
#define HOP_COUNT    7
#define BYTE_VALUES  256u

static const uint32_t told[] = {
	0,   1,	  23,  24,  63,	 64,   65,   87,    88,	       89,	 99,	     100,
	255, 256, 319, 320, 321, 2112, 2113, 65536, INT32_MAX, 1u << 31, UINT32_MAX,
};

static const uint8_t versions[] = { 0, 2, 255 };
static const uint8_t types[] = { 0, RMPP_DATA, RMPP_ACK, RMPP_STOP, RMPP_ABORT, 5, 255 };
static const uint8_t flags[] = { 0, 2, 4, 6, 0xf8 };
static const uint8_t statuses[] = { 0, 1, 118, 119, 127, 255 };
/* The numbers of a segment, or of an ACK. */
static const uint32_t numbers[] = { 0, 1, 2, 3, 64, 65, INT32_MAX, 1u << 31, UINT32_MAX };
/*
 * The lengths of a payload, or the last segments of a window: those of a whole segment, and of
 * none.
 */
static const uint32_t lengths[] = {
	0, 1, 19, 20, 21, 64, 219, 220, 221, 240, 440, 65536, INT32_MAX, 1u << 31, UINT32_MAX,
};

#define RMPP_FIELDS                                                                                \
	(COUNT(types) * COUNT(flags) * COUNT(statuses) * COUNT(numbers) * COUNT(lengths))

unsigned int variants(size_t bytes)
{
	return (unsigned int)(2 * bytes + COUNT(told) + COUNT(versions) * COUNT(types) +
			      RMPP_FIELDS + 2 * BYTE_VALUES);
}

struct wire wire_copy(const struct ib_user_mad *good, size_t bytes)
{
	struct wire wire = { .umad = malloc(bytes ? bytes : 1), .bytes = bytes };

	if (!wire.umad)
		abort();
	memcpy(wire.umad, good, bytes);
	return wire;
}

void wire_set_rmpp(struct ib_user_mad *umad, uint8_t type, uint8_t more, uint32_t segment,
		   uint32_t length)
{
	const struct rmpp_header header = {
		.type = type,
		.flags = more,
		.segment = segment,
		.length = length,
	};

	rmpp_header_write(umad->data, &header);
}

/* Takes the next digit off a number. */
static unsigned int digit(unsigned int *number, size_t base)
{
	unsigned int value = *number % (unsigned int)base;

	*number /= (unsigned int)base;
	return value;
}

static void set_rmpp_fields(struct ib_user_mad *umad, unsigned int number)
{
	uint8_t type = types[digit(&number, COUNT(types))];
	uint8_t more = flags[digit(&number, COUNT(flags))];
	uint8_t status = statuses[digit(&number, COUNT(statuses))];
	uint32_t segment = numbers[digit(&number, COUNT(numbers))];

	wire_set_rmpp(umad, type, more, segment, lengths[number]);
	umad->data[RMPP_STATUS_OFFSET] = status;
}

static struct wire cut(const struct ib_user_mad *good, size_t bytes)
{
	struct wire wire = wire_copy(good, bytes);
	uint32_t length = (uint32_t)bytes;

	if (bytes >= sizeof(*good))
		wire.umad->length = length;
	return wire;
}

struct wire variant(const struct ib_user_mad *good, size_t bytes, unsigned int number)
{
	struct wire wire;

	/* The message is cut, and its header tells its own length, or the old one. */
	if (number < bytes)
		return wire_copy(good, number);
	number -= (unsigned int)bytes;
	if (number < bytes)
		return cut(good, number);
	number -= (unsigned int)bytes;
	wire = wire_copy(good, bytes);
	if (number < COUNT(told)) {
		wire.umad->length = told[number];
		return wire;
	}
	number -= (unsigned int)COUNT(told);
	if (number < 2 * BYTE_VALUES) {
		wire.umad->data[number % 2 ? HOP_POINTER : HOP_COUNT] = (uint8_t)(number / 2);
		return wire;
	}
	number -= 2 * BYTE_VALUES;
	/* A message without an RMPP header is not made longer for one. */
	if (bytes < sizeof(*good) + RMPP_HEADER_END)
		return wire;
	if (number < COUNT(versions) * COUNT(types)) {
		wire_set_rmpp(wire.umad, types[number / COUNT(versions)], RMPP_FIRST, 1, 440);
		wire.umad->data[RMPP_VERSION_OFFSET] = versions[number % COUNT(versions)];
		return wire;
	}
	set_rmpp_fields(wire.umad, number - (unsigned int)(COUNT(versions) * COUNT(types)));
	return wire;
}
