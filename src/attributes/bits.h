/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes numbers of any bits, as the IBA counts them: bit 0 is the most significant one
 * of byte 0.
 */
#ifndef MADRING_ATTRIBUTES_BITS_H
#define MADRING_ATTRIBUTES_BITS_H

#include <stdint.h>

#include "base/bytes.h"

/* Returns the greatest number of @bits bits, 1 to 64. */
static inline uint64_t bits_greatest(unsigned int bits)
{
	return UINT64_MAX >> (64 - bits);
}

/* Returns the number of 1 to 64 @bits at @offset. The bits lie in at most 8 bytes. */
static inline uint64_t bits_read(const void *from, unsigned int offset, unsigned int bits)
{
	const uint8_t *byte = (const uint8_t *)from + offset / 8;
	unsigned int bytes = (offset % 8 + bits + 7) / 8;
	uint64_t value = 0;

	/* Most fields fill these. */
	switch (bytes) {
	case 1:
		value = *byte;
		break;
	case 2:
		value = read_be16(byte);
		break;
	case 4:
		value = read_be32(byte);
		break;
	default:
		for (unsigned int i = 0; i < bytes; i++)
			value = value << 8 | byte[i];
	}
	return value >> (8 * bytes - offset % 8 - bits) & bits_greatest(bits);
}

/* Writes the lowest @bits of @value, and no other bit. */
static inline void bits_write(void *to, unsigned int offset, unsigned int bits, uint64_t value)
{
	uint8_t *byte = (uint8_t *)to + offset / 8;
	unsigned int bytes = (offset % 8 + bits + 7) / 8;
	unsigned int shift = 8 * bytes - offset % 8 - bits;
	uint64_t mask = bits_greatest(bits) << shift;

	value <<= shift;
	for (unsigned int i = bytes; i-- > 0; mask >>= 8, value >>= 8)
		byte[i] = (uint8_t)((byte[i] & ~mask) | (value & mask));
}

#endif
