/* SPDX-License-Identifier: BSD-2-Clause */
/* The offsets of the fields of an SMP in its 256 bytes. libibmad has no names for these. */
#ifndef SIM_SMP_H
#define SIM_SMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <endian.h>
#include <infiniband/mad.h>

enum smp_offset {
	SMP_BASE_VERSION = 0,
	SMP_CLASS = 1,
	SMP_CLASS_VERSION = 2,
	SMP_METHOD = 3,
	SMP_STATUS = 4, /* its highest bit is D when directed-route */
	SMP_HOP_POINTER = 6,
	SMP_HOP_COUNT = 7,
	SMP_TID = 8,
	SMP_ATTRIBUTE = 16,
	SMP_MODIFIER = 20,
	SMP_MKEY = 24,
	SMP_DR_SLID = 32,
	SMP_DR_DLID = 34,
	SMP_DATA = 64,
	SMP_INITIAL_PATH = 128,
	SMP_RETURN_PATH = 192,
};

#define SMP_MAX_HOPS 63

#define SMP_DIRECTION 0x8000

#define LID_PERMISSIVE 0xffff

static inline uint16_t smp_get16(const uint8_t *mad, enum smp_offset at)
{
	uint16_t value;

	memcpy(&value, mad + at, sizeof(value));
	return be16toh(value);
}

static inline void smp_set16(uint8_t *mad, enum smp_offset at, uint16_t value)
{
	value = htobe16(value);
	memcpy(mad + at, &value, sizeof(value));
}

static inline uint32_t smp_get32(const uint8_t *mad, enum smp_offset at)
{
	uint32_t value;

	memcpy(&value, mad + at, sizeof(value));
	return be32toh(value);
}

static inline bool smp_class_is_smp(uint8_t mgmt_class)
{
	return mgmt_class == IB_SMI_CLASS || mgmt_class == IB_SMI_DIRECT_CLASS;
}

static inline bool smp_is_directed(const uint8_t *mad)
{
	return mad[SMP_CLASS] == IB_SMI_DIRECT_CLASS;
}

static inline bool smp_returns(const uint8_t *mad)
{
	return mad[SMP_STATUS] & 0x80;
}

#endif
