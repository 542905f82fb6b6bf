/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/pcapng.h"

#include <endian.h>
#include <string.h>

#define NS_PER_S 1000000000u

enum block_type { SECTION = 0x0a0d0d0a, INTERFACE = 1, PACKET = 6 };

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINKTYPE_ERF	 197

/* Option codes by their block. 0 ends the options. */
#define SECTION_PROGRAM	     4
#define INTERFACE_NAME	     2
#define INTERFACE_RESOLUTION 9
#define PACKET_FLAGS	     2

#define DIRECTION_RECEIVED 1u
#define DIRECTION_SENT	   2u

struct block_head {
	uint32_t type, bytes;
};

struct option_head {
	uint16_t code, bytes;
};

/* The header of an ERF record. Its time is little-endian, the rest big-endian. */
struct erf {
	uint32_t fraction, seconds;
	uint8_t type, flags;
	uint16_t record_bytes, lost, wire_bytes;
};

#define ERF_INFINIBAND 21
#define ERF_VARYING    0x04 /* records vary in length */
#define ERF_TRUNCATED  0x08

static size_t pad_to_words(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static size_t option_bytes(size_t bytes)
{
	return sizeof(struct option_head) + pad_to_words(bytes);
}

static uint8_t *put_bytes(uint8_t *at, const void *from, size_t bytes)
{
	memcpy(at, from, bytes);
	return at + bytes;
}

static uint8_t *put_option(uint8_t *at, uint16_t code, const void *value, size_t bytes)
{
	struct option_head head = { .code = code, .bytes = (uint16_t)bytes };

	at = put_bytes(at, &head, sizeof(head));
	memset(at, 0, pad_to_words(bytes));
	memcpy(at, value, bytes);
	return at + pad_to_words(bytes);
}

/* Begins a block, which has its length at both ends. @inside counts the bytes between them. */
static uint8_t *begin_block(struct capture_file *file, enum block_type type, size_t inside)
{
	struct block_head head = {
		.type = type,
		.bytes = (uint32_t)(sizeof(head) + inside + sizeof(head.bytes)),
	};
	uint8_t *block = capture_file_piece(file, head.bytes);

	if (!block)
		return NULL;
	memcpy(block + sizeof(head) + inside, &head.bytes, sizeof(head.bytes));
	return put_bytes(block, &head, sizeof(head));
}

static void end_options(uint8_t *at)
{
	memset(at, 0, sizeof(struct option_head));
}

bool pcapng_section(struct capture_file *file, const char *program)
{
	struct {
		uint32_t magic;
		uint16_t major, minor;
		int64_t bytes; /* -1: not known */
	} section = { .magic = BYTE_ORDER_MAGIC, .major = 1, .bytes = -1 };
	size_t length = strlen(program);
	uint8_t *at = begin_block(
		file, SECTION, sizeof(section) + option_bytes(length) + sizeof(struct option_head));

	if (!at)
		return false;
	at = put_bytes(at, &section, sizeof(section));
	end_options(put_option(at, SECTION_PROGRAM, program, length));
	return true;
}

bool pcapng_interface(struct capture_file *file, const char *name)
{
	struct {
		uint16_t link_type, reserved;
		uint32_t snap_bytes; /* 0: no limit */
	} interface = { .link_type = LINKTYPE_ERF };
	const uint8_t resolution = 9; /* 10^-9 s */
	size_t length = strlen(name);
	uint8_t *at =
		begin_block(file, INTERFACE,
			    sizeof(interface) + option_bytes(length) +
				    option_bytes(sizeof(resolution)) + sizeof(struct option_head));

	if (!at)
		return false;
	at = put_bytes(at, &interface, sizeof(interface));
	at = put_option(at, INTERFACE_NAME, name, length);
	end_options(put_option(at, INTERFACE_RESOLUTION, &resolution, sizeof(resolution)));
	return true;
}

static uint16_t saturate_16(size_t bytes)
{
	return bytes < UINT16_MAX ? (uint16_t)bytes : UINT16_MAX;
}

static struct erf make_erf(const struct pcapng_packet *packet)
{
	uint64_t rest = packet->time_ns % NS_PER_S;

	return (struct erf){
		.fraction = htole32((uint32_t)((rest << 32) / NS_PER_S)),
		.seconds = htole32((uint32_t)(packet->time_ns / NS_PER_S)),
		.type = ERF_INFINIBAND,
		.flags = ERF_VARYING | (packet->kept < packet->bytes ? ERF_TRUNCATED : 0) |
			 (packet->interface & 3),
		.record_bytes = htobe16(saturate_16(sizeof(struct erf) + packet->kept)),
		.wire_bytes = htobe16(saturate_16(packet->bytes)),
	};
}

uint8_t *pcapng_packet(struct capture_file *file, const struct pcapng_packet *packet)
{
	uint32_t flags = packet->sent ? DIRECTION_SENT : DIRECTION_RECEIVED;
	struct erf erf = make_erf(packet);
	struct {
		uint32_t interface, time_high, time_low, kept, bytes;
	} head = {
		.interface = packet->interface,
		.time_high = (uint32_t)(packet->time_ns >> 32),
		.time_low = (uint32_t)packet->time_ns,
		.kept = (uint32_t)(sizeof(erf) + packet->kept),
		.bytes = (uint32_t)(sizeof(erf) + packet->bytes),
	};
	size_t inside = sizeof(head) + sizeof(erf) + pad_to_words(packet->kept) +
			option_bytes(sizeof(flags)) + sizeof(struct option_head);
	uint8_t *at = begin_block(file, PACKET, inside);
	uint8_t *bytes;

	if (!at)
		return NULL;
	bytes = put_bytes(put_bytes(at, &head, sizeof(head)), &erf, sizeof(erf));
	at = bytes + packet->kept;
	memset(at, 0, pad_to_words(packet->kept) - packet->kept);
	at = bytes + pad_to_words(packet->kept);
	end_options(put_option(at, PACKET_FLAGS, &flags, sizeof(flags)));
	return bytes;
}
