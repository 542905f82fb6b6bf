/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a test's GMPs: the mark of the request, a number of its own; where it goes to a
 * responder, the responder's proof that it has seen the mark; the OUI of a vendor class.
 */
#ifndef VM_MARK_H
#define VM_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MARK_AT	 100
#define PROOF_AT 104
#define OUI_AT	 37 /* behind the RMPP header (IBA 16.5.1) */
#define OUI	 0x001405u

static inline bool has_oui(uint8_t mgmt_class)
{
	return mgmt_class >= 0x30 && mgmt_class <= 0x4f;
}

static inline uint32_t mark_read(const uint8_t *mad)
{
	uint32_t mark;

	memcpy(&mark, mad + MARK_AT, sizeof(mark));
	return mark;
}

static inline void mark_write(uint8_t *mad, uint32_t mark)
{
	memcpy(mad + MARK_AT, &mark, sizeof(mark));
}

static inline void proof_write(uint8_t *mad)
{
	uint32_t proof = ~mark_read(mad);

	memcpy(mad + PROOF_AT, &proof, sizeof(proof));
}

static inline bool proof_is_good(const uint8_t *mad)
{
	uint32_t proof;

	memcpy(&proof, mad + PROOF_AT, sizeof(proof));
	return proof == ~mark_read(mad);
}

static inline void oui_write(uint8_t *mad)
{
	mad[OUI_AT] = OUI >> 16;
	mad[OUI_AT + 1] = (OUI >> 8) & 0xff;
	mad[OUI_AT + 2] = OUI & 0xff;
}

static inline bool oui_is_good(const uint8_t *mad)
{
	return mad[OUI_AT] == OUI >> 16 && mad[OUI_AT + 1] == ((OUI >> 8) & 0xff) &&
	       mad[OUI_AT + 2] == (OUI & 0xff);
}

#endif
