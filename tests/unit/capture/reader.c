/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <endian.h>

#define SECTION	  0x0a0d0d0au
#define INTERFACE 1u
#define PACKET	  6u

#define LINKTYPE_ERF   197
#define ERF_BYTES      16u
#define ERF_INFINIBAND 21

static uint16_t get16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static uint32_t get32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static size_t padded(size_t bytes)
{
	return (bytes + 3) / 4 * 4;
}

/*
 * Returns the value of an option of a block, or NULL if the block lacks it. Checks that the options
 * are in order.
 */
static const uint8_t *option(const uint8_t *at, const uint8_t *end, uint16_t code, size_t *bytes)
{
	const uint8_t *found = NULL;

	*bytes = 0;
	while (at < end) {
		uint16_t this_code = get16(at), length = get16(at + 2);

		at += 4;
		assert_true(at + padded(length) <= end);
		if (!this_code) {
			assert_int_equal(length, 0);
			break;
		}
		if (this_code == code) {
			found = at;
			*bytes = length;
		}
		at += padded(length);
	}
	assert_ptr_equal(at, end);
	return found;
}

static void copy_text(char *to, const uint8_t *from, size_t bytes)
{
	assert_non_null(from);
	assert_true(bytes < READER_NAME);
	memcpy(to, from, bytes);
	to[bytes] = '\0';
}

static void read_section(struct reader *reader, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *program;
	size_t bytes;

	assert_int_equal(get32(at), 0x1a2b3c4d);
	assert_int_equal(get16(at + 4), 1);
	assert_int_equal(get16(at + 6), 0);
	program = option(at + 16, end, 4, &bytes);
	copy_text(reader->program, program, bytes);
}

static void read_interface(struct reader *reader, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *name, *resolution;
	size_t bytes;

	assert_true(reader->interfaces < READER_INTERFACES);
	assert_int_equal(get16(at), LINKTYPE_ERF);
	resolution = option(at + 8, end, 9, &bytes);
	assert_non_null(resolution);
	assert_int_equal(bytes, 1);
	assert_int_equal(*resolution, 9);
	name = option(at + 8, end, 2, &bytes);
	copy_text(reader->interface[reader->interfaces++], name, bytes);
}

static void read_erf(const struct packet *packet, const uint8_t *erf)
{
	uint64_t seconds = le32toh(get32(erf + 4));
	uint64_t ns = (uint64_t)le32toh(get32(erf)) * 1000000000 >> 32;

	assert_in_range(packet->time_ns - (seconds * 1000000000 + ns), 0, 1);
	assert_int_equal(erf[8], ERF_INFINIBAND);
	assert_int_equal(erf[9] & 0x80, 0);
	assert_int_equal(erf[9] & 0x08, packet->kept < packet->bytes ? 0x08 : 0);
	assert_int_equal(be16toh(get16(erf + 10)), ERF_BYTES + packet->kept);
	assert_int_equal(be16toh(get16(erf + 14)), packet->bytes < 65535 ? packet->bytes : 65535);
}

static void read_packet(struct reader *reader, const uint8_t *at, const uint8_t *end)
{
	uint32_t kept = get32(at + 12), bytes = get32(at + 16), flags;
	const uint8_t *flag;
	struct packet packet = {
		.interface = get32(at),
		.time_ns = (uint64_t)get32(at + 4) << 32 | get32(at + 8),
		.kept = kept - ERF_BYTES,
		.bytes = bytes - ERF_BYTES,
		.data = at + 20 + ERF_BYTES,
	};
	size_t length;

	assert_true(kept >= ERF_BYTES && kept <= bytes);
	assert_true(at + 20 + padded(kept) <= end);
	assert_true(packet.interface < reader->interfaces);
	flag = option(at + 20 + padded(kept), end, 2, &length);
	assert_non_null(flag);
	assert_int_equal(length, 4);
	flags = get32(flag);
	assert_in_range(flags & 3, 1, 2);
	packet.sent = (flags & 3) == 2;
	read_erf(&packet, at + 20);
	if (!(reader->packets & (reader->packets + 1))) {
		struct packet *more =
			realloc(reader->packet, 2 * (reader->packets + 1) * sizeof(*more));

		assert_non_null(more);
		reader->packet = more;
	}
	reader->packet[reader->packets++] = packet;
}

static size_t read_block(struct reader *reader, const uint8_t *at, const uint8_t *end)
{
	uint32_t bytes;

	assert_true(end - at >= 12);
	bytes = get32(at + 4);
	assert_int_equal(bytes % 4, 0);
	assert_true(bytes >= 12 && bytes <= (size_t)(end - at));
	assert_int_equal(get32(at + bytes - 4), bytes);
	end = at + bytes - 4;
	switch (get32(at)) {
	case SECTION:
		read_section(reader, at + 8, end);
		break;
	case INTERFACE:
		read_interface(reader, at + 8, end);
		break;
	case PACKET:
		read_packet(reader, at + 8, end);
		break;
	default:
		fail_msg("a block of type %#x", get32(at));
	}
	return bytes;
}

void reader_open(struct reader *reader, const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t at = 0;

	*reader = (struct reader){ 0 };
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	reader->size = (size_t)ftell(file);
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	reader->file = malloc(reader->size);
	assert_non_null(reader->file);
	assert_int_equal(fread(reader->file, 1, reader->size, file), reader->size);
	fclose(file);
	assert_int_equal(get32(reader->file), SECTION);
	while (at < reader->size)
		at += read_block(reader, reader->file + at, reader->file + reader->size);
}

void reader_close(struct reader *reader)
{
	free(reader->packet);
	free(reader->file);
}
