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

/*
 * The agents of nodes answer at once, and one request at a time. A sweep with dead nodes takes less
 * than a second more than one without.
 */
#define NODES                                                                                      \
	.is_of_nodes = true, .flow_window = 16, .flow_first = 2, .first_timeout_ms = 20,           \
	.min_timeout_ms = 1, .max_timeout_ms = 1000, .patience_ms = 900

#define OTHERS                                                                                     \
	.flow_window = 1024, .flow_first = 16, .first_timeout_ms = 250, .min_timeout_ms = 25,      \
	.max_timeout_ms = 1000

/* Services such as the SA may be busy for long, and have no .patience_ms. */
#define SERVICES OTHERS

/* Other agents may have more to do for an answer: three attempts and what the last one has left. */
#define AGENTS OTHERS, .patience_ms = 2000

static const struct {
	uint8_t first, last;
	struct mad_class properties;
} classes[] = {
	{ MADRING_CLASS_SMP, MADRING_CLASS_SMP, { MADRING_SMP_DATA, .is_smp = true, NODES } },
	{ MADRING_CLASS_SMP_DIRECTED,
	  MADRING_CLASS_SMP_DIRECTED,
	  { MADRING_SMP_DATA, .is_smp = true, NODES } },
	{ MADRING_CLASS_SA, MADRING_CLASS_SA, { MADRING_SA_DATA, .has_rmpp = true, SERVICES } },
	{ MADRING_CLASS_PMA, MADRING_CLASS_PMA, { MADRING_PMA_DATA, NODES } },
	/* IBA 16.3.1. */
	{ MADRING_CLASS_DM, MADRING_CLASS_DM, { 64, .has_rmpp = true, AGENTS } },
	{ MADRING_CLASS_DEVICE_ADMINISTRATION,
	  MADRING_CLASS_DEVICE_ADMINISTRATION,
	  { 64, .has_rmpp = true, AGENTS } },
	{ MADRING_CLASS_BIS, MADRING_CLASS_BIS, { 64, .has_rmpp = true, AGENTS } },
	{ MADRING_CLASS_CM, MADRING_CLASS_CM, { .data_offset = 24, SERVICES } },
	/* The vendors' classes without an OUI. */
	{ MADRING_CLASS_VENDOR, 0x0f, { .data_offset = 24, AGENTS } },
	/* The vendors' classes with an OUI (IBA 16.5.1). */
	{ MADRING_CLASS_VENDOR_OUI, 0x4f, { 40, .has_rmpp = true, .has_oui = true, AGENTS } },
};

static const struct mad_class other = { .data_offset = 64, AGENTS };

const struct mad_class *mad_class_of(uint8_t mgmt_class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (mgmt_class >= classes[i].first && mgmt_class <= classes[i].last)
			return &classes[i].properties;
	return &other;
}
