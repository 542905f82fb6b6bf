/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The low 32 bits of a TID: a transaction's slot in the low bits, the attempt's generation above.
 * The kernel writes the agent's number into the high 32 bits.
 *
 * The generation's highest bit is always set. On a umad file that the program shares with madring
 * (madring/adopt.h), that bit tells madring's TIDs from the program's.
 *
 * A slot's generation grows with every attempt, and slots are used in turn. So a TID is repeated
 * only after 2^31 attempts of an idle ring, whatever its number of slots.
 */
#ifndef MADRING_ENGINE_TID_H
#define MADRING_ENGINE_TID_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <madring/mad.h>

/* The offset of the TID's low half in a MAD. */
#define TID_LOW (offsetof(struct madring_mad_hdr, tid) + 4)

/* The bit that is set in the low half of each of madring's TIDs. */
#define TID_OWN 0x80000000u

static inline uint32_t tid_read(const uint8_t *mad)
{
	uint32_t low;

	memcpy(&low, mad + TID_LOW, sizeof(low));
	return be32toh(low);
}

/* Writes a whole TID. The kernel sets its high half, which is 0 until then. */
static inline void tid_write(uint8_t *mad, uint32_t low)
{
	uint64_t tid = htobe64(low);

	memcpy(mad + offsetof(struct madring_mad_hdr, tid), &tid, sizeof(tid));
}

static inline bool tid_is_own(uint32_t tid)
{
	return tid & TID_OWN;
}

static inline uint32_t tid_slot(uint32_t tid, unsigned int slot_bits)
{
	return tid & ((1u << slot_bits) - 1);
}

/* Returns the TID of the next attempt in the same slot. */
static inline uint32_t tid_next(uint32_t tid, unsigned int slot_bits)
{
	return (tid + (1u << slot_bits)) | TID_OWN;
}

/* Returns the TID before @tid, whose attempt was never sent. */
static inline uint32_t tid_previous(uint32_t tid, unsigned int slot_bits)
{
	return (tid - (1u << slot_bits)) | TID_OWN;
}

/* Returns how many attempts lie between @earlier and @current, two TIDs of the same slot. */
static inline uint32_t tid_age(uint32_t current, uint32_t earlier, unsigned int slot_bits)
{
	return ((current - earlier) & ~TID_OWN) >> slot_bits;
}

#endif
