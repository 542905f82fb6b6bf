/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What madring knows of each management class (IBA 13.4.4): where its attributes begin, and which
 * header fields it has beyond those that all MADs have. This is the only place that knows it.
 */
#ifndef MADRING_BASE_MAD_CLASS_H
#define MADRING_BASE_MAD_CLASS_H

#include <stdbool.h>
#include <stdint.h>

/* The classes that madring has functions for. */
#define MAD_CLASS_SMP_LID      0x01 /* subnet management, LID-routed */
#define MAD_CLASS_SA	       0x03 /* subnet administration */
#define MAD_CLASS_SMP_DIRECTED 0x81 /* subnet management, directed route */

struct mad_class {
	uint8_t data_offset; /* of the attribute, in bytes from the MAD's beginning */
	bool is_smp : 1;     /* goes through QP0 and VL15, and is never redirected */
	bool has_rmpp : 1;   /* has an RMPP header behind the MAD header (IBA 13.6.2) */
	bool has_oui : 1;    /* is a vendor's, whose OUI is part of its registration (IBA 16.5.1) */
};

/* `mad_class_of` returns what there is to know of a class. Unknown ones are like the most. */
const struct mad_class *mad_class_of(uint8_t mgmt_class);

/* The fields of an SMP (IBA 14.2.1.1, 14.2.1.2), by their offsets. The hop fields, the LIDs and the
   paths are those of a directed route. */
#define SMP_HOP_POINTER	 6u
#define SMP_HOP_COUNT	 7u
#define SMP_MKEY	 24u
#define SMP_DR_SLID	 32u
#define SMP_DR_DLID	 34u
#define SMP_INITIAL_PATH 128u /* 64 bytes, of which entry 0 is not used */
#define SMP_MAX_HOPS	 63u
#define SMP_DIRECTION	 0x8000u /* in the status: it is on its way back */

/* The fields of an SA MAD (IBA 15.2.1.1), by their offsets. */
#define SA_SM_KEY	  36u
#define SA_RECORD_WORDS	  44u /* of 8 bytes each: AttributeOffset */
#define SA_COMPONENT_MASK 48u

#endif
