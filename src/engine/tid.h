/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The low 32 bits of a TID: a transaction's slot below, the attempt's generation above. The
 * high 32 bits are the kernel's (it writes the agent's own number there).
 *
 * The generation's highest bit is always set. On a umad file that the program shares with madring
 * (madring/adopt.h), its TIDs are told from these by that bit.
 *
 * A slot's generation goes up with every attempt and slots are used in turn, so a TID
 * comes back after 2^31 attempts of an idle ring, however many slots it has.
 */
#ifndef MADRING_ENGINE_TID_H
#define MADRING_ENGINE_TID_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <madring/mad.h>

/* Where the TID's low half stands in a MAD. */
#define TID_LOW (offsetof(struct madring_mad_hdr, tid) + 4)

/* Of the low half: set in all that are an attempt's. */
#define TID_OWN 0x80000000u

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

/* The TID of the next attempt in the same slot. */
static inline uint32_t tid_next(uint32_t tid, unsigned int slot_bits)
{
	return (tid + (1u << slot_bits)) | TID_OWN;
}

/* Takes an attempt's TID back that was never on the wire. */
static inline uint32_t tid_previous(uint32_t tid, unsigned int slot_bits)
{
	return (tid - (1u << slot_bits)) | TID_OWN;
}

/* How many attempts before @current's @earlier's was; both are an attempt's, of the same slot. */
static inline uint32_t tid_age(uint32_t current, uint32_t earlier, unsigned int slot_bits)
{
	return ((current - earlier) & ~TID_OWN) >> slot_bits;
}

#endif
