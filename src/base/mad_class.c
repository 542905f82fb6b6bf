/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/mad_class.h"

#include <stddef.h>

#include <madring/mad.h>

_Static_assert(sizeof(struct madring_mad_hdr) == 24, "the MAD header (IBA 13.4.2)");
_Static_assert(offsetof(struct madring_mad_hdr, tid) == 8 &&
		       offsetof(struct madring_mad_hdr, attr_id) == 16 &&
		       offsetof(struct madring_mad_hdr, attr_mod) == 20,
	       "the MAD header's fields (IBA 13.4.2)");
_Static_assert(offsetof(struct madring_mad_hdr, class_specific) == SMP_HOP_POINTER,
	       "a directed route's hop fields are in the MAD header (IBA 14.2.1.2)");
_Static_assert(SMP_INITIAL_PATH + SMP_MAX_HOPS + 1 + 64 == MADRING_MAD_BYTES,
	       "an SMP ends with two paths (IBA 14.2.1.2)");

static const struct {
	uint8_t first, last;
	struct mad_class properties;
} classes[] = {
	{ MAD_CLASS_SMP_LID, MAD_CLASS_SMP_LID, { MADRING_SMP_DATA, .is_smp = true } },
	{ MAD_CLASS_SMP_DIRECTED, MAD_CLASS_SMP_DIRECTED, { MADRING_SMP_DATA, .is_smp = true } },
	{ MAD_CLASS_SA, MAD_CLASS_SA, { MADRING_SA_DATA, .has_rmpp = true } },
	/* Device management (IBA 16.3.1), device administration, boot information. */
	{ 0x06, 0x06, { 64, .has_rmpp = true } },
	{ 0x10, 0x10, { 64, .has_rmpp = true } },
	{ 0x12, 0x12, { 64, .has_rmpp = true } },
	/* Communication management, and the vendors' classes without an OUI. */
	{ 0x07, 0x07, { .data_offset = 24 } },
	{ 0x09, 0x0f, { .data_offset = 24 } },
	/* The vendors' classes with an OUI (IBA 16.5.1). */
	{ 0x30, 0x4f, { 40, .has_rmpp = true, .has_oui = true } },
};

static const struct mad_class other = { .data_offset = 64 };

const struct mad_class *mad_class_of(uint8_t mgmt_class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (mgmt_class >= classes[i].first && mgmt_class <= classes[i].last)
			return &classes[i].properties;
	return &other;
}
