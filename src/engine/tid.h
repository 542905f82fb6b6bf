/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The low 32 bits of a TID: a transaction's slot below, the attempt's generation above. The
 * high 32 bits are the kernel's (it writes the agent's own number there).
 *
 * A slot's generation goes up with every attempt and slots are used in turn, so a TID
 * comes back after 2^32 attempts of an idle ring, however many slots it has.
 */
#ifndef MADRING_ENGINE_TID_H
#define MADRING_ENGINE_TID_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <madring/mad.h>

/* Where the TID's low half stands in a MAD. */
#define TID_LOW (offsetof(struct madring_mad_header, tid) + 4)

static inline uint32_t tid_read(const uint8_t *mad)
{
	uint32_t low;

	memcpy(&low, mad + TID_LOW, sizeof(low));
	return be32toh(low);
}

/* Writes a whole TID; its high half is 0 until the kernel sets it. */
static inline void tid_write(uint8_t *mad, uint32_t low)
{
	uint64_t tid = htobe64(low);

	memcpy(mad + offsetof(struct madring_mad_header, tid), &tid, sizeof(tid));
}

static inline uint32_t tid_slot(uint32_t tid, unsigned int slot_bits)
{
	return tid & ((1u << slot_bits) - 1);
}

/* The TID of the next attempt in the same slot. */
static inline uint32_t tid_next(uint32_t tid, unsigned int slot_bits)
{
	return tid + (1u << slot_bits);
}

/* Takes an attempt's TID back that was never on the wire. */
static inline uint32_t tid_previous(uint32_t tid, unsigned int slot_bits)
{
	return tid - (1u << slot_bits);
}

/* How many attempts before @current's @earlier's was; both of the same slot. */
static inline uint32_t tid_age(uint32_t current, uint32_t earlier, unsigned int slot_bits)
{
	return (current - earlier) >> slot_bits;
}

#endif
