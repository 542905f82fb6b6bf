/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes big-endian numbers at any address. */
#ifndef MADRING_BASE_BYTES_H
#define MADRING_BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t read_be16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return be16toh(value);
}

static inline uint32_t read_be32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return be32toh(value);
}

static inline void write_be16(uint8_t *to, uint16_t value)
{
	value = htobe16(value);
	memcpy(to, &value, sizeof(value));
}

static inline void write_be32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
}

static inline void write_be64(uint8_t *to, uint64_t value)
{
	value = htobe64(value);
	memcpy(to, &value, sizeof(value));
}

#endif
